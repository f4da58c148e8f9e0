// Reads OTLP metrics in protobuf: opentelemetry ExportMetricsServiceRequest. Fields that affect the points of a message
// may follow them, so each message is read twice; only one point at a time is in memory.
import { type Attributes, eachMessage, keepAttribute, readText } from '../../../core/push/otlp/attributes.ts';
import { bytesTag, fixedTag, ProtobufReader, varintTag } from '../../../core/push/protobuf/reader.ts';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import type { Sink } from '../sink.ts';
import { type Kind, type Metric, Translation } from './translation.ts';

const kinds: Record<number, Kind> = {
  [bytesTag(5)]: 'gauge',
  [bytesTag(7)]: 'sum',
  [bytesTag(9)]: 'histogram',
  [bytesTag(10)]: 'exponential histogram',
  [bytesTag(11)]: 'summary',
};

const mostBuckets = 2048;
const pointTag = bytesTag(1);

export function readOtlp(bytes: Buffer, receivedMs: number, sink: Sink, mostLabelBytes: number): void {
  const wire = new ProtobufReader(bytes);
  const translation = new Translation(sink, receivedMs, mostLabelBytes);
  eachMessage(wire, bytes.length, bytesTag(1), (end) => readResource(wire, end, translation));
}

function readResource(wire: ProtobufReader, end: number, translation: Translation): void {
  const from = wire.at;
  const attributes: Attributes = [];
  eachMessage(wire, end, bytesTag(1), (until) => {
    eachMessage(wire, until, bytesTag(1), (last) => keepAttribute(wire, last, attributes));
  });
  translation.resource(attributes);
  wire.at = from;
  eachMessage(wire, end, bytesTag(2), (until) => {
    eachMessage(wire, until, bytesTag(2), (last) => readMetric(wire, last, translation));
  });
  translation.endOfResource();
}

function readMetric(wire: ProtobufReader, end: number, translation: Translation): void {
  const metric: Metric = { name: '', unit: '', help: '', kind: 'gauge', temporality: 0, monotonic: false };
  let data = -1;
  while (wire.at < end) {
    const tag = wire.tag(end);
    const kind = kinds[tag];
    if (kind) {
      metric.kind = kind;
      data = wire.at;
      wire.skip(tag, end);
    } else if (tag === bytesTag(1)) metric.name = readText(wire, end);
    else if (tag === bytesTag(2)) metric.help = readText(wire, end);
    else if (tag === bytesTag(3)) metric.unit = readText(wire, end);
    else wire.skip(tag, end);
  }
  if (data < 0) return;
  wire.at = data;
  const until = wire.until(end);
  const from = wire.at;
  if (translation.metric(metric, readAggregation(wire, until, metric))) {
    wire.at = from;
    eachMessage(wire, until, pointTag, (last) => readers[metric.kind](wire, last, translation));
  }
  wire.at = end;
}

// Reads the other fields, and counts the points.
function readAggregation(wire: ProtobufReader, end: number, metric: Metric): number {
  let points = 0;
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === varintTag(2)) metric.temporality = wire.varint(end);
    else if (tag === varintTag(3)) metric.monotonic = wire.varint(end) !== 0;
    else {
      if (tag === pointTag) points++;
      wire.skip(tag, end);
    }
  }
  return points;
}

type PointReader = (wire: ProtobufReader, end: number, translation: Translation) => void;

const readers: Record<Kind, PointReader> = {
  gauge: readNumber,
  sum: readNumber,
  histogram: readHistogram,
  'exponential histogram': () => {},
  summary: readSummary,
};

function readNumber(wire: ProtobufReader, end: number, translation: Translation): void {
  const attributes: Attributes = [];
  let timeMs = 0;
  let flags = 0;
  let value: number | undefined;
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === fixedTag(3)) timeMs = wire.nanosecondsAsMs(end);
    else if (tag === fixedTag(4)) value = wire.double(end);
    else if (tag === fixedTag(6)) value = wire.signed64(end);
    else if (tag === bytesTag(7)) keepAttribute(wire, wire.until(end), attributes);
    else if (tag === varintTag(8)) flags = wire.varint(end);
    else wire.skip(tag, end);
  }
  translation.number({ attributes, timeMs, value, absent: isAbsent(flags) });
}

function readHistogram(wire: ProtobufReader, end: number, translation: Translation): void {
  const attributes: Attributes = [];
  const counts: number[] = [];
  const bounds: number[] = [];
  let timeMs = 0;
  let flags = 0;
  let count = 0;
  let sum: number | undefined;
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === fixedTag(3)) timeMs = wire.nanosecondsAsMs(end);
    else if (tag === fixedTag(4)) count = wire.unsigned64(end);
    else if (tag === fixedTag(5)) sum = wire.double(end);
    else if (tag === fixedTag(6) || tag === bytesTag(6)) readFixed(wire, tag, end, counts, 'count');
    else if (tag === fixedTag(7) || tag === bytesTag(7)) readFixed(wire, tag, end, bounds, 'bound');
    else if (tag === bytesTag(9)) keepAttribute(wire, wire.until(end), attributes);
    else if (tag === varintTag(10)) flags = wire.varint(end);
    else wire.skip(tag, end);
  }
  translation.histogram({ attributes, timeMs, count, sum, counts, bounds, absent: isAbsent(flags) });
}

// Packed or one by one: both are valid.
function readFixed(wire: ProtobufReader, tag: number, end: number, into: number[], what: 'count' | 'bound'): void {
  const until = (tag & 7) === 1 ? wire.at + 8 : wire.until(end);
  if (until > end) throw wire.unreadable('is cut off');
  while (wire.at < until) {
    if (into.push(what === 'count' ? wire.unsigned64(until) : wire.double(until)) > mostBuckets)
      throw new UnreadablePush(`a histogram has more than ${mostBuckets} buckets`);
  }
}

function readSummary(wire: ProtobufReader, end: number, translation: Translation): void {
  const attributes: Attributes = [];
  const quantiles: [number, number][] = [];
  let timeMs = 0;
  let flags = 0;
  let count = 0;
  let sum = 0;
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === fixedTag(3)) timeMs = wire.nanosecondsAsMs(end);
    else if (tag === fixedTag(4)) count = wire.unsigned64(end);
    else if (tag === fixedTag(5)) sum = wire.double(end);
    else if (tag === bytesTag(6)) {
      if (quantiles.push(readQuantile(wire, wire.until(end))) > mostBuckets)
        throw new UnreadablePush(`a summary has more than ${mostBuckets} quantiles`);
    } else if (tag === bytesTag(7)) keepAttribute(wire, wire.until(end), attributes);
    else if (tag === varintTag(8)) flags = wire.varint(end);
    else wire.skip(tag, end);
  }
  translation.summary({ attributes, timeMs, count, sum, quantiles, absent: isAbsent(flags) });
}

function readQuantile(wire: ProtobufReader, end: number): [number, number] {
  let quantile = 0;
  let value = 0;
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === fixedTag(1)) quantile = wire.double(end);
    else if (tag === fixedTag(2)) value = wire.double(end);
    else wire.skip(tag, end);
  }
  return [quantile, value];
}

const isAbsent = (flags: number): boolean => Math.abs(flags) % 2 === 1;
