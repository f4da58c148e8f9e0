// An application with the OpenTelemetry SDK, which exports by OTLP over HTTP, as protobuf or as JSON.
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtoExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  type DataPoint,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { Point } from './api.ts';

export interface OtlpTarget {
  url: string;
  headers: Record<string, string>;
  form: 'protobuf' | 'json';
}

const exporterTo = ({ url, headers, form }: OtlpTarget): PushMetricExporter =>
  form === 'json' ? new JsonExporter({ url, headers }) : new ProtoExporter({ url, headers });

const resource = resourceFromAttributes({
  'service.name': 'checkout',
  'service.namespace': 'shop',
  'service.instance.id': 'till-1',
  'host.name': 'counter',
});

// One export of every kind of instrument to each of the targets, at the same moment.
export async function exportOnce(...targets: readonly OtlpTarget[]): Promise<void> {
  const results: Error[] = [];
  const all: PushMetricExporter = toAll(targets.map(exporterTo), (error) => results.push(error));
  const reader = new PeriodicExportingMetricReader({ exporter: all, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const meter = provider.getMeter('till', '1.0.0');
  meter.createCounter('orders', { description: 'Orders taken.' }).add(5, { 'payment.method': 'card' });
  meter.createCounter('sent.bytes', { unit: 'By' }).add(1024);
  meter.createUpDownCounter('baskets').add(-3);
  meter.createObservableGauge('temperature', { unit: 'Cel' }).addCallback((result) => result.observe(21.5));
  meter.createObservableGauge('full', { unit: '1' }).addCallback((result) => result.observe(0.25, { 'shelf/no': '7' }));
  const advice = { explicitBucketBoundaries: [10, 100] };
  const took = meter.createHistogram('latency', { unit: 'ms', advice });
  for (const ms of [5, 50, 500]) took.record(ms, { route: '/pay' });
  await provider.forceFlush();
  await provider.shutdown();
  if (results[0]) throw results[0];
}

function toAll(exporters: readonly PushMetricExporter[], failed: (error: Error) => void): PushMetricExporter {
  return {
    export(metrics, done) {
      let open = exporters.length;
      for (const exporter of exporters)
        exporter.export(metrics, (result) => {
          if (result.code !== 0) failed(result.error ?? new Error('an export failed'));
          open -= 1;
          if (open === 0) done(result);
        });
    },
    forceFlush: async () => {
      for (const exporter of exporters) await exporter.forceFlush();
    },
    shutdown: async () => {
      for (const exporter of exporters) await exporter.shutdown();
    },
  };
}

// Exports a counter that grows by one each time until it is stopped.
export function exportAgain(target: OtlpTarget): { answered(): Point[]; stop(): Promise<void> } {
  const answered: Point[] = [];
  const exporter = exporterTo(target);
  const recording: PushMetricExporter = {
    export: (metrics, done) =>
      exporter.export(metrics, (result) => {
        if (result.code === 0) answered.push(...pointsOf(metrics));
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
  const periodic = { exportIntervalMillis: 400, exportTimeoutMillis: 400 };
  const reader = new PeriodicExportingMetricReader({ exporter: recording, ...periodic });
  const provider = new MeterProvider({ resource, readers: [reader] });
  let beats = 0;
  provider
    .getMeter('heart')
    .createObservableCounter('beats')
    .addCallback((result) => {
      beats += 1;
      result.observe(beats);
    });
  return { answered: () => answered, stop: () => provider.shutdown() };
}

function pointsOf(metrics: ResourceMetrics): Point[] {
  const all = metrics.scopeMetrics.flatMap((scope) => scope.metrics);
  const points = all.flatMap(({ dataPoints }) => dataPoints as DataPoint<number>[]);
  return points.map(({ endTime: [seconds, nanos], value }) => [seconds * 1000 + Math.floor(nanos / 1e6), value]);
}
