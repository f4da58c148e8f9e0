// Remote write 1.0: prometheus.WriteRequest. The bytes of a series' labels are its key, so labels of known series are
// not decoded. Exemplars are ignored; native histograms are counted as rejected.

import { bytesTag, fixedTag, ProtobufReader, varintTag } from '../../../core/push/protobuf/reader.ts';
import { short, textOf } from '../../../core/push/text.ts';
import type { MetricType } from '../../series.ts';
import { labelsOf, mostLabels, type Pairs } from '../labels.ts';
import type { Sink } from '../sink.ts';

const seriesTag = bytesTag(1);
const metadataTag = bytesTag(3);

const labelTag = bytesTag(1);
const sampleTag = bytesTag(2);
const histogramTag = bytesTag(4);

const nameTag = bytesTag(1);
const valueTag = bytesTag(2);

const numberTag = fixedTag(1);
const timeTag = varintTag(2);

export const noNativeHistograms = 'native histograms are not supported: send classic ones';

// Metric types by their numbers, here and in remote write 2.0.
export const typesByNumber: readonly MetricType[] = [
  'unknown',
  'counter',
  'gauge',
  'histogram',
  'gaugehistogram',
  'summary',
  'info',
  'stateset',
];

export function readRemoteWrite(bytes: Buffer, sink: Sink): void {
  const wire = new ProtobufReader(bytes);
  const { length } = bytes;
  while (wire.at < length) {
    const tag = wire.tag(length);
    if (tag === seriesTag) readSeries(wire, wire.until(length), sink);
    else if (tag === metadataTag) readMetadata(wire, wire.until(length), sink);
    else wire.skip(tag, length);
  }
}

function readSeries(wire: ProtobufReader, end: number, sink: Sink): void {
  const { bytes, at: from } = wire;
  const labelsEnd = skipShortLabels(wire, end);
  // Scraped series have one sample and no other fields.
  if (labelsEnd + 1 < end && bytes[labelsEnd] === sampleTag && bytes[labelsEnd + 1] === end - labelsEnd - 2) {
    const series = find(wire, from, end, labelsEnd, 1, sink);
    wire.at = series === undefined ? end : labelsEnd + 2;
    if (series !== undefined) readSample(wire, end, series, sink);
  } else {
    readAnySeries(wire, from, end, sink);
  }
}

// Labels may follow or be mixed with samples, so all fields are scanned before samples are passed on.
function readAnySeries(wire: ProtobufReader, from: number, end: number, sink: Sink): void {
  let labelsEnd = from;
  let scattered = false;
  let samples = 0;
  let histograms = 0;
  while (wire.at < end) {
    const start = wire.at;
    const tag = wire.tag(end);
    wire.skip(tag, end);
    if (tag === sampleTag) samples++;
    else if (tag === histogramTag) histograms++;
    else if (tag === labelTag) {
      if (start !== labelsEnd) scattered = true;
      labelsEnd = wire.at;
    }
  }
  if (histograms > 0) sink.reject(histograms, noNativeHistograms);
  const series = samples === 0 ? undefined : find(wire, from, end, scattered ? -1 : labelsEnd, samples, sink);
  if (series !== undefined) readSamples(wire, from, end, series, sink);
  wire.at = end;
}

// Finds the series of the leading labels, or of labels anywhere in the message. Undefined: its samples are rejected.
function find(
  wire: ProtobufReader,
  from: number,
  end: number,
  labelsEnd: number,
  samples: number,
  sink: Sink,
): number | undefined {
  const known = labelsEnd < 0 ? -1 : sink.known(wire.bytes, from, labelsEnd);
  if (known >= 0) return known;
  const pairs = readLabels(wire, from, end);
  const labels = typeof pairs === 'string' ? pairs : labelsOf(pairs);
  if (typeof labels !== 'string')
    return labelsEnd < 0 ? sink.register(labels) : sink.register(labels, wire.bytes, from, labelsEnd);
  sink.reject(samples, labels);
  return undefined;
}

// Skips leading labels with one-byte lengths, which nearly all have. Limits are not checked here: any anomaly is read
// again by the loop that reports errors.
function skipShortLabels({ bytes, at: from }: ProtobufReader, end: number): number {
  let at = from;
  while (at + 1 < end && bytes[at] === labelTag) {
    const length = bytes[at + 1] as number;
    if (length >= 0x80) break;
    at += 2 + length;
  }
  return at;
}

// For both versions. The cursor is at the end of the series afterwards.
export function readSamples(wire: ProtobufReader, from: number, end: number, series: number, sink: Sink): void {
  wire.at = from;
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === sampleTag) readSample(wire, wire.until(end), series, sink);
    else wire.skip(tag, end);
  }
}

function readSample(wire: ProtobufReader, end: number, series: number, sink: Sink): void {
  let value = 0;
  let timeMs = 0;
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === numberTag) value = wire.double(end);
    else if (tag === timeTag) timeMs = wire.varint(end);
    else wire.skip(tag, end);
  }
  sink.sample(series, timeMs, value);
}

function readLabels(wire: ProtobufReader, from: number, end: number): Pairs | string {
  const pairs: Pairs = [];
  wire.at = from;
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag !== labelTag) {
      wire.skip(tag, end);
      continue;
    }
    const pair = readLabel(wire, wire.until(end));
    if (typeof pair === 'string') return pair;
    if (pairs.push(pair) > mostLabels) break;
  }
  return pairs;
}

function readLabel(wire: ProtobufReader, end: number): Pairs[number] | string {
  let name: string | undefined = '';
  let value: string | undefined = '';
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === nameTag) name = readText(wire, end);
    else if (tag === valueTag) value = readText(wire, end);
    else wire.skip(tag, end);
  }
  if (name === undefined) return 'a label name is not valid UTF-8';
  if (value === undefined) return `the value of the label ${short(name)} is not valid UTF-8`;
  return [name, value];
}

function readText(wire: ProtobufReader, end: number): string | undefined {
  const until = wire.until(end);
  const text = textOf(wire.bytes, wire.at, until);
  wire.at = until;
  return text;
}

function readMetadata(wire: ProtobufReader, end: number, sink: Sink): void {
  let type = 0;
  let name: string | undefined;
  let help: string | undefined;
  let unit: string | undefined;
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === varintTag(1)) type = wire.varint(end);
    else if (tag === bytesTag(2)) name = readText(wire, end);
    else if (tag === bytesTag(4)) help = readText(wire, end);
    else if (tag === bytesTag(5)) unit = readText(wire, end);
    else wire.skip(tag, end);
  }
  if (name) sink.describe({ name, type: typesByNumber[type] ?? 'unknown', help: help ?? '', unit: unit ?? '' });
}
