// A receiver that follows a file: each line that is appended to it is a log record.
package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver"
)

const pause = 50 * time.Millisecond

type linesConfig struct {
	File string `mapstructure:"file"`
	Tag  string `mapstructure:"tag"`
}

type lines struct {
	config *linesConfig
	next   consumer.Logs
	stop   context.CancelFunc
}

func linesFactory() receiver.Factory {
	settings := func() component.Config { return &linesConfig{} }
	make := func(_ context.Context, _ receiver.Settings, config component.Config, next consumer.Logs) (receiver.Logs, error) {
		return &lines{config: config.(*linesConfig), next: next}, nil
	}
	return receiver.NewFactory(component.MustNewType("lines"), settings, receiver.WithLogs(make, component.StabilityLevelStable))
}

func (l *lines) Start(context.Context, component.Host) error {
	file, err := os.Open(l.config.File)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	go l.follow(ctx, file)
	return nil
}

func (l *lines) Shutdown(context.Context) error {
	l.stop()
	return nil
}

func (l *lines) follow(ctx context.Context, file *os.File) {
	defer file.Close()
	reader := bufio.NewReader(file)
	begun := ""
	for ctx.Err() == nil {
		part, err := reader.ReadString('\n')
		begun += part
		if err == io.EOF {
			time.Sleep(pause)
			continue
		}
		if err != nil {
			return
		}
		// What is not taken is the exporter's to send again.
		_ = l.next.ConsumeLogs(ctx, l.record(strings.TrimSuffix(begun, "\n")))
		begun = ""
	}
}

func (l *lines) record(line string) plog.Logs {
	logs := plog.NewLogs()
	resource := logs.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "lines")
	record := resource.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	record.SetSeverityNumber(plog.SeverityNumberInfo)
	record.SetSeverityText("INFO")
	record.Attributes().PutStr("tag", l.config.Tag)
	record.Body().SetStr(line)
	return logs
}
