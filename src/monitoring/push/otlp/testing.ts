// For tests: an OTLP request in JSON, as defined by OpenTelemetry, and the same in protobuf.
import { isObject, type Json, type Values } from '../../../base/json.ts';
import { ProtobufWriter } from '../../../core/push/protobuf/writer.ts';

const list = (value: Json | undefined): Values[] => (value ?? []) as Values[];

export function protobufOf(request: Values): Buffer {
  const out = new ProtobufWriter();
  for (const resource of list(request.resourceMetrics)) out.message(1, () => writeResource(out, resource));
  return Buffer.from(out.written);
}

function writeResource(out: ProtobufWriter, { resource, scopeMetrics }: Values): void {
  if (isObject(resource)) out.message(1, () => writeAttributes(out, 1, resource.attributes));
  for (const scope of list(scopeMetrics)) {
    out.message(2, () => {
      out.message(1, () => out.text(1, 'a scope'));
      for (const metric of list(scope.metrics)) out.message(2, () => writeMetric(out, metric));
    });
  }
}

const kinds = { gauge: 5, sum: 7, histogram: 9, exponentialHistogram: 10, summary: 11 };

function writeMetric(out: ProtobufWriter, metric: Values): void {
  out.text(1, String(metric.name ?? ''));
  out.text(2, String(metric.description ?? ''));
  out.text(3, String(metric.unit ?? ''));
  for (const [kind, field] of Object.entries(kinds)) {
    const data = metric[kind];
    if (!isObject(data)) continue;
    out.message(field, () => {
      for (const point of list(data.dataPoints)) out.message(1, () => writePoint(out, kind, point));
      if (data.aggregationTemporality !== undefined) out.int64(2, Number(data.aggregationTemporality));
      if (data.isMonotonic) out.int64(3, 1);
    });
  }
}

function writePoint(out: ProtobufWriter, kind: string, point: Values): void {
  const buckets = kind === 'histogram';
  out.fixed64(2, 1n);
  if (point.timeUnixNano !== undefined) out.fixed64(3, BigInt(String(point.timeUnixNano)));
  if (point.asDouble !== undefined) out.double(4, Number(point.asDouble));
  if (point.asInt !== undefined) out.fixed64(6, BigInt(String(point.asInt)));
  if (point.count !== undefined) out.fixed64(4, BigInt(String(point.count)));
  if (point.sum !== undefined) out.double(5, Number(point.sum));
  if (point.bucketCounts !== undefined) out.bytes(6, packed(point.bucketCounts, 'count'));
  if (point.explicitBounds !== undefined) out.bytes(7, packed(point.explicitBounds, 'bound'));
  for (const { quantile, value } of list(point.quantileValues)) {
    out.message(6, () => {
      out.double(1, Number(quantile));
      out.double(2, Number(value));
    });
  }
  writeAttributes(out, buckets ? 9 : 7, point.attributes);
  if (point.flags !== undefined) out.int64(buckets ? 10 : 8, Number(point.flags));
}

function packed(values: Json, what: 'count' | 'bound'): Buffer {
  const numbers = values as Json[];
  const bytes = Buffer.alloc(numbers.length * 8);
  for (const [at, number] of numbers.entries()) {
    if (what === 'count') bytes.writeBigUInt64LE(BigInt(String(number)), at * 8);
    else bytes.writeDoubleLE(Number(number), at * 8);
  }
  return bytes;
}

function writeAttributes(out: ProtobufWriter, field: number, attributes: Json | undefined): void {
  for (const { key, value } of list(attributes)) {
    out.message(field, () => {
      out.text(1, String(key));
      out.message(2, () => writeValue(out, value as Values));
    });
  }
}

function writeValue(out: ProtobufWriter, value: Values): void {
  if (value.stringValue !== undefined) out.text(1, String(value.stringValue));
  if (value.boolValue !== undefined) out.int64(2, value.boolValue ? 1 : 0);
  if (value.intValue !== undefined) out.int64(3, Number(value.intValue));
  if (value.doubleValue !== undefined) out.double(4, Number(value.doubleValue));
  const { arrayValue, kvlistValue } = value;
  if (isObject(arrayValue))
    out.message(5, () => {
      for (const each of list(arrayValue.values)) out.message(1, () => writeValue(out, each));
    });
  if (isObject(kvlistValue)) out.message(6, () => writeAttributes(out, 1, kvlistValue.values));
  if (value.bytesValue !== undefined) out.bytes(7, Buffer.from(String(value.bytesValue), 'base64'));
}
