// Results in the JSON of Prometheus' HTTP API.
import type { Labels } from '../../series.ts';
import type { Evaluated, RawSeries } from '../evaluate.ts';
import { type Grid, momentOf, type Row } from '../rows.ts';
import { ByteWriter } from './byte-writer.ts';
import { plainNumber } from './number-format.ts';

const pointLength = 36; // [1700000000,"0.12345678901234567"],

export interface ResultAnnotations {
  warnings: string[];
  infos: string[];
}

export function successBytes(data: unknown, annotations?: Partial<ResultAnnotations>): Uint8Array {
  const writer = new ByteWriter();
  writer.text('{"status":"success","data":');
  writer.json(data);
  return ended(writer, annotations);
}

// Written item by item, so that a long list is not converted to text first.
export function listBytes(items: Iterable<unknown>, mostBytes: number, annotations: Partial<ResultAnnotations>) {
  const writer = new ByteWriter(0, mostBytes);
  writer.text('{"status":"success","data":[');
  let isFirst = true;
  for (const item of items) {
    if (!isFirst) writer.text(',');
    isFirst = false;
    writer.json(item);
  }
  writer.text(']');
  return ended(writer, annotations);
}

export function errorBytes(errorType: string, error: string): Uint8Array {
  const writer = new ByteWriter();
  writer.json({ status: 'error', errorType, error });
  return writer.finish();
}

export function resultBytes(
  { result, grid }: Evaluated,
  annotations: ResultAnnotations,
  mostBytes?: number,
): Uint8Array {
  const expected = result.type === 'rows' ? result.rows.length * (grid.count * pointLength + 200) : 0;
  const writer = new ByteWriter(expected, mostBytes);
  const type = result.type === 'rows' ? 'matrix' : result.type;
  writer.text(`{"status":"success","data":{"resultType":"${type}","result":`);
  const moment = secondsText(grid.startMs);
  if (result.type === 'scalar') writer.text(`[${moment},"${plainNumber(result.value)}"]`);
  else if (result.type === 'string') writer.text(`[${moment},${JSON.stringify(result.value)}]`);
  else if (result.type === 'vector') writeVector(writer, result.rows, moment);
  else if (result.type === 'rows') writeRows(writer, result.rows, grid);
  else writeSeries(writer, result.series);
  writer.text('}');
  return ended(writer, annotations);
}

function ended(writer: ByteWriter, annotations: Partial<ResultAnnotations> = {}): Uint8Array {
  for (const kind of ['warnings', 'infos'] as const) {
    if (!annotations[kind]?.length) continue;
    writer.text(`,"${kind}":`);
    writer.json(annotations[kind]);
  }
  writer.text('}');
  return writer.finish();
}

// Seconds with three decimals, or none for whole seconds.
export function secondsText(ms: number): string {
  const size = Math.abs(ms);
  const fraction = size % 1000;
  const text = `${Math.floor(size / 1000)}${fraction === 0 ? '' : `.${String(fraction).padStart(3, '0')}`}`;
  return ms < 0 ? `-${text}` : text;
}

function metricText(labels: Labels): string {
  const pairs = labels.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{"metric":{${pairs.join(',')}},`;
}

function writeVector(writer: ByteWriter, rows: Row[], moment: string): void {
  writer.text('[');
  for (const [at, { labels, values }] of rows.entries()) {
    writer.text(`${at === 0 ? '' : ','}${metricText(labels)}"value":[${moment},"`);
    writer.number(values[0] as number);
    writer.text('"]}');
  }
  writer.text(']');
}

function writeRows(writer: ByteWriter, rows: Row[], grid: Grid): void {
  const { heads, ends } = headsOf(Float64Array.from({ length: grid.count }, (_, step) => momentOf(grid, step)));
  writer.text('[');
  for (const [at, { labels, values, present }] of rows.entries()) {
    writer.text(`${at === 0 ? '' : ','}${metricText(labels)}"values":[`);
    writer.points(values, present, heads, ends);
    writer.text(']}');
  }
  writer.text(']');
}

function writeSeries(writer: ByteWriter, series: RawSeries[]): void {
  writer.text('[');
  for (const [at, { labels, times, values }] of series.entries()) {
    const { heads, ends } = headsOf(times);
    writer.text(`${at === 0 ? '' : ','}${metricText(labels)}"values":[`);
    writer.points(values, new Uint8Array(values.length).fill(1), heads, ends);
    writer.text(']}');
  }
  writer.text(']');
}

// The text before each value is the same for all series: it is written once and copied.
function headsOf(times: Float64Array): { heads: Uint8Array; ends: Int32Array } {
  const ends = new Int32Array(times.length);
  let text = '';
  for (let step = 0; step < times.length; step++) {
    text += `[${secondsText(times[step] as number)},"`;
    ends[step] = text.length;
  }
  return { heads: new TextEncoder().encode(text), ends };
}
