// Splits lines into blocks: each within one day, so that old days can be removed as a whole, and none larger than a
// search can handle, including metadata.
import { setImmediate } from 'node:timers/promises';
import type { LineColumns } from '../packed-job.ts';
import { type EncodedBlock, encodeBlock } from './block/block.ts';
import { sliceLines, sortLines, startOf } from './block/sorted-lines.ts';
import type { Head } from './head.ts';
import { SegmentWriter, type StreamBlocks } from './segment.ts';
import type { Stream } from './streams.ts';

const dayNs = 86_400_000_000_000n;
const mostAtWork = 3; // blocks that are compressed concurrently

export interface SealOptions {
  folder: string;
  number: number; // of the new segment
  heads: ReadonlyMap<Stream, Head>;
  blockBytesOf(tenant: string): number;
}

export async function sealHeads({ folder, number, heads, blockBytesOf }: SealOptions): Promise<StreamBlocks[]> {
  const segment = await SegmentWriter.create(folder, number);
  const blocks = new BlockQueue(segment);
  try {
    for (const [{ tenant, key }, head] of heads) {
      const { isSorted, ...columns } = head.view();
      for (const part of blocksOf(sortLines(columns, isSorted), blockBytesOf(tenant))) {
        await blocks.add(tenant, key, encodeBlock(part));
        await setImmediate(); // appends continue in between
      }
    }
    await blocks.end();
    return await segment.finish();
  } catch (error) {
    await segment.abandon();
    throw error;
  }
}

// Compresses blocks concurrently, and writes them in their order.
export class BlockQueue {
  readonly #segment: SegmentWriter;
  readonly #waiting: { tenant: string; key: string; block: Promise<EncodedBlock> }[] = [];

  constructor(segment: SegmentWriter) {
    this.#segment = segment;
  }

  async add(tenant: string, key: string, block: Promise<EncodedBlock>): Promise<void> {
    block.catch(() => {}); // reported when its turn comes
    this.#waiting.push({ tenant, key, block });
    if (this.#waiting.length >= mostAtWork) await this.#next();
  }

  async end(): Promise<void> {
    while (this.#waiting.length > 0) await this.#next();
  }

  async #next(): Promise<void> {
    const first = this.#waiting.shift();
    if (first) await this.#segment.add(first.tenant, first.key, await first.block);
  }
}

// Yields the parts that become one block each; the lines must be sorted.
export function* blocksOf(columns: LineColumns, mostBytes: number): Generator<LineColumns> {
  const { count, times, lines, metadata } = columns;
  const bytesUpTo = (at: number): number => (lines.ends[at] as number) + (metadata ? (metadata.ends[at] as number) : 0);
  for (let from = 0; from < count; ) {
    const nextDay = dayOf(times[from] as bigint) + dayNs;
    const start = startOf(lines, from) + (metadata ? startOf(metadata, from) : 0);
    const byDay = lowerBound(from, count, (at) => (times[at] as bigint) < nextDay);
    const bySize = lowerBound(from, count, (at) => bytesUpTo(at) - start < mostBytes);
    const to = Math.max(from + 1, Math.min(byDay, bySize));
    yield sliceLines(columns, from, to);
    from = to;
  }
}

export const dayOf = (time: bigint): bigint => time - (((time % dayNs) + dayNs) % dayNs);

// Returns the first index for which the test fails; it must hold for all before.
export function lowerBound(from: number, to: number, test: (at: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
