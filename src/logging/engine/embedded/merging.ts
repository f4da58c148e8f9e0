// Merges small blocks into larger ones, and rewrites segments that are mostly removed, in slices of background work. If
// sources lose blocks in the meantime, the merge is aborted and starts again.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Fault } from '../../../base/fault.ts';
import { TimeSlice } from '../../../core/threads/time-slice.ts';
import type { LineColumns } from '../packed-job.ts';
import { BlockBody, type BlockEntry, encodeBlock, rawBytes } from './block/block.ts';
import { BlockFiles } from './block/block-files.ts';
import { concatLines, sortLines } from './block/sorted-lines.ts';
import { BlockQueue, blocksOf, dayOf } from './sealing.ts';
import { SegmentWriter, segmentName } from './segment.ts';
import type { Segment, Segments } from './segments.ts';
import type { Stream, StreamIndex } from './streams.ts';

export interface MergingOptions {
  folder: string;
  segments: Segments;
  index: StreamIndex;
}

const sliceMs = 25;
const fanIn = 4; // segments of about one size that are merged
const tierBase = 4; // how much larger the segments of the next size are
const smallestTier = 256 * 1024;
const mostSegment = 256 * 1024 * 1024; // larger ones are never merged
const mostGone = 0.5; // the removed share at which a segment is rewritten

interface Merge {
  sources: ReadonlySet<number>;
  target: SegmentWriter;
  steps: AsyncGenerator<void>;
}

export class Merging {
  readonly #options: MergingOptions;
  #merge: Merge | undefined;
  #isStale = false;

  constructor(options: MergingOptions) {
    this.#options = options;
  }

  // Returns true if there is more to do.
  async step(): Promise<boolean> {
    if (this.#isStale) await this.abandon();
    if (!this.#merge) {
      const sources = this.#findSources();
      if (sources.length === 0) return false;
      this.#merge = await this.#begin(new Set(sources.map(({ number }) => number)));
    }
    const { steps } = this.#merge;
    try {
      for (const slice = new TimeSlice({ ms: sliceMs }); !slice.isDue; )
        if ((await steps.next()).done) {
          this.#merge = undefined;
          return true;
        }
    } catch (error) {
      await this.abandon();
      throw error;
    }
    return true;
  }

  // Called when blocks are removed that may be sources.
  forget(): void {
    this.#isStale = true;
  }

  async abandon(): Promise<void> {
    this.#isStale = false;
    if (!this.#merge) return;
    const { target, steps } = this.#merge;
    this.#merge = undefined;
    await steps.return(undefined); // closes the files that it reads
    await target.abandon();
    rmSync(join(this.#options.folder, segmentName(target.number)), { force: true });
  }

  #findSources(): Segment[] {
    const live = this.#options.segments.live().filter(({ bytes }) => bytes > 0);
    const wasted = live.find((one) => one.blocks > 0 && one.liveBytes < mostGone * one.bytes && one.dropped.size > 0);
    if (wasted) return [wasted];
    const tiers = new Map<number, Segment[]>();
    for (const segment of live) {
      if (segment.liveBytes > mostSegment || !this.#hasSmallBlocks(segment)) continue;
      const tier = Math.max(0, Math.floor(Math.log(segment.liveBytes / smallestTier) / Math.log(tierBase)));
      const same = tiers.get(tier) ?? [];
      tiers.set(tier, [...same, segment]);
      if (same.length + 1 === fanIn) return [...same, segment];
    }
    return [];
  }

  // Whether its blocks are on average smaller than half of the maximum.
  #hasSmallBlocks({ rawBytes: bytes, blocks }: Segment): boolean {
    const { index } = this.#options;
    let largest = 0;
    for (const tenant of index.tenants()) largest = Math.max(largest, index.blockBytesOf(tenant));
    return bytes / blocks < largest / 2;
  }

  async #begin(sources: ReadonlySet<number>): Promise<Merge> {
    const { folder, segments } = this.#options;
    const target = await SegmentWriter.create(folder, segments.take());
    return { sources, target, steps: this.#run(sources, target) };
  }

  async *#run(sources: ReadonlySet<number>, target: SegmentWriter): AsyncGenerator<void> {
    const { segments, index } = this.#options;
    const files = new BlockFiles(this.#options.folder);
    const merged: Stream[] = [];
    try {
      const queue = new BlockQueue(target);
      for (const stream of [...index.all()]) {
        const blocks = stream.blocks.filter(({ segment }) => sources.has(segment));
        if (blocks.length === 0) continue;
        merged.push(stream);
        for (const group of groupsOf(blocks, index.blockBytesOf(stream.tenant))) {
          await this.#mergeGroup(stream, group, files, queue);
          await setImmediate(); // appends continue in between
          yield;
        }
      }
      await queue.end();
      const streams = await target.finish();
      if (this.#isStale) return; // blocks were removed while the last one was written
      await segments.replace([{ number: target.number, streams }], [...sources]);
      for (const stream of merged) stream.blocks = stream.blocks.filter(({ segment }) => !sources.has(segment));
      index.addBlocks(streams);
    } finally {
      files.close();
    }
  }

  async #mergeGroup(stream: Stream, group: readonly BlockEntry[], files: BlockFiles, queue: BlockQueue): Promise<void> {
    const { tenant, key } = stream;
    const most = this.#options.index.blockBytesOf(tenant);
    const [first] = group;
    if (first && group.length === 1) return queue.add(tenant, key, Promise.resolve(files.copyOf(first)));
    const columns: LineColumns[] = [];
    for (const entry of group) {
      try {
        columns.push(await new BlockBody(entry, files.bodyOf(entry)).columns());
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        await queue.add(tenant, key, Promise.resolve(files.copyOf(entry)));
      }
    }
    for (const part of blocksOf(sortLines(concatLines(columns)), most)) await queue.add(tenant, key, encodeBlock(part));
  }
}

// Groups adjacent blocks of a day that are together not much larger than one block.
function groupsOf(blocks: readonly BlockEntry[], most: number): BlockEntry[][] {
  const groups: BlockEntry[][] = [];
  let bytes = 0;
  for (const block of blocks.toSorted((a, b) => (a.minNs < b.minNs ? -1 : 1))) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const fits = first && dayOf(first.minNs) === dayOf(block.minNs) && bytes + rawBytes(block) <= most;
    if (fits) group?.push(block);
    else groups.push([block]);
    bytes = fits ? bytes + rawBytes(block) : rawBytes(block);
  }
  return groups;
}
