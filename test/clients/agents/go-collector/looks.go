// A receiver that tells how often it was looked at, a few times a second: a counter, a gauge and a histogram.
package main

import (
	"context"
	"math"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver"
)

const interval = 300 * time.Millisecond

type looks struct {
	next  consumer.Metrics
	stop  context.CancelFunc
	begun pcommon.Timestamp
}

func looksFactory() receiver.Factory {
	settings := func() component.Config { return &struct{}{} }
	make := func(_ context.Context, _ receiver.Settings, _ component.Config, next consumer.Metrics) (receiver.Metrics, error) {
		return &looks{next: next}, nil
	}
	return receiver.NewFactory(component.MustNewType("looks"), settings, receiver.WithMetrics(make, component.StabilityLevelStable))
}

func (l *looks) Start(context.Context, component.Host) error {
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.begun = pcommon.NewTimestampFromTime(time.Now())
	go l.tell(ctx)
	return nil
}

func (l *looks) Shutdown(context.Context) error {
	l.stop()
	return nil
}

func (l *looks) tell(ctx context.Context) {
	for look := int64(1); ; look++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
		// What is not taken is the exporter's to send again.
		_ = l.next.ConsumeMetrics(ctx, l.page(look))
	}
}

func (l *looks) page(look int64) pmetric.Metrics {
	page := pmetric.NewMetrics()
	resource := page.ResourceMetrics().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "looks")
	metrics := resource.ScopeMetrics().AppendEmpty().Metrics()
	now := pcommon.NewTimestampFromTime(time.Now())

	counter := metrics.AppendEmpty()
	counter.SetName("looks")
	sum := counter.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	point := sum.DataPoints().AppendEmpty()
	point.SetIntValue(look)
	point.SetTimestamp(now)
	point.SetStartTimestamp(l.begun)
	for name, value := range map[string]string{"path": `/a\b`, "quote": `"`, "umlaut": "größe"} {
		point.Attributes().PutStr(name, value)
	}

	gauge := metrics.AppendEmpty()
	gauge.SetName("level")
	top := gauge.SetEmptyGauge().DataPoints().AppendEmpty()
	top.SetDoubleValue(math.Inf(1))
	top.SetTimestamp(now)
	top.Attributes().PutStr("at", "top")

	took := metrics.AppendEmpty()
	took.SetName("took")
	took.SetUnit("s")
	histogram := took.SetEmptyHistogram()
	histogram.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	buckets := histogram.DataPoints().AppendEmpty()
	buckets.SetTimestamp(now)
	buckets.SetStartTimestamp(l.begun)
	buckets.ExplicitBounds().FromRaw([]float64{0.1, 1})
	buckets.BucketCounts().FromRaw([]uint64{uint64(look), uint64(look), uint64(look)})
	buckets.SetCount(uint64(3 * look))
	buckets.SetSum(float64(look) * 0.25)
	return page
}
