// Writes results as JSON in Loki's form, in pieces: a long answer is sent while the rest of it is written.
import type { LabelPairs } from '../logql/label-set.ts';
import type { ResultLine, ResultStream } from '../logql/logs.ts';
import type { Grid, Row, Vector } from '../logql/metric/rows.ts';

export interface Processed {
  lines: number;
  bytes: number;
  entries: number; // number of returned lines
  seconds: number;
}

const pieceLength = 64 * 1024;
const encoder = new TextEncoder();

// Joins small texts into pieces.
export async function* pieces(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  let held = '';
  for (const text of texts) {
    held += text;
    if (held.length < pieceLength) continue;
    yield encoder.encode(held);
    held = '';
  }
  if (held !== '') yield encoder.encode(held);
}

export const json = (value: unknown): AsyncGenerator<Uint8Array> => pieces([`${JSON.stringify(value)}\n`]);
export const success = (data: unknown): AsyncGenerator<Uint8Array> => json({ status: 'success', data });

function* result(type: string, flags: string, items: Iterable<string>, processed: Processed): Generator<string> {
  yield `{"status":"success","data":{"resultType":"${type}",${flags}"result":[`;
  let comma = '';
  for (const item of items) {
    yield comma + item;
    comma = ',';
  }
  yield `],"stats":${JSON.stringify(statsOf(processed))}}}\n`;
}

const categorized = '"encodingFlags":["categorize-labels"],';

export const streamsResult = (streams: readonly ResultStream[], isCategorized: boolean, processed: Processed) =>
  pieces(result('streams', isCategorized ? categorized : '', streamTexts(streams, isCategorized), processed));

export function* streamTexts(streams: readonly ResultStream[], isCategorized: boolean): Generator<string> {
  for (const { pairs, lines } of streams)
    yield `{"stream":${labels(pairs)},"values":[${lines.map((line) => lineText(line, isCategorized)).join(',')}]}`;
}

function lineText({ timeNs, line, metadata, parsed }: ResultLine, isCategorized: boolean): string {
  const text = `["${timeNs}",${JSON.stringify(line)}`;
  if (!isCategorized) return `${text}]`;
  const parts: string[] = [];
  if (metadata && metadata.pairs.length > 0) parts.push(`"structuredMetadata":${labels(metadata.pairs)}`);
  if (parsed && parsed.pairs.length > 0) parts.push(`"parsed":${labels(parsed.pairs)}`);
  return `${text},{${parts.join(',')}}]`;
}

const labels = (pairs: LabelPairs): string =>
  `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;

export const vectorResult = (vector: Vector, atNs: bigint, processed: Processed) =>
  pieces(
    result(
      'vector',
      '',
      vector.map(({ series, value }) => `{"metric":${labels(series.pairs)},"value":${point(msOf(atNs), value)}}`),
      processed,
    ),
  );

export const scalarResult = (value: number, atNs: bigint, processed: Processed) =>
  pieces([
    `{"status":"success","data":{"resultType":"scalar","result":${point(msOf(atNs), value)},`,
    `"stats":${JSON.stringify(statsOf(processed))}}}\n`,
  ]);

export const matrixResult = (rows: readonly Row[], grid: Grid, processed: Processed) =>
  pieces(result('matrix', '', rowTexts(rows, grid), processed));

function* rowTexts(rows: readonly Row[], { startNs, stepNs, count }: Grid): Generator<string> {
  const startMs = msOf(startNs);
  for (const { series, values, present } of rows) {
    const points: string[] = [];
    for (let step = 0; step < count; step++)
      if (present[step]) points.push(point(Math.trunc(startMs + (step * stepNs) / 1e6), values[step] as number));
    yield `{"metric":${labels(series.pairs)},"values":[${points.join(',')}]}`;
  }
}

const msOf = (ns: bigint): number => Number(ns / 1_000_000n);
const point = (ms: number, value: number): string => `[${ms / 1000},"${numberText(value)}"]`;

// Without an exponent, and with the fewest digits that identify the number.
export function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const text = Object.is(value, -0) ? '-0' : String(value);
  const [, sign = '', whole = '', fraction = '', power] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (power === undefined) return text;
  const digits = whole + fraction;
  const point_ = whole.length + Number(power);
  if (point_ <= 0) return `${sign}0.${'0'.repeat(-point_)}${digits}`;
  return sign + digits.padEnd(point_, '0');
}

// The statistics that logcli --stats and Grafana's inspector show.
function statsOf({ lines, bytes, entries, seconds }: Processed): unknown {
  const perSecond = (count: number): number => (seconds > 0 ? Math.round(count / seconds) : 0);
  return {
    summary: {
      bytesProcessedPerSecond: perSecond(bytes),
      linesProcessedPerSecond: perSecond(lines),
      totalBytesProcessed: bytes,
      totalLinesProcessed: lines,
      execTime: seconds,
      queueTime: 0,
      subqueries: 0,
      totalEntriesReturned: entries,
      splits: 0,
      shards: 0,
    },
  };
}
