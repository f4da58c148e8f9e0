// The read side: searches on snapshots of the writer's index.
import type { Labels, LineSelection, LogReader, LogSelection, LogStats, StreamLines } from '../../engine.ts';
import { labelOf, labelsKey, matcherTest } from '../../labels.ts';
import { BlockFiles } from '../block/block-files.ts';
import { logFault } from '../faults.ts';
import type { HeadLines } from '../head.ts';
import type { SearchFigures, Snapshot, SnapshotSource } from '../snapshot.ts';
import { isExact, type StreamPart } from '../streams.ts';
import { type Range, runOfBlock, runOfHead } from './run.ts';
import { type Source, sweep } from './sweep.ts';

export interface ReaderOptions {
  folder: string;
  source: SnapshotSource;
}

export class EmbeddedLogReader implements LogReader {
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  async *select(selection: LineSelection): AsyncGenerator<StreamLines[]> {
    const { source, folder } = this.#options;
    const { fromNs, toNs, direction, contains = [], signal } = selection;
    const needles = contains.map((text) => Buffer.from(text)).filter(({ length }) => length > 0);
    const range: Range = { fromNs, toNs, needles: needles.sort((a, b) => b.length - a.length) };
    const { number, streams } = await this.#snapshot(selection);
    const done: SearchFigures = { readBlocks: 0, skippedBlocks: 0 };
    const files = new BlockFiles(folder);
    try {
      const sources = streams.flatMap((part, stream) => sourcesOf(part, stream, { range, files, done }));
      const labels = streams.map((part) => part.labels);
      yield* sweep({ sources, streams: labels, isBackward: direction === 'backward', signal });
    } catch (error) {
      throw logFault(error, 'the search was ended') ?? error;
    } finally {
      files.close();
      source.release(number, done);
    }
  }

  async series(selections: readonly LogSelection[]): Promise<Labels[]> {
    const found = new Map<string, Labels>();
    for (const selection of selections)
      for (const { labels } of await this.#parts(selection)) found.set(labelsKey(labels), labels);
    return [...found.values()];
  }

  async names(selection: LogSelection): Promise<string[]> {
    const parts = await this.#parts(selection);
    return [...new Set(parts.flatMap(({ labels }) => Object.keys(labels)))].sort();
  }

  async values(name: string, selection: LogSelection): Promise<string[]> {
    const parts = await this.#parts(selection);
    return [...new Set(parts.flatMap(({ labels }) => labelOf(labels, name) || []))].sort();
  }

  // A block that is partly in the range counts in proportion to its time.
  async stats(selection: LogSelection): Promise<LogStats> {
    const { fromNs, toNs } = selection;
    const stats: LogStats = { streams: 0, chunks: 0, entries: 0, bytes: 0 };
    for (const { blocks, heads } of await this.#parts(selection)) {
      stats.streams += 1;
      stats.chunks += blocks.length + heads.length;
      const counted = [...blocks, ...heads.map((head) => ({ ...head, lineBytes: lineBytesOf(head) }))];
      for (const { minNs, maxNs, count, lineBytes } of counted) {
        const from = minNs < fromNs ? fromNs : minNs;
        const to = maxNs + 1n > toNs ? toNs : maxNs + 1n;
        const part = Number(to - from) / Number(maxNs + 1n - minNs);
        stats.entries += Math.round(part * count);
        stats.bytes += Math.round(part * lineBytes);
      }
    }
    return stats;
  }

  async close(): Promise<void> {}

  async #parts(selection: LogSelection): Promise<StreamPart[]> {
    const { number, streams } = await this.#snapshot(selection);
    this.#options.source.release(number);
    return streams;
  }

  async #snapshot(selection: LogSelection): Promise<Snapshot> {
    const test = matcherTest(selection.matchers.filter((matcher) => !isExact(matcher)));
    const snapshot = await this.#options.source.snapshot(selection);
    return { ...snapshot, streams: snapshot.streams.filter(({ labels }) => test(labels)) };
  }
}

const lineBytesOf = ({ lines, count }: HeadLines): number => lines.bytes.length - count;

interface Search {
  range: Range;
  files: BlockFiles;
  done: SearchFigures;
}

function sourcesOf({ blocks, heads }: StreamPart, stream: number, { range, files, done }: Search): Source[] {
  return [
    ...blocks.map((entry) => ({
      stream,
      minNs: entry.minNs,
      maxNs: entry.maxNs,
      load: async () => {
        if (!files.mayContain(entry, range.needles)) {
          done.skippedBlocks += 1;
          return undefined;
        }
        done.readBlocks += 1;
        return runOfBlock(entry, files.bodyOf(entry), range);
      },
    })),
    ...heads.map((head) => ({
      stream,
      minNs: head.minNs,
      maxNs: head.maxNs,
      load: async () => runOfHead(head, range),
    })),
  ];
}
