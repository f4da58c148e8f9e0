// The lines of several streams in one order of time.
import type { StreamLines } from '../engine/engine.ts';

export interface LineAt {
  stream: StreamLines;
  index: number;
}

// Each stream is ordered; a heap has the next line of each. Lines of the same time keep the streams' order, and those
// that fail the test are omitted.
export function* mergedLines(
  streams: readonly StreamLines[],
  isForward: boolean,
  test: (line: string) => boolean,
): Generator<LineAt> {
  const heap: (LineAt & { order: number })[] = [];
  const timeOf = ({ stream, index }: LineAt): bigint => stream.times[index] as bigint;
  const isBefore = (a: LineAt & { order: number }, b: LineAt & { order: number }): boolean => {
    const [timeA, timeB] = [timeOf(a), timeOf(b)];
    if (timeA === timeB) return a.order < b.order;
    return timeA < timeB === isForward;
  };
  const sink = (from: number): void => {
    for (let at = from; ; ) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && isBefore(heap[child] as (typeof heap)[0], heap[first] as (typeof heap)[0]))
          first = child;
      if (first === at) return;
      [heap[at], heap[first]] = [heap[first] as (typeof heap)[0], heap[at] as (typeof heap)[0]];
      at = first;
    }
  };
  const nextOf = ({ lines }: StreamLines, from: number): number => {
    for (let index = from; index < lines.length; index++) if (test(lines[index] as string)) return index;
    return -1;
  };
  for (const [order, stream] of streams.entries()) {
    const index = nextOf(stream, 0);
    if (index >= 0) heap.push({ stream, index, order });
  }
  for (let at = heap.length >> 1; at >= 0; at--) sink(at);
  for (let top = heap[0]; top; top = heap[0]) {
    yield { stream: top.stream, index: top.index };
    const next = nextOf(top.stream, top.index + 1);
    if (next >= 0) top.index = next;
    else {
      const last = heap.pop() as (typeof heap)[0];
      if (heap.length > 0) heap[0] = last;
    }
    sink(0);
  }
}
