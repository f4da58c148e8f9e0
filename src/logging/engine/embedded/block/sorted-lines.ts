// The lines of one stream in block order: by time, lines of equal times in the order of arrival, without duplicates.
import { type LineColumns, separator, type TextColumn } from '../../packed-job.ts';

const exact = 2n ** 53n;

// `isSorted`: the times are known to increase.
export function sortLines(columns: LineColumns, isSorted = false): LineColumns {
  const { times, count } = columns;
  if (isSorted || increases(times, count)) return columns;
  const order = withoutRepeats(columns, orderOf(times, allOf(count)));
  return {
    count: order.length,
    times: BigInt64Array.from(order, (at) => times[at] as bigint),
    lines: pick(columns.lines, order),
    ...(columns.metadata && { metadata: pick(columns.metadata, order) }),
  };
}

export function concatLines(all: readonly LineColumns[]): LineColumns {
  const [first, ...others] = all;
  if (first && others.length === 0) return first;
  const count = all.reduce((sum, one) => sum + one.count, 0);
  const times = new BigInt64Array(count);
  let at = 0;
  for (const one of all) {
    times.set(one.times.subarray(0, one.count), at);
    at += one.count;
  }
  const withMetadata = all.some(({ metadata }) => metadata);
  return {
    count,
    times,
    lines: concatTexts(all.map(({ lines }) => lines)),
    ...(withMetadata && { metadata: concatTexts(all.map(({ metadata, count: of }) => metadata ?? emptyTexts(of))) }),
  };
}

// Returns the columns from one index to another.
export function sliceLines({ times, lines, metadata }: LineColumns, from: number, to: number): LineColumns {
  return {
    count: to - from,
    times: times.subarray(from, to),
    lines: sliceTexts(lines, from, to),
    ...(metadata && { metadata: sliceTexts(metadata, from, to) }),
  };
}

// Returns an empty text for each line.
export const emptyTexts = (count: number): TextColumn => ({
  ends: Uint32Array.from({ length: count }, (_, at) => at),
  bytes: Buffer.alloc(count, separator),
});

export const startOf = ({ ends }: TextColumn, at: number): number => (at === 0 ? 0 : (ends[at - 1] as number) + 1);

export const allOf = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, at) => at);

// Sorts indexes by time; those of equal times keep their order.
export function orderOf(times: BigInt64Array, order: Uint32Array): Uint32Array {
  let [min, max] = [times[order[0] ?? 0] ?? 0n, times[order[0] ?? 0] ?? 0n];
  for (const at of order) {
    const time = times[at] as bigint;
    if (time < min) min = time;
    if (time > max) max = time;
  }
  if (max - min >= exact) {
    const late = (a: number, b: number): number => ((times[a] as bigint) < (times[b] as bigint) ? -1 : 1);
    return order.sort((a, b) => (times[a] === times[b] ? a - b : late(a, b)));
  }
  const keys = Float64Array.from(order, (at) => Number((times[at] as bigint) - min));
  const places = allOf(order.length).sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b);
  return places.map((place) => order[place] as number);
}

export function withoutRepeats({ times, lines }: LineColumns, order: Uint32Array): Uint32Array {
  let kept = 0;
  for (let from = 0; from < order.length; ) {
    const time = times[order[from] as number];
    let to = from + 1;
    while (to < order.length && times[order[to] as number] === time) to++;
    const known = to - from > 1 ? new Set<string>() : undefined;
    for (; from < to; from++) {
      const at = order[from] as number;
      const size = known?.size;
      if (known?.add(lines.bytes.toString('latin1', startOf(lines, at), lines.ends[at])).size !== size || !known)
        order[kept++] = at;
    }
  }
  return order.subarray(0, kept);
}

function increases(times: BigInt64Array, count: number): boolean {
  for (let at = 1; at < count; at++) if ((times[at] as bigint) <= (times[at - 1] as bigint)) return false;
  return true;
}

function pick(texts: TextColumn, order: Uint32Array): TextColumn {
  const size = order.reduce((sum, at) => sum + (texts.ends[at] as number) + 1 - startOf(texts, at), 0);
  const bytes = Buffer.allocUnsafe(size);
  const ends = new Uint32Array(order.length);
  let next = 0;
  for (const [index, at] of order.entries()) {
    const from = startOf(texts, at);
    const to = (texts.ends[at] as number) + 1;
    bytes.set(texts.bytes.subarray(from, to), next);
    next += to - from;
    ends[index] = next - 1;
  }
  return { ends, bytes };
}

function sliceTexts(texts: TextColumn, from: number, to: number): TextColumn {
  const start = startOf(texts, from);
  const end = to > from ? (texts.ends[to - 1] as number) + 1 : start;
  return {
    ends: start === 0 ? texts.ends.subarray(from, to) : texts.ends.slice(from, to).map((one) => one - start),
    bytes: texts.bytes.subarray(start, end),
  };
}

function concatTexts(all: readonly TextColumn[]): TextColumn {
  const ends = new Uint32Array(all.reduce((sum, one) => sum + one.ends.length, 0));
  let [at, size] = [0, 0];
  for (const one of all) {
    for (const end of one.ends) ends[at++] = end + size;
    size += one.bytes.length;
  }
  return { ends, bytes: Buffer.concat(all.map(({ bytes }) => bytes)) };
}
