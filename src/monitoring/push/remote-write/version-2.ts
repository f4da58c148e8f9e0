// Remote write 2.0: io.prometheus.write.v2.Request. Strings are in a table that series refer to; the label bytes of
// remote write 1.0 are built from them, so that both versions find known series by the same key. A few bytes can refer
// to a long string many times, so the expanded size is bounded.

import { bytesTag, ProtobufReader, varintTag } from '../../../core/push/protobuf/reader.ts';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import { short, textOf } from '../../../core/push/text.ts';
import type { MetricType } from '../../series.ts';
import { labelsOf, mostLabels, type Pairs } from '../labels.ts';
import type { Sink } from '../sink.ts';
import { noNativeHistograms, readSamples, typesByNumber } from './version-1.ts';

const symbolTag = bytesTag(4);
const seriesTag = bytesTag(5);

const packedRefsTag = bytesTag(1);
const refTag = varintTag(1);
const sampleTag = bytesTag(2);
const histogramTag = bytesTag(3);
const metadataTag = bytesTag(5);

const mostBlockBytes = 0x10000;
const block = Buffer.allocUnsafe(mostBlockBytes);
const refs = new Int32Array(mostLabels * 2); // -1: not a valid reference

export function readRemoteWrite2(bytes: Buffer, sink: Sink, mostLabelBytes: number): void {
  const symbols = new Symbols(bytes);
  const reading: Reading = { wire: new ProtobufReader(bytes), symbols, sink, left: mostLabelBytes };
  const { wire } = reading;
  while (wire.at < bytes.length) {
    const tag = wire.tag(bytes.length);
    if (tag === seriesTag) readSeries(reading, wire.until(bytes.length));
    else wire.skip(tag, bytes.length);
  }
}

interface Reading {
  wire: ProtobufReader;
  symbols: Symbols;
  sink: Sink;
  left: number; // label bytes that may still be expanded
}

function readSeries(reading: Reading, end: number): void {
  const { wire, sink } = reading;
  const from = wire.at;
  let count = 0;
  let samples = 0;
  let histograms = 0;
  let metadata = -1;
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === packedRefsTag) {
      const until = wire.until(end);
      while (wire.at < until) count = keepRef(count, wire.varint(until));
      continue;
    }
    if (tag === refTag) {
      count = keepRef(count, wire.varint(end));
      continue;
    }
    if (tag === sampleTag) samples++;
    else if (tag === histogramTag) histograms++;
    else if (tag === metadataTag) metadata = wire.at;
    wire.skip(tag, end);
  }
  if (histograms > 0) sink.reject(histograms, noNativeHistograms);
  if (metadata >= 0) readMetadata(reading, count, metadata, end);
  if (samples > 0) {
    const series = find(reading, count);
    if (typeof series === 'string') sink.reject(samples, series);
    else readSamples(wire, from, end, series, sink);
  }
  wire.at = end;
}

// One more than the maximum means "too many".
function keepRef(count: number, ref: number): number {
  if (count < refs.length) refs[count] = ref >= 0 && ref <= 0x7fffffff ? ref : -1;
  return Math.min(count + 1, refs.length + 1);
}

// Returns the series of the references, or the reason why it is refused.
function find(reading: Reading, count: number): number | string {
  const { symbols, sink } = reading;
  if (count > refs.length) return `a series has more than ${mostLabels} labels`;
  if (count % 2 !== 0) return 'a label of a series has a name but no value';
  for (let at = 0; at < count; at++) {
    const ref = refs[at] as number;
    if (!symbols.has(ref)) return `a label refers to the text ${ref} of ${symbols.count}`;
  }
  const length = symbols.writeBlock(count);
  if (length < 0) return `the labels of a series take more than ${mostBlockBytes} bytes`;
  reading.left -= length;
  if (reading.left < 0) throw new UnreadablePush('the labels of all series together are too large', true);
  const known = sink.known(block, 0, length);
  if (known >= 0) return known;
  const pairs = symbols.pairs(count);
  const labels = typeof pairs === 'string' ? pairs : labelsOf(pairs);
  return typeof labels === 'string' ? labels : sink.register(labels, block, 0, length);
}

// Every series repeats the metadata: that of the first series of a name is used.
function readMetadata({ wire, symbols, sink }: Reading, count: number, from: number, end: number): void {
  const name = symbols.nameToDescribe(count);
  if (!name) return;
  let type = 0;
  let help = 0;
  let unit = 0;
  wire.at = from;
  const until = wire.until(end);
  while (wire.at < until) {
    const tag = wire.tag(until);
    if (tag === varintTag(1)) type = wire.varint(until);
    else if (tag === varintTag(3)) help = wire.varint(until);
    else if (tag === varintTag(4)) unit = wire.varint(until);
    else wire.skip(tag, until);
  }
  if (type === 0 && help === 0 && unit === 0) return;
  const described = typesByNumber[type] ?? 'unknown';
  const text = (ref: number): string => (symbols.has(ref) ? symbols.text(ref) : undefined) ?? '';
  sink.describe({ name: familyOf(name, described), type: described, help: text(help), unit: text(unit) });
}

const parts: Partial<Record<MetricType, RegExp>> = {
  histogram: /_(?:bucket|sum|count)$/,
  gaugehistogram: /_(?:bucket|gsum|gcount)$/,
  summary: /_(?:sum|count)$/,
};

function familyOf(name: string, type: MetricType): string {
  const part = parts[type];
  return part ? name.replace(part, '') : name;
}

class Symbols {
  readonly count: number;
  readonly #bytes: Buffer;
  readonly #from: Uint32Array;
  readonly #to: Uint32Array;
  readonly #texts: (string | undefined)[] = [];
  readonly #described: Uint8Array;

  constructor(bytes: Buffer) {
    let count = 0;
    eachSymbol(bytes, () => count++);
    this.#bytes = bytes;
    this.count = count;
    this.#from = new Uint32Array(count);
    this.#to = new Uint32Array(count);
    this.#described = new Uint8Array(count);
    let at = 0;
    eachSymbol(bytes, (from, to) => {
      this.#from[at] = from;
      this.#to[at++] = to;
    });
  }

  has(ref: number): boolean {
    return ref >= 0 && ref < this.count;
  }

  text(ref: number): string | undefined {
    const known = this.#texts[ref];
    if (known !== undefined) return known;
    const text = textOf(this.#bytes, this.#from[ref] as number, this.#to[ref] as number);
    if (text !== undefined) this.#texts[ref] = text;
    return text;
  }

  pairs(count: number): Pairs | string {
    const pairs: Pairs = [];
    for (let at = 0; at < count; at += 2) {
      const name = this.text(refs[at] as number);
      const value = this.text(refs[at + 1] as number);
      if (name === undefined) return 'a label name is not valid UTF-8';
      if (value === undefined) return `the value of the label ${short(name)} is not valid UTF-8`;
      pairs.push([name, value]);
    }
    return pairs;
  }

  // Returns the metric's name among the references once, and then undefined.
  nameToDescribe(count: number): string | undefined {
    for (let at = 0; at + 1 < count && at + 1 < refs.length; at += 2) {
      const name = refs[at] as number;
      const value = refs[at + 1] as number;
      if (!this.has(name) || !this.has(value) || this.text(name) !== '__name__') continue;
      if (this.#described[value] === 1) return undefined;
      this.#described[value] = 1;
      return this.text(value);
    }
    return undefined;
  }

  // Writes the labels as fields of a series of remote write 1.0; returns -1 if they are too long.
  writeBlock(count: number): number {
    let to = 0;
    for (let at = 0; at < count; at += 2) {
      const name = refs[at] as number;
      const value = refs[at + 1] as number;
      const nameLength = (this.#to[name] as number) - (this.#from[name] as number);
      const valueLength = (this.#to[value] as number) - (this.#from[value] as number);
      if (to + nameLength + valueLength + 16 > mostBlockBytes) return -1;
      block[to++] = bytesTag(1);
      to = writeLength(to, 2 + nameLength + valueLength + lengthBytes(nameLength) + lengthBytes(valueLength));
      to = this.#write(to, bytesTag(1), name, nameLength);
      to = this.#write(to, bytesTag(2), value, valueLength);
    }
    return to;
  }

  #write(from: number, tag: number, ref: number, length: number): number {
    block[from] = tag;
    let to = writeLength(from + 1, length);
    let at = this.#from[ref] as number;
    for (const end = at + length; at < end; at++) block[to++] = this.#bytes[at] as number;
    return to;
  }
}

const lengthBytes = (length: number): number => (length < 0x80 ? 1 : length < 0x4000 ? 2 : 3);

function writeLength(from: number, length: number): number {
  let to = from;
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) block[to++] = (rest & 0x7f) | 0x80;
  block[to++] = rest;
  return to;
}

function eachSymbol(bytes: Buffer, visit: (from: number, to: number) => void): void {
  const wire = new ProtobufReader(bytes);
  while (wire.at < bytes.length) {
    const tag = wire.tag(bytes.length);
    if (tag !== symbolTag) {
      wire.skip(tag, bytes.length);
      continue;
    }
    const to = wire.until(bytes.length);
    visit(wire.at, to);
    wire.at = to;
  }
}
