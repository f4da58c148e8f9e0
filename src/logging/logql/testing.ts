// A log reader on lines in memory, for tests of queries.
import type { Labels, LineSelection, LogReader, LogSelection, StreamLines } from '../engine/engine.ts';
import { labelSet } from './label-set.ts';
import { matcherTest } from './pipeline/label-filters.ts';

export interface MemoryLine {
  labels: Labels;
  timeNs: bigint;
  line: string;
  metadata?: Labels;
}

interface Stream {
  labels: Labels;
  lines: MemoryLine[];
}

// Limits the lines of a piece, so that a query sees more than one piece.
const pieceLines = 100;

export class MemoryReader implements LogReader {
  readonly #streams: Stream[] = [];
  readonly selections: LineSelection[] = []; // all requested selections

  constructor(lines: readonly MemoryLine[]) {
    const streams = new Map<string, Stream>();
    for (const line of lines) {
      const { key } = labelSet(Object.entries(line.labels));
      const stream = streams.get(key) ?? { labels: line.labels, lines: [] };
      streams.set(key, stream);
      stream.lines.push(line);
    }
    this.#streams = [...streams.values()];
    for (const stream of this.#streams) stream.lines.sort((a, b) => (a.timeNs < b.timeNs ? -1 : 1));
  }

  async *select(selection: LineSelection): AsyncGenerator<StreamLines[]> {
    this.selections.push(selection);
    const words = selection.contains ?? [];
    const found = this.#selected(selection)
      .flatMap(({ lines }) => lines)
      .filter(({ line }) => words.every((word) => line.includes(word)))
      .sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0));
    if (selection.direction === 'backward') found.reverse();
    for (let from = 0; from < found.length; from += pieceLines) yield streamsOf(found.slice(from, from + pieceLines));
  }

  async series(selections: readonly LogSelection[]): Promise<Labels[]> {
    const found = new Set(selections.flatMap((selection) => this.#selected(selection).map(({ labels }) => labels)));
    return [...found];
  }

  async names(selection: LogSelection): Promise<string[]> {
    return [...new Set(this.#selected(selection).flatMap(({ labels }) => Object.keys(labels)))].sort();
  }

  async values(name: string, selection: LogSelection): Promise<string[]> {
    return [...new Set(this.#selected(selection).flatMap(({ labels }) => labels[name] ?? []))].sort();
  }

  async stats(selection: LogSelection) {
    const found = this.#selected(selection);
    const lines = found.flatMap((stream) => stream.lines);
    const bytes = lines.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0);
    return { streams: found.length, chunks: found.length, entries: lines.length, bytes };
  }

  async close(): Promise<void> {}

  #selected({ matchers, fromNs, toNs }: LogSelection): Stream[] {
    const tests = matchers.map((matcher) => ({ name: matcher.name, test: matcherTest(matcher) }));
    return this.#streams
      .filter(({ labels }) => tests.every(({ name, test }) => test(labels[name] ?? '')))
      .map(({ labels, lines }) => ({
        labels,
        lines: lines.filter(({ timeNs }) => timeNs >= fromNs && timeNs < toNs),
      }))
      .filter(({ lines }) => lines.length > 0);
  }
}

// Groups the lines by stream, in the given order.
export function streamsOf(lines: readonly MemoryLine[]): StreamLines[] {
  return [...Map.groupBy(lines, ({ labels }) => labelSet(Object.entries(labels)).key).values()].map((group) => ({
    labels: (group[0] as MemoryLine).labels,
    times: BigInt64Array.from(group, ({ timeNs }) => timeNs),
    lines: group.map(({ line }) => line),
    metadata: group.map(({ metadata }) => metadata),
  }));
}
