// A run: the lines of one block, or of one stream in memory, that a search reads, sorted by time. Lines become texts
// only when they are returned.
import type { Labels, StreamLines } from '../../engine.ts';
import type { LineColumns, TextColumn } from '../../packed-job.ts';
import { BlockBody, type BlockEntry, splitTexts } from '../block/block.ts';
import { allOf, orderOf, startOf, withoutRepeats } from '../block/sorted-lines.ts';
import type { HeadLines } from '../head.ts';
import { lowerBound } from '../sealing.ts';

export interface Range {
  fromNs: bigint; // included
  toNs: bigint; // not included
  needles: readonly Buffer[]; // the longest first; a matching line contains all of them
}

export interface Run {
  times: BigInt64Array; // of the matching lines, in order
  columns: LineColumns;
  indexes: Uint32Array; // the index of each of them in the columns
}

export function runOfHead(head: HeadLines, range: Range): Run | undefined {
  const { isSorted, ...columns } = head;
  const { lines, times, count } = columns;
  if (range.needles.some((needle) => lines.bytes.indexOf(needle) < 0)) return undefined;
  if (isSorted) return runOf(columns, range);
  const { fromNs, toNs, needles } = range;
  const fitting = needles.length > 0 ? linesWith(lines, 0, count, needles) : allOf(count);
  const within = fitting.filter((at) => (times[at] as bigint) >= fromNs && (times[at] as bigint) < toNs);
  const indexes = withoutRepeats(columns, orderOf(times, within));
  return chosen(columns, indexes);
}

// Decodes the parts of the block only as far as needed.
export async function runOfBlock(entry: BlockEntry, body: Buffer, range: Range): Promise<Run | undefined> {
  const block = new BlockBody(entry, body);
  const bytes = await block.lines();
  if (range.needles.some((needle) => bytes.indexOf(needle) < 0)) return undefined;
  const [times, metadata] = await Promise.all([block.times(), block.metadata()]);
  const { count } = entry;
  return runOf({ count, times, lines: splitTexts(bytes, count), ...(metadata && { metadata }) }, range);
}

// The columns must be sorted.
function runOf(columns: LineColumns, { fromNs, toNs, needles }: Range): Run | undefined {
  const { count, times, lines } = columns;
  const from = lowerBound(0, count, (at) => (times[at] as bigint) < fromNs);
  const to = lowerBound(from, count, (at) => (times[at] as bigint) < toNs);
  if (needles.length > 0) return chosen(columns, linesWith(lines, from, to, needles));
  return chosen(
    columns,
    Uint32Array.from({ length: to - from }, (_, at) => from + at),
  );
}

function chosen(columns: LineColumns, indexes: Uint32Array): Run | undefined {
  if (indexes.length === 0) return undefined;
  return { columns, indexes, times: BigInt64Array.from(indexes, (at) => columns.times[at] as bigint) };
}

// Searches the longest needle in all lines at once, and the others only in lines that contain it.
function linesWith(lines: TextColumn, from: number, to: number, [first, ...others]: readonly Buffer[]): Uint32Array {
  const found: number[] = [];
  if (!first || first.length === 0) {
    for (let at = from; at < to; at++) if (hasAll(lines, at, others)) found.push(at);
    return Uint32Array.from(found);
  }
  const { bytes, ends } = lines;
  let at = from;
  for (let hit = bytes.indexOf(first, from < to ? startOf(lines, from) : bytes.length); hit >= 0; ) {
    at = lowerBound(at, to, (one) => (ends[one] as number) < hit);
    if (at >= to) break;
    if (hasAll(lines, at, others)) found.push(at);
    hit = bytes.indexOf(first, (ends[at] as number) + 1);
    at += 1;
  }
  return Uint32Array.from(found);
}

function hasAll(lines: TextColumn, at: number, needles: readonly Buffer[]): boolean {
  if (needles.length === 0) return true;
  const line = lines.bytes.subarray(startOf(lines, at), lines.ends[at]);
  return needles.every((needle) => line.includes(needle));
}

export interface Line {
  time: bigint;
  text: string;
  metadata: Labels | undefined;
}

export function lineAt({ columns, indexes, times }: Run, at: number): Line {
  const index = indexes[at] as number;
  const { lines, metadata } = columns;
  const ofLine = metadata ? textAt(metadata, index) : '';
  return {
    time: times[at] as bigint,
    text: textAt(lines, index),
    metadata: ofLine ? (JSON.parse(ofLine) as Labels) : undefined,
  };
}

const textAt = (texts: TextColumn, at: number): string =>
  texts.bytes.toString('utf8', startOf(texts, at), texts.ends[at]);

// Returns the lines of a run from one index to another, backwards on request.
export function takeLines(run: Run, from: number, to: number, isBackward: boolean, labels: Labels): StreamLines {
  const { columns, indexes, times } = run;
  const count = to - from;
  const taken: StreamLines = { labels, times: times.slice(from, to), lines: new Array<string>(count) };
  if (isBackward) taken.times.reverse();
  for (let at = 0; at < count; at++)
    taken.lines[at] = textAt(columns.lines, indexes[isBackward ? to - 1 - at : from + at] as number);
  if (columns.metadata)
    taken.metadata = taken.lines.map((_, at) => lineAt(run, isBackward ? to - 1 - at : from + at).metadata);
  return taken;
}
