// Iterates over the lines of many streams in the order of time, with few of them in memory: a block is read when the
// sweep reaches it, and lines that no unread block can precede are returned. Backwards it works the same with negated
// times.
import { setImmediate } from 'node:timers/promises';
import { Fault } from '../../../../base/fault.ts';
import type { Labels, StreamLines } from '../../engine.ts';
import { lowerBound } from '../sealing.ts';
import { type Line, lineAt, type Run, takeLines } from './run.ts';

// A source of lines of a stream between two times.
export interface Source {
  stream: number;
  minNs: bigint;
  maxNs: bigint;
  load(): Promise<Run | undefined>;
}

interface Pending {
  source: Source;
  first: bigint; // a lower bound for the key of its first line
  run?: Promise<Run | undefined>;
}

interface Active {
  stream: number;
  run: Run;
  done: number; // lines that were returned
}

const mostLines = 4096; // of a piece, unless their times are equal
const mostAhead = 4; // blocks that are read before they are needed
const mostActiveBytes = 512 * 1024 * 1024; // of lines whose times overlap, which are in memory at once

export interface SweepOptions {
  sources: readonly Source[];
  streams: readonly Labels[];
  isBackward: boolean;
  signal?: AbortSignal | undefined;
}

export async function* sweep({ sources, streams, isBackward, signal }: SweepOptions): AsyncGenerator<StreamLines[]> {
  const keyOf = (time: bigint): bigint => (isBackward ? -time : time);
  const pending: Pending[] = sources
    .map((source) => ({ source, first: keyOf(isBackward ? source.maxNs : source.minNs) }))
    .sort((a, b) => (a.first < b.first ? -1 : 1));
  let active: Active[] = [];
  let activeBytes = 0;
  let loads = 0;
  const keyAt = ({ run: { times } }: Active, at: number): bigint =>
    keyOf(times[isBackward ? times.length - 1 - at : at] as bigint);
  const countBefore = (one: Active, cut: bigint): number =>
    lowerBound(one.done, one.run.times.length, (at) => keyAt(one, at) < cut);

  while (pending.length > 0 || active.length > 0) {
    signal?.throwIfAborted();
    const [next] = pending;
    if (next && !active.some((one) => keyAt(one, one.done) < next.first)) {
      loads += 1;
      for (const one of pending.slice(0, Math.min(loads, mostAhead))) one.run ??= quietly(one.source.load());
      const run = await next.run;
      pending.shift();
      if (run) {
        active.push({ stream: next.source.stream, run, done: 0 });
        activeBytes += bytesOf(run);
        if (activeBytes > mostActiveBytes) throw tooManyAtOnce();
      }
      if (loads % 16 === 0) await setImmediate(); // the caller may abort the search
      continue;
    }
    const cut = cutOf(active, next?.first, keyAt, countBefore);
    yield piece(active, cut);
    active = active.filter(({ run, done }) => done < run.times.length);
    activeBytes = active.reduce((sum, { run }) => sum + bytesOf(run), 0);
    await setImmediate();
  }

  function piece(from: readonly Active[], cut: bigint): StreamLines[] {
    const parts = new Map<number, { one: Active; from: number; to: number }[]>();
    for (const one of from) {
      const to = countBefore(one, cut);
      if (to > one.done) parts.set(one.stream, [...(parts.get(one.stream) ?? []), { one, from: one.done, to }]);
      one.done = to;
    }
    return [...parts].map(([stream, ofStream]) => {
      const taken = ofStream.map(({ one: { run }, from: first, to }) => {
        const { length } = run.times;
        const [low, high] = isBackward ? [length - to, length - first] : [first, to];
        return { run, low, high };
      });
      const labels = streams[stream] as Labels;
      const [only, ...others] = taken;
      if (only && others.length === 0) return takeLines(only.run, only.low, only.high, isBackward, labels);
      return mergeLines(taken, isBackward, labels);
    });
  }
}

const bytesOf = ({ columns: { lines, metadata } }: Run): number => lines.bytes.length + (metadata?.bytes.length ?? 0);

const tooManyAtOnce = (): Fault =>
  new Fault(
    'refused',
    'The search needs too many lines of one time in memory. Select fewer streams or a shorter time range.',
  );

// A failure is reported when its source is read.
function quietly<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

// The end of the next piece: at most the first line of unread sources, and not much more than its size.
function cutOf(
  active: readonly Active[],
  unread: bigint | undefined,
  keyAt: (one: Active, at: number) => bigint,
  countBefore: (one: Active, cut: bigint) => number,
): bigint {
  let low = keyAt(active[0] as Active, (active[0] as Active).done);
  let high = unread ?? low + 1n;
  for (const one of active) {
    const first = keyAt(one, one.done);
    const last = keyAt(one, one.run.times.length - 1);
    if (first < low) low = first;
    if (unread === undefined && last >= high) high = last + 1n;
  }
  const sizeTo = (cut: bigint): number => active.reduce((sum, one) => sum + countBefore(one, cut) - one.done, 0);
  let size = sizeTo(high);
  for (let most = high; size > mostLines && most - low > 1n; ) {
    const middle = low + (most - low) / 2n;
    const smaller = sizeTo(middle);
    if (smaller === 0) low = middle;
    else {
      most = high = middle;
      size = smaller;
    }
  }
  return high;
}

// Merges the lines of one stream from several runs, and removes duplicates in time and text.
function mergeLines(
  parts: readonly { run: Run; low: number; high: number }[],
  isBackward: boolean,
  labels: Labels,
): StreamLines {
  const all: Line[] = [];
  for (const { run, low, high } of parts) for (let at = low; at < high; at++) all.push(lineAt(run, at));
  all.sort((a, b) => (a.time === b.time ? 0 : a.time < b.time ? -1 : 1));
  const kept: Line[] = [];
  let known = new Set<string>();
  for (const line of all) {
    if (kept.at(-1)?.time !== line.time) known = new Set();
    if (known.has(line.text)) continue;
    known.add(line.text);
    kept.push(line);
  }
  if (isBackward) kept.reverse();
  return {
    labels,
    times: BigInt64Array.from(kept, ({ time }) => time),
    lines: kept.map(({ text }) => text),
    ...(kept.some(({ metadata }) => metadata) && { metadata: kept.map(({ metadata }) => metadata) }),
  };
}
