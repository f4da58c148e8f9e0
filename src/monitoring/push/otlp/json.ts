// Reads OTLP metrics in JSON: the mapping that OpenTelemetry defines, with names in camelCase, 64-bit integers as texts
// and enumerations as numbers.
import { isObject, type Json, type Values } from '../../../base/json.ts';
import { listAt, numberAt, objectAt, parseBody, textAt, wrong } from '../../../core/push/json-values.ts';
import { attributesAt, objects } from '../../../core/push/otlp/attributes-json.ts';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import type { Sink } from '../sink.ts';
import { cumulative, delta, type Kind, type Point, Translation } from './translation.ts';

const kinds: [key: string, kind: Kind][] = [
  ['gauge', 'gauge'],
  ['sum', 'sum'],
  ['histogram', 'histogram'],
  ['exponentialHistogram', 'exponential histogram'],
  ['summary', 'summary'],
];

const mostBuckets = 2048;

export function readOtlpJson(bytes: Buffer, receivedMs: number, sink: Sink, mostLabelBytes: number): void {
  const body = parseBody(bytes);
  const translation = new Translation(sink, receivedMs, mostLabelBytes);
  for (const [resource, path] of objects(body.resourceMetrics, 'resourceMetrics')) {
    const resourceObject = resource.resource === undefined ? {} : objectAt(resource.resource, `${path}.resource`);
    translation.resource(attributesAt(resourceObject.attributes, `${path}.resource.attributes`));
    for (const [scope, scopePath] of objects(resource.scopeMetrics, `${path}.scopeMetrics`)) {
      for (const [metric, metricPath] of objects(scope.metrics, `${scopePath}.metrics`))
        readMetric(metric, metricPath, translation);
    }
    translation.endOfResource();
  }
}

function readMetric(metric: Values, path: string, translation: Translation): void {
  const found = kinds.find(([key]) => isObject(metric[key]));
  if (!found) return;
  const [key, kind] = found;
  const data = metric[key] as Values;
  const points = listAt(data.dataPoints, `${path}.${key}.dataPoints`);
  const wanted = translation.metric(
    {
      name: textAt(metric.name, `${path}.name`),
      unit: textAt(metric.unit, `${path}.unit`),
      help: textAt(metric.description, `${path}.description`),
      kind,
      temporality: temporalityAt(data.aggregationTemporality),
      monotonic: data.isMonotonic === true,
    },
    points.length,
  );
  if (!wanted) return;
  for (const [point, pointPath] of objects(points, `${path}.${key}.dataPoints`))
    readers[kind](point, pointPath, translation);
}

type PointReader = (point: Values, path: string, translation: Translation) => void;

const readers: Record<Kind, PointReader> = {
  gauge: readNumber,
  sum: readNumber,
  histogram: readHistogram,
  'exponential histogram': () => {},
  summary: readSummary,
};

function readNumber(point: Values, path: string, translation: Translation): void {
  const key = point.asInt === undefined ? 'asDouble' : 'asInt';
  const value = point[key] === undefined ? undefined : numberAt(point[key], `${path}.${key}`);
  translation.number({ ...pointAt(point, path), value });
}

function readHistogram(point: Values, path: string, translation: Translation): void {
  translation.histogram({
    ...pointAt(point, path),
    count: numberAt(point.count ?? 0, `${path}.count`),
    sum: point.sum === undefined ? undefined : numberAt(point.sum, `${path}.sum`),
    counts: numbersAt(point.bucketCounts, `${path}.bucketCounts`),
    bounds: numbersAt(point.explicitBounds, `${path}.explicitBounds`),
  });
}

function readSummary(point: Values, path: string, translation: Translation): void {
  const quantiles = [...objects(point.quantileValues, `${path}.quantileValues`)];
  if (quantiles.length > mostBuckets) throw new UnreadablePush(`${path}: more than ${mostBuckets} quantiles`);
  translation.summary({
    ...pointAt(point, path),
    count: numberAt(point.count ?? 0, `${path}.count`),
    sum: numberAt(point.sum ?? 0, `${path}.sum`),
    quantiles: quantiles.map(([{ quantile, value }, at]) => [
      numberAt(quantile ?? 0, `${at}.quantile`),
      numberAt(value ?? 0, `${at}.value`),
    ]),
  });
}

function pointAt(point: Values, path: string): Point {
  return {
    attributes: attributesAt(point.attributes, `${path}.attributes`),
    timeMs: nanosecondsAsMs(point.timeUnixNano, `${path}.timeUnixNano`),
    absent: numberAt(point.flags ?? 0, `${path}.flags`) % 2 === 1,
  };
}

function numbersAt(value: Json | undefined, path: string): number[] {
  const list = listAt(value, path);
  if (list.length > mostBuckets) throw new UnreadablePush(`${path}: more than ${mostBuckets} buckets`);
  return list.map((each, at) => numberAt(each, `${path}[${at}]`));
}

// A text keeps the digits that a number would lose.
function nanosecondsAsMs(value: Json | undefined, path: string): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return Number(value.slice(0, -6));
  if (typeof value === 'number' && value >= 0 && value < 2 ** 64) return Math.floor(value / 1_000_000);
  return wrong(path, 'nanoseconds', value);
}

function temporalityAt(value: Json | undefined): number {
  if (value === 'AGGREGATION_TEMPORALITY_CUMULATIVE') return cumulative;
  if (value === 'AGGREGATION_TEMPORALITY_DELTA') return delta;
  return typeof value === 'number' ? value : 0;
}
