// A job as bytes, for the transfer between threads and for the write-ahead log. Lines are UTF-8, each followed by a
// byte that never occurs in UTF-8, so that no match spans two lines.
import { Fault } from '../../base/fault.ts';
import type { AppendJob, Labels, StreamLines } from './engine.ts';
import { labelsKey, labelsOfKey } from './labels.ts';

export const separator = 0xff;
export const mostLineBytes = 256 * 1024;

// Concatenated texts; the text at an index ends at its separator.
export interface TextColumn {
  ends: Uint32Array;
  bytes: Buffer;
}

export interface LineColumns {
  count: number;
  times: BigInt64Array;
  lines: TextColumn;
  metadata?: TextColumn; // of each line: its labels as JSON, or nothing
}

export interface PackedJob {
  tenant: string;
  chunk?: string;
  streams: { key: string; columns: LineColumns }[];
}

type StreamHead = [key: string, count: number, lineBytes: number, metadataBytes: number];
interface JobHead {
  tenant: string;
  chunk?: string;
  streams: StreamHead[];
}

export function packJob({ tenant, chunk, streams }: AppendJob): Uint8Array<ArrayBuffer> {
  const texts = streams.map(textsOf);
  const head: JobHead = { tenant, ...(chunk !== undefined && { chunk }), streams: [] };
  let size = 0;
  for (const [at, { labels, lines }] of streams.entries()) {
    const [lineBytes, metadataBytes] = (texts[at] as Texts[]).map(({ bytes }) => bytes) as [number, number];
    head.streams.push([labelsKey(labels), lines.length, lineBytes, metadataBytes]);
    size += sizesOf(lines.length, lineBytes, metadataBytes).reduce((sum, one) => sum + aligned(one), 0);
  }
  const headText = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.from(new ArrayBuffer(aligned(4 + headText.length) + size));
  bytes.writeUInt32LE(headText.length, 0);
  headText.copy(bytes, 4);
  let at = aligned(4 + headText.length);
  for (const [index, { times, lines }] of streams.entries()) {
    const [, , lineBytes, metadataBytes] = head.streams[index] as StreamHead;
    const columns = columnsAt(bytes, at, lines.length, lineBytes, metadataBytes);
    columns.times.set(times);
    const [ofLines, ofMetadata] = texts[index] as [Texts, Texts];
    writeTexts(columns.lines, ofLines.texts);
    if (columns.metadata) writeTexts(columns.metadata, ofMetadata.texts);
    at += sizesOf(lines.length, lineBytes, metadataBytes).reduce((sum, one) => sum + aligned(one), 0);
  }
  return bytes as Uint8Array<ArrayBuffer>;
}

// The bytes must begin at a multiple of 8 of their buffer; the columns are views of it.
export function unpackJob(packed: Uint8Array): PackedJob {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const headLength = bytes.readUInt32LE(0);
  const { streams, ...head } = JSON.parse(bytes.toString('utf8', 4, 4 + headLength)) as JobHead;
  let at = aligned(4 + headLength);
  return {
    ...head,
    streams: streams.map(([key, count, lineBytes, metadataBytes]) => {
      const columns = columnsAt(bytes, at, count, lineBytes, metadataBytes);
      at += sizesOf(count, lineBytes, metadataBytes).reduce((sum, one) => sum + aligned(one), 0);
      return { key, columns };
    }),
  };
}

// Returns the job in its original form.
export function jobOf({ tenant, chunk, streams }: PackedJob): AppendJob {
  return {
    tenant,
    ...(chunk !== undefined && { chunk }),
    streams: streams.map(({ key, columns: { times, lines, metadata } }) => ({
      labels: labelsOfKey(key),
      times,
      lines: textsIn(lines),
      ...(metadata && {
        metadata: textsIn(metadata).map((text) => (text ? (JSON.parse(text) as Labels) : undefined)),
      }),
    })),
  };
}

const textsIn = ({ ends, bytes }: TextColumn): string[] =>
  Array.from(ends, (end, at) => bytes.toString('utf8', at === 0 ? 0 : (ends[at - 1] as number) + 1, end));

export const metadataText = (labels: Labels | undefined): string =>
  labels && Object.keys(labels).length > 0 ? JSON.stringify(labels) : '';

interface Texts {
  texts: readonly string[];
  bytes: number; // with separators
}

function textsOf({ lines, metadata }: StreamLines): Texts[] {
  let lineBytes = lines.length;
  for (const line of lines) {
    const length = Buffer.byteLength(line);
    if (length > mostLineBytes)
      throw new Fault('refused', `A line has ${length} bytes; at most ${mostLineBytes} are allowed.`);
    lineBytes += length;
  }
  const texts = metadata?.some((one) => one) ? lines.map((_, at) => metadataText(metadata[at])) : [];
  const metadataBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), texts.length);
  return [
    { texts: lines, bytes: lineBytes },
    { texts, bytes: metadataBytes },
  ];
}

const aligned = (size: number): number => (size + 7) & ~7;

const sizesOf = (count: number, lineBytes: number, metadataBytes: number): number[] => [
  8 * count,
  4 * count,
  lineBytes,
  ...(metadataBytes > 0 ? [4 * count, metadataBytes] : []),
];

function columnsAt(bytes: Buffer, at: number, count: number, lineBytes: number, metadataBytes: number): LineColumns {
  let next = bytes.byteOffset + at;
  const take = (size: number): number => {
    const here = next;
    next += aligned(size);
    return here;
  };
  const times = new BigInt64Array(bytes.buffer, take(8 * count), count);
  const text = (size: number): TextColumn => ({
    ends: new Uint32Array(bytes.buffer, take(4 * count), count),
    bytes: Buffer.from(bytes.buffer, take(size), size),
  });
  return { count, times, lines: text(lineBytes), ...(metadataBytes > 0 && { metadata: text(metadataBytes) }) };
}

function writeTexts({ ends, bytes }: TextColumn, texts: readonly string[]): void {
  let at = 0;
  for (const [index, text] of texts.entries()) {
    at += bytes.write(text, at);
    ends[index] = at;
    bytes[at++] = separator;
  }
}
