// The segment files, as the manifest lists them. A file that is not needed any more goes when the last search that
// began before has ended.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { type BlockEntry, blockBytes, rawBytes } from './block/block.ts';
import { chunksFile, type Manifest, manifestFile, readManifest, writeManifest } from './manifest.ts';
import { readDirectory, type StreamBlocks, segmentName, segmentNumber } from './segment.ts';
import { logNumber, removeLog } from './write-ahead-log.ts';

export interface Segment {
  number: number;
  bytes: number;
  dropped: Set<number>; // where blocks began that are gone
  blocks: number; // that are left
  liveBytes: number; // of the blocks that are left
  rawBytes: number; // of them, not compressed
  searches: number; // that may read it
  isRetired: boolean;
  isUnlisted?: boolean; // the manifest on disk does not name it any more
}

export interface OpenedSegments {
  segments: Segments;
  streams: StreamBlocks[];
  logs: number[]; // the write-ahead logs to be replayed, the oldest first
  missing: number[]; // write-ahead logs that should be there
  damaged: number[]; // segments that can't be read
}

export class Segments {
  readonly folder: string;
  readonly logs: Set<number>; // write-ahead logs whose lines are in no segment yet; `save` makes it durable
  hasChunks: boolean; // the list of seen chunks was written
  readonly #segments = new Map<number, Segment>();
  #next: number;
  #writing: Promise<void> = Promise.resolve();

  private constructor(folder: string, next: number, logs: readonly number[], hasChunks: boolean) {
    this.folder = folder;
    this.#next = next;
    this.logs = new Set(logs);
    this.hasChunks = hasChunks;
  }

  static open(folder: string): OpenedSegments {
    const manifest = readManifest(folder);
    const names = readdirSync(folder);
    const there = names.map(logNumber).filter((number) => !Number.isNaN(number));
    const isNeeded = (number: number): boolean => manifest.logs?.includes(number) ?? true;
    const logs = there.filter(isNeeded).sort((a, b) => a - b);
    const listed = new Set(manifest.segments.map(({ number }) => number));
    const files = names.map(segmentNumber).filter((number) => !Number.isNaN(number));
    if (files.length > 0 && !names.includes(manifestFile)) throw withoutManifest();
    for (const number of files) if (!listed.has(number)) rmSync(join(folder, segmentName(number)), { force: true });
    // Its lines are in a segment, or none were confirmed.
    for (const number of there) if (!isNeeded(number)) removeLog(folder, number);
    const next = Math.max(manifest.next, ...there.map((number) => number + 1));
    const segments = new Segments(folder, next, logs, manifest.chunks ?? names.includes(chunksFile));
    const missing = (manifest.logs ?? []).filter((number) => !there.includes(number));
    const opened: OpenedSegments = { segments, streams: [], logs, missing, damaged: [] };
    for (const { number, dropped } of manifest.segments) segments.#read(number, new Set(dropped), opened);
    return opened;
  }

  #read(number: number, dropped: Set<number>, opened: OpenedSegments): void {
    const path = join(this.folder, segmentName(number));
    const bytes = existsSync(path) ? statSync(path).size : 0;
    const streams = bytes > 0 ? readDirectory(this.folder, number, bytes) : undefined;
    const kept = (streams ?? []).map((one) => ({ ...one, blocks: one.blocks.filter(({ at }) => !dropped.has(at)) }));
    this.#register(number, bytes, kept, dropped);
    if (streams) opened.streams.push(...kept);
    else opened.damaged.push(number);
  }

  // The number of a new file.
  take(): number {
    return this.#next++;
  }

  get(number: number): Segment {
    return this.#segments.get(number) as Segment;
  }

  // In the order of their making.
  live(): Segment[] {
    return [...this.#segments.values()].filter(({ isRetired }) => !isRetired).sort((a, b) => a.number - b.number);
  }

  // Durable when it resolves. New segments come in, others go, and write-ahead logs end, at one moment.
  async replace(
    added: { number: number; streams: StreamBlocks[] }[],
    retired: readonly number[],
    sealedLogs: readonly number[] = [],
  ): Promise<void> {
    for (const { number, streams } of added)
      this.#register(number, statSync(join(this.folder, segmentName(number))).size, streams);
    for (const number of retired) this.get(number).isRetired = true;
    for (const number of sealedLogs) this.logs.delete(number);
    try {
      await this.save();
    } catch (error) {
      for (const { number } of added) this.#segments.delete(number);
      for (const number of retired) this.get(number).isRetired = false;
      for (const number of sealedLogs) this.logs.add(number);
      throw error;
    }
  }

  // Marks blocks as gone; `save` makes it durable.
  drop(blocks: readonly BlockEntry[]): void {
    for (const block of blocks) {
      const segment = this.get(block.segment);
      segment.dropped.add(block.at);
      segment.blocks -= 1;
      segment.liveBytes -= blockBytes(block);
      segment.rawBytes -= rawBytes(block);
      segment.isRetired ||= segment.blocks === 0;
    }
  }

  async save(): Promise<void> {
    const before = this.#writing;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#writing = promise;
    try {
      await before;
      const retired = [...this.#segments.values()].filter(({ isRetired }) => isRetired);
      await writeManifest(this.folder, this.#manifest());
      for (const segment of retired) {
        segment.isUnlisted = true;
        this.#removeIfUnused(segment);
      }
    } finally {
      resolve();
    }
  }

  // A search that will read these files has begun; it has ended when the returned function is called.
  hold(numbers: ReadonlySet<number>): () => void {
    const held = [...numbers].map((number) => this.get(number));
    for (const segment of held) segment.searches += 1;
    return () => {
      for (const segment of held) {
        segment.searches -= 1;
        this.#removeIfUnused(segment);
      }
    };
  }

  #register(number: number, bytes: number, streams: readonly StreamBlocks[], dropped = new Set<number>()): void {
    const blocks = streams.flatMap((one) => one.blocks);
    this.#segments.set(number, {
      number,
      bytes,
      dropped,
      blocks: blocks.length,
      liveBytes: blocks.reduce((sum, block) => sum + blockBytes(block), 0),
      rawBytes: blocks.reduce((sum, block) => sum + rawBytes(block), 0),
      searches: 0,
      isRetired: false,
    });
  }

  #removeIfUnused({ number, isUnlisted, searches }: Segment): void {
    if (!isUnlisted || searches > 0) return;
    this.#segments.delete(number);
    rmSync(join(this.folder, segmentName(number)), { force: true });
  }

  #manifest(): Manifest {
    const segments = this.live().map(({ number, bytes, dropped }) => ({ number, bytes, dropped: [...dropped] }));
    return { format: 1, next: this.#next, segments, logs: [...this.logs], chunks: this.hasChunks };
  }
}

// It is there from the first start on. Without it all segments would be taken for unfinished ones, and removed.
const withoutManifest = (): Fault =>
  new Fault('unavailable', `The list of the log segments, ${manifestFile}, is missing: restore it, or a backup.`);
