// The segment files, as listed in the manifest. An unneeded file is deleted when the last search that may read it has
// ended.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { type BlockEntry, blockBytes, rawBytes } from './block/block.ts';
import { chunksFile, type Manifest, manifestFile, readManifest, writeManifest } from './manifest.ts';
import { readDirectory, type StreamBlocks, segmentName, segmentNumber } from './segment.ts';
import { type LogFile, logNumber, removeLog } from './write-ahead-log.ts';

export interface Segment {
  number: number;
  bytes: number;
  dropped: Set<number>; // positions of removed blocks
  blocks: number; // remaining blocks
  liveBytes: number; // size of the remaining blocks
  rawBytes: number; // their uncompressed size
  searches: number; // searches that may read it
  isRetired: boolean;
  isUnlisted?: boolean; // the manifest on disk no longer lists it
}

export interface OpenedSegments {
  segments: Segments;
  streams: StreamBlocks[];
  logs: LogFile[]; // the write-ahead logs to be replayed, the oldest first
  missing: number[]; // missing write-ahead logs
  damaged: number[]; // segments that can't be read
}

export class Segments {
  readonly folder: string;
  readonly logs: Map<number, LogFile>; // write-ahead logs whose lines are in no segment yet; `save` makes it durable
  hasChunks: boolean; // the list of seen chunks was written
  readonly #segments = new Map<number, Segment>();
  #next: number;
  #writing: Promise<void> = Promise.resolve();

  private constructor(folder: string, next: number, logs: readonly LogFile[], hasChunks: boolean) {
    this.folder = folder;
    this.#next = next;
    this.logs = new Map(logs.map((log) => [log.number, log]));
    this.hasChunks = hasChunks;
  }

  static open(folder: string): OpenedSegments {
    const manifest = readManifest(folder);
    const names = readdirSync(folder);
    const there = names.map(logNumber).filter((number) => !Number.isNaN(number));
    const isNeeded = (number: number): boolean => manifest.logs?.some((log) => log.number === number) ?? true;
    const needed = manifest.logs ?? there.map((number): LogFile => ({ number }));
    const logs = needed.filter(({ number }) => there.includes(number)).sort((a, b) => a.number - b.number);
    const listed = new Set(manifest.segments.map(({ number }) => number));
    const files = names.map(segmentNumber).filter((number) => !Number.isNaN(number));
    if (files.length + there.length > 0 && !names.includes(manifestFile)) throw withoutManifest();
    for (const number of files) if (!listed.has(number)) rmSync(join(folder, segmentName(number)), { force: true });
    // Its lines are in a segment, or none of them were confirmed.
    for (const number of there) if (!isNeeded(number)) removeLog(folder, number);
    const next = Math.max(manifest.next, ...there.map((number) => number + 1));
    const segments = new Segments(folder, next, logs, manifest.chunks ?? names.includes(chunksFile));
    const missing = needed.map(({ number }) => number).filter((number) => !there.includes(number));
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

  // Returns the number of a new file.
  take(): number {
    return this.#next++;
  }

  get(number: number): Segment {
    return this.#segments.get(number) as Segment;
  }

  // In the order of their creation.
  live(): Segment[] {
    return [...this.#segments.values()].filter(({ isRetired }) => !isRetired).sort((a, b) => a.number - b.number);
  }

  // Durable when it resolves. New segments are added, others are removed, and write-ahead logs end, in one step.
  async replace(
    added: { number: number; streams: StreamBlocks[] }[],
    retired: readonly number[],
    sealedLogs: readonly number[] = [],
  ): Promise<void> {
    for (const { number, streams } of added)
      this.#register(number, statSync(join(this.folder, segmentName(number))).size, streams);
    for (const number of retired) this.get(number).isRetired = true;
    const ended = sealedLogs.flatMap((number) => this.logs.get(number) ?? []);
    for (const { number } of ended) this.logs.delete(number);
    try {
      await this.save();
    } catch (error) {
      for (const { number } of added) this.#segments.delete(number);
      for (const number of retired) this.get(number).isRetired = false;
      for (const log of ended) this.logs.set(log.number, log);
      throw error;
    }
  }

  // Marks blocks as removed; `save` makes it durable.
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

  // Keeps these files for a search until the returned function is called.
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
    return { format: 2, next: this.#next, segments, logs: [...this.logs.values()], chunks: this.hasChunks };
  }
}

// The manifest exists from the first start on. Without it all segments would count as unfinished and be removed, and no
// log could be read.
const withoutManifest = (): Fault =>
  new Fault(
    'unavailable',
    `The list of the log segments, ${manifestFile}, is missing. Restore it, or restore a backup.`,
  );
