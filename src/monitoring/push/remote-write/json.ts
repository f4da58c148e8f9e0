// JSON pushes. Nothing public says more of them than that they exist, so this is the JSON mapping of a remote write
// request, with the short forms that people would write by hand (docs/metrics-push.md shows both):
//   {"timeseries": [{"labels": [{"name": "__name__", "value": "up"}] or {"__name__": "up"},
//                    "samples": [{"value": 1, "timestamp": 1700000000000} or [1700000000000, 1]]}],
//    "metadata": [{"type": "GAUGE", "metricFamilyName": "up", "help": "", "unit": ""}]}
//   {"metrics": [{"name": "up", "labels": {"job": "a"}, "value": 1, "timestamp": 1700000000000, "type": "gauge"}]}
import { isObject, type Json, type Values } from '../../../base/json.ts';
import { listAt, numberAt, objectAt, parseBody, textAt, timeAt, wrong } from '../../../core/push/json-values.ts';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import { type Labels, type MetricType, metricTypes } from '../../series.ts';
import { labelsOf, type Pairs } from '../labels.ts';
import type { Sink } from '../sink.ts';
import { noNativeHistograms, typesByNumber } from './version-1.ts';

export function readJson(bytes: Buffer, receivedMs: number, sink: Sink): void {
  const body = parseBody(bytes);
  if (!['timeseries', 'metrics', 'metadata'].some((part) => Object.hasOwn(body, part)))
    throw new UnreadablePush('the body has none of "timeseries", "metrics" and "metadata"');
  for (const [at, each] of listAt(body.timeseries, 'timeseries').entries())
    readSeries(each, `timeseries[${at}]`, receivedMs, sink);
  for (const [at, each] of listAt(body.metrics, 'metrics').entries())
    readMetric(each, `metrics[${at}]`, receivedMs, sink);
  for (const [at, each] of listAt(body.metadata, 'metadata').entries()) readMetadata(each, `metadata[${at}]`, sink);
}

function readSeries(value: Json, path: string, receivedMs: number, sink: Sink): void {
  const series = objectAt(value, path);
  const samples = listAt(series.samples, `${path}.samples`);
  const histograms = listAt(series.histograms, `${path}.histograms`).length;
  if (histograms > 0) sink.reject(histograms, `${path}: ${noNativeHistograms}`);
  const handle = register(pairsAt(series.labels, `${path}.labels`), path, samples.length, sink);
  for (const [at, sample] of samples.entries()) {
    const [timeMs, number] = sampleAt(sample, `${path}.samples[${at}]`, receivedMs);
    if (handle !== undefined) sink.sample(handle, timeMs, number);
  }
}

// A series without samples needs no entry.
function register(pairs: Pairs, path: string, samples: number, sink: Sink): number | undefined {
  if (samples === 0) return undefined;
  const labels: Labels | string = labelsOf(pairs);
  if (typeof labels !== 'string') return sink.register(labels);
  sink.reject(samples, `${path}: ${labels}`);
  return undefined;
}

// Writers of the mapping omit zeros, so a sample without a value is zero.
function sampleAt(value: Json, path: string, receivedMs: number): [timeMs: number, value: number] {
  if (Array.isArray(value)) {
    if (value.length !== 2) wrong(path, 'a time and a value', value);
    return [timeAt(value[0], `${path}[0]`, receivedMs), numberAt(value[1], `${path}[1]`)];
  }
  const sample = objectAt(value, path);
  return [timeAt(sample.timestamp, `${path}.timestamp`, receivedMs), numberAt(sample.value ?? 0, `${path}.value`)];
}

function pairsAt(value: Json | undefined, path: string): Pairs {
  if (isObject(value)) return Object.entries(value).map(([name, each]) => [name, labelAt(each, `${path}.${name}`)]);
  return listAt(value, path).map((each, at) => {
    const pair = objectAt(each, `${path}[${at}]`);
    return [textAt(pair.name, `${path}[${at}].name`), labelAt(pair.value, `${path}[${at}].value`)];
  });
}

const labelAt = (value: Json | undefined, path: string): string =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : textAt(value, path);

function readMetric(value: Json, path: string, receivedMs: number, sink: Sink): void {
  const metric = objectAt(value, path);
  const name = textAt(metric.name, `${path}.name`);
  const labels = metric.labels === undefined ? [] : pairsAt(metric.labels, `${path}.labels`);
  const timeMs = timeAt(metric.timestamp, `${path}.timestamp`, receivedMs);
  const number = numberAt(metric.value, `${path}.value`);
  const handle = register([['__name__', name], ...labels], path, 1, sink);
  if (handle !== undefined) sink.sample(handle, timeMs, number);
  if (metric.type !== undefined || metric.help !== undefined || metric.unit !== undefined)
    describe(name, metric, path, sink);
}

function readMetadata(value: Json, path: string, sink: Sink): void {
  const metadata = objectAt(value, path);
  const name = metadata.metricFamilyName ?? metadata.metric_family_name;
  describe(textAt(name, `${path}.metricFamilyName`), metadata, path, sink);
}

function describe(name: string, said: Values, path: string, sink: Sink): void {
  const type = typeAt(said.type, `${path}.type`);
  const help = textAt(said.help, `${path}.help`);
  const unit = textAt(said.unit, `${path}.unit`);
  if (name !== '') sink.describe({ name, type, help, unit });
}

function typeAt(value: Json | undefined, path: string): MetricType {
  if (value === undefined || value === null) return 'unknown';
  if (typeof value === 'number') return typesByNumber[value] ?? wrong(path, 'a type of metric', value);
  const word = textAt(value, path).toLowerCase();
  if (word === 'untyped') return 'unknown';
  return metricTypes.find((type) => type === word) ?? wrong(path, `one of ${metricTypes.join(', ')}`, value);
}
