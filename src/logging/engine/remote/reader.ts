// The read side on a log server: lines are requested in pages, since servers limit the lines of an answer.
import type { Labels, LineSelection, LogReader, LogSelection, LogStats, StreamLines } from '../engine.ts';
import { labelsKey } from '../labels.ts';
import type { Dialect, RemoteLine } from './dialect.ts';

const pageLines = 5000; // Loki's default limit

export class RemoteReader implements LogReader {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  // A full page may have ended among lines of one time: those are requested again with the next page. If one time has
  // more lines than a page, the rest is skipped.
  async *select(selection: LineSelection): AsyncGenerator<StreamLines[]> {
    const { direction, contains = [], signal } = selection;
    const isForward = direction === 'forward';
    let { fromNs, toNs } = selection;
    while (fromNs < toNs) {
      signal?.throwIfAborted();
      const query = { ...selection, fromNs, toNs, contains, limit: pageLines, signal };
      const lines = await this.#dialect.page(query);
      const last = lines.at(-1)?.time;
      const isFull = last !== undefined && lines.length >= pageLines;
      const whole = isFull && lines[0]?.time !== last ? lines.filter(({ time }) => time !== last) : lines;
      if (whole.length > 0) yield piecesOf(whole);
      if (!isFull) return;
      const isStuck = whole === lines;
      if (isForward) fromNs = isStuck ? last + 1n : last;
      else toNs = isStuck ? last : last + 1n;
    }
  }

  async series(selections: readonly LogSelection[]): Promise<Labels[]> {
    const found = new Map<string, Labels>();
    for (const selection of selections)
      for (const labels of await this.#dialect.series(selection)) found.set(labelsKey(labels), labels);
    return [...found.values()];
  }

  names(selection: LogSelection): Promise<string[]> {
    return this.#dialect.names(selection);
  }

  values(name: string, selection: LogSelection): Promise<string[]> {
    return this.#dialect.values(name, selection);
  }

  async stats(selection: LogSelection): Promise<LogStats> {
    const { streams, chunks, entries, bytes } = await this.#dialect.stats(selection);
    return { streams, chunks, entries, bytes };
  }

  async close(): Promise<void> {}
}

// Groups lines by stream; a line with the same time and text as another of its stream counts once, whatever the server
// stores.
function piecesOf(lines: readonly RemoteLine[]): StreamLines[] {
  const streams = new Map<string, { labels: Labels; lines: RemoteLine[]; known: Set<string> }>();
  for (const line of lines) {
    const key = labelsKey(line.labels);
    const stream = streams.get(key) ?? { labels: line.labels, lines: [], known: new Set() };
    streams.set(key, stream);
    if (stream.lines.at(-1)?.time !== line.time) stream.known.clear();
    if (stream.known.has(line.text)) continue;
    stream.known.add(line.text);
    stream.lines.push(line);
  }
  return [...streams.values()].map(({ labels, lines: of }) => ({
    labels,
    times: BigInt64Array.from(of, ({ time }) => time),
    lines: of.map(({ text }) => text),
    ...(of.some(({ metadata }) => metadata) && { metadata: of.map(({ metadata }) => metadata) }),
  }));
}
