// OTLP metrics in JSON: the mapping that OpenTelemetry fixes, with names in camelCase, integers of 64 bits as texts
// and enumerations as numbers.
import { isObject, type Json, type Values } from '../../../base/json.ts';
import { listAt, numberAt, objectAt, parseBody, textAt, wrong } from '../json-values.ts';
import { mostLabels } from '../labels.ts';
import { type Sink, UnreadablePush } from '../sink.ts';
import { type Attributes, cumulative, delta, type Kind, type Point, Translation } from './translation.ts';

const kinds: [key: string, kind: Kind][] = [
  ['gauge', 'gauge'],
  ['sum', 'sum'],
  ['histogram', 'histogram'],
  ['exponentialHistogram', 'exponential histogram'],
  ['summary', 'summary'],
];

const deepest = 16;
const mostBuckets = 2048;

export function readOtlpJson(bytes: Buffer, receivedMs: number, sink: Sink, mostLabelBytes: number): void {
  const body = parseBody(bytes);
  const translation = new Translation(sink, receivedMs, mostLabelBytes);
  for (const [resource, path] of objects(body.resourceMetrics, 'resourceMetrics')) {
    const told = resource.resource === undefined ? {} : objectAt(resource.resource, `${path}.resource`);
    translation.resource(attributesAt(told.attributes, `${path}.resource.attributes`));
    for (const [scope, scopePath] of objects(resource.scopeMetrics, `${path}.scopeMetrics`)) {
      for (const [metric, metricPath] of objects(scope.metrics, `${scopePath}.metrics`))
        readMetric(metric, metricPath, translation);
    }
    translation.endOfResource();
  }
}

function* objects(value: Json | undefined, path: string): Generator<[Values, string]> {
  const list = listAt(value, path);
  for (let at = 0; at < list.length; at++) yield [objectAt(list[at], `${path}[${at}]`), `${path}[${at}]`];
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

// As a text they keep the digits that a number would lose.
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

function attributesAt(value: Json | undefined, path: string): Attributes {
  const attributes: Attributes = [];
  for (const [attribute, at] of objects(value, path)) {
    if (attributes.length > mostLabels) break;
    attributes.push([textAt(attribute.key, `${at}.key`), valueAt(attribute.value, `${at}.value`, 0)]);
  }
  return attributes;
}

function valueAt(value: Json | undefined, path: string, depth: number): Json {
  if (depth > deepest) throw new UnreadablePush(`${path}: nested deeper than ${deepest} levels`);
  if (value === undefined || value === null) return '';
  const told = objectAt(value, path);
  if (told.stringValue !== undefined) return textAt(told.stringValue, `${path}.stringValue`);
  if (told.bytesValue !== undefined) return textAt(told.bytesValue, `${path}.bytesValue`);
  if (told.boolValue !== undefined) return told.boolValue === true;
  if (told.intValue !== undefined) return integerAt(told.intValue, `${path}.intValue`);
  if (told.doubleValue !== undefined) return numberAt(told.doubleValue, `${path}.doubleValue`);
  if (isObject(told.arrayValue)) return listOf(told.arrayValue, `${path}.arrayValue.values`, depth + 1);
  if (isObject(told.kvlistValue)) return mapOf(told.kvlistValue, `${path}.kvlistValue.values`, depth + 1);
  return '';
}

function integerAt(value: Json, path: string): Json {
  const number = numberAt(value, path);
  return Number.isSafeInteger(number) ? number : String(value);
}

const listOf = ({ values }: Values, path: string, depth: number): Json[] =>
  listAt(values, path)
    .slice(0, mostLabels)
    .map((value, at) => valueAt(value, `${path}[${at}]`, depth));

function mapOf({ values }: Values, path: string, depth: number): Json {
  const entries: [string, Json][] = [];
  for (const [{ key, value }, at] of objects(values, path)) {
    if (entries.length >= mostLabels) break;
    entries.push([textAt(key, `${at}.key`), valueAt(value, `${at}.value`, depth)]);
  }
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
