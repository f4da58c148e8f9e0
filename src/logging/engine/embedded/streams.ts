// The index: the streams of a tenant, and where their lines are. It is entirely in memory; the segments' directories
// store it on disk.
import { Fault } from '../../../base/fault.ts';
import type { Labels, LogSelection, Matcher } from '../engine.ts';
import { labelsOfKey, matcherTest } from '../labels.ts';
import type { BlockEntry } from './block/block.ts';
import type { Head, HeadLines, HeadSize } from './head.ts';
import type { StreamBlocks } from './segment.ts';

export interface Stream {
  tenant: string;
  key: string;
  labels: Labels;
  blocks: BlockEntry[];
  heads: Head[]; // lines that are in memory, the oldest first
  usual?: HeadSize; // its size in the previous arena
}

// The part of a stream that may be in a range of time.
export interface StreamPart {
  labels: Labels;
  blocks: BlockEntry[];
  heads: HeadLines[];
}

// Limit per tenant. The index is in memory, where a stream needs about twice the characters of its labels.
export const mostStreams = 5000;
const mostLabelCharacters = 8 * 1024 * 1024;
const mostBlock = 1024 * 1024;
const leastBlock = 16 * 1024;
const mostOpenBlocks = 64 * 1024 * 1024;

export class StreamIndex {
  readonly #tenants = new Map<string, Map<string, Stream>>();
  readonly #characters = new Map<string, number>(); // total label length of all streams, by tenant

  find(tenant: string, key: string): Stream | undefined {
    return this.#tenants.get(tenant)?.get(key);
  }

  findOrAdd(tenant: string, key: string): Stream {
    const known = this.find(tenant, key);
    if (known) return known;
    const stream: Stream = { tenant, key, labels: labelsOfKey(key), blocks: [], heads: [] };
    this.#characters.set(tenant, (this.#characters.get(tenant) ?? 0) + key.length);
    const streams = this.#tenants.get(tenant);
    if (streams) streams.set(key, stream);
    else this.#tenants.set(tenant, new Map([[key, stream]]));
    return stream;
  }

  // Returns a check for jobs that arrive together: it throws if the streams of a job exceed the limit.
  limit(): (tenant: string, keys: readonly string[]) => void {
    const added = new Map<string, Set<string>>();
    return (tenant, keys) => {
      const known = this.#tenants.get(tenant);
      const fresh = new Set(added.get(tenant));
      for (const key of keys) if (!known?.has(key)) fresh.add(key);
      if (fresh.size > 0 && (known?.size ?? 0) + fresh.size > mostStreams) throw tooManyStreams();
      const characters = fresh.values().reduce((sum, key) => sum + key.length, this.#characters.get(tenant) ?? 0);
      if (fresh.size > 0 && characters > mostLabelCharacters) throw tooLongLabels();
      added.set(tenant, fresh);
    };
  }

  tenants(): Iterable<string> {
    return this.#tenants.keys();
  }

  streamsOf(tenant: string): Iterable<Stream> {
    return this.#tenants.get(tenant)?.values() ?? [];
  }

  *all(): Generator<Stream> {
    for (const streams of this.#tenants.values()) yield* streams.values();
  }

  addBlocks(added: readonly StreamBlocks[]): void {
    for (const { tenant, key, blocks } of added) this.findOrAdd(tenant, key).blocks.push(...blocks);
  }

  // Removes a stream without any lines.
  removeIfEmpty({ tenant, key, blocks, heads }: Stream): void {
    const streams = this.#tenants.get(tenant);
    if (blocks.length > 0 || heads.length > 0 || !streams?.delete(key)) return;
    this.#characters.set(tenant, (this.#characters.get(tenant) ?? 0) - key.length);
    if (streams.size > 0) return;
    this.#tenants.delete(tenant);
    this.#characters.delete(tenant);
  }

  // The maximum bytes of the lines of a block. A search over all streams has one block of each in memory at a time.
  blockBytesOf(tenant: string): number {
    const streams = this.#tenants.get(tenant)?.size ?? 1;
    return Math.min(mostBlock, Math.max(leastBlock, Math.floor(mostOpenBlocks / streams)));
  }

  // Regular expressions are left to the caller, because they may take long.
  partsOf({ tenant, matchers, fromNs, toNs }: LogSelection): StreamPart[] {
    const test = matcherTest(matchers.filter(isExact));
    const parts: StreamPart[] = [];
    for (const { labels, blocks, heads } of this.streamsOf(tenant)) {
      if (!test(labels)) continue;
      const overlaps = ({ minNs, maxNs }: { minNs: bigint; maxNs: bigint }): boolean => minNs < toNs && maxNs >= fromNs;
      const part = {
        labels,
        blocks: blocks.filter(overlaps),
        heads: heads.map((head) => head.view()).filter(overlaps),
      };
      if (part.blocks.length + part.heads.length > 0) parts.push(part);
    }
    return parts;
  }
}

export const isExact = ({ operator }: Matcher): boolean => operator === '=' || operator === '!=';

function tooManyStreams(): Fault {
  const message = `A pipeline has at most ${mostStreams} streams. Use fewer labels, or labels with fewer values.`;
  return new Fault('throttled', message, { retryAfterS: 3600 });
}

function tooLongLabels(): Fault {
  const message = `The labels of a pipeline's streams have at most ${mostLabelCharacters} characters. Use shorter values.`;
  return new Fault('throttled', message, { retryAfterS: 3600 });
}
