// Reads the files of a partition, even while it is written to, and reports missing or damaged ones: every batch by its
// CRC, the offset and leader epoch that the CRC leaves out by the adjacent batches, and the indexes by the batches. It
// changes nothing.
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { int64At } from '../wire/reader.ts';
import { batchHeaderAt, batchHeaderBytes, batchSizeAt, hasRightCrc } from '../wire/record-batch.ts';
import { type LogState, logStateFile, readLogState } from './log-state.ts';
import { Segment } from './segment.ts';
import { entryBytes } from './sparse-index.ts';

export interface PartitionFacts {
  folder: string;
  hasState: boolean; // its state was saved
  isCompacted: boolean; // offsets may have gaps
  lastEpoch: number; // the newest epoch of any leader
}

export async function partitionDamage(facts: PartitionFacts): Promise<string[]> {
  try {
    return await readPartition(facts);
  } catch (error) {
    return [`${facts.folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

async function readPartition(facts: PartitionFacts): Promise<string[]> {
  const { folder, hasState } = facts;
  if (!existsSync(folder)) return [`${folder} is missing, with all of its records`];
  const statePath = join(folder, logStateFile);
  let state: LogState | undefined;
  try {
    state = await readLogState(folder);
  } catch {
    return [`${statePath} is damaged: the start offset of the log is unknown`];
  }
  const found: string[] = [];
  if (!state && hasState) found.push(`${statePath} is missing: records that were deleted may come back`);
  const names = await readdir(folder);
  const bases = basesOf(names, 'log');
  for (const base of basesOf(names, 'index'))
    if (!bases.includes(base)) found.push(`${nameAt(folder, base)} is missing, with its records`);
  const start = state?.startOffset ?? 0;
  const [first] = bases;
  if (found.length === 0 && (first === undefined || first > start)) found.push(missingFrom(folder, start));
  const reading = new PartitionReading(facts, state);
  for (const [at, base] of bases.entries()) found.push(...(await reading.segment(base, bases[at + 1])));
  if (first !== undefined && found.length === 0 && reading.next < (state?.endOffset ?? 0))
    found.push(`${nameAt(folder, bases.at(-1) ?? 0)} is truncated: its last records are missing`);
  return found;
}

// Returns the first offset of each file.
const basesOf = (names: readonly string[], ending: string): number[] =>
  names
    .filter((name) => /^\d{20}\./.test(name) && name.endsWith(`.${ending}`))
    .map((name) => Number(name.slice(0, 20)))
    .sort((a, b) => a - b);

const missingFrom = (folder: string, offset: number): string =>
  `${nameAt(folder, offset)}, or the file before it, is missing, with the records from offset ${offset} on`;

const nameAt = (folder: string, base: number): string => new Segment(folder, base, 0).path;

interface Batch {
  offset: number;
  before: number; // the latest time of the batches before it
  latest: number; // and with it
}

class PartitionReading {
  next = 0; // the offset after the last batch
  readonly #facts: PartitionFacts;
  readonly #state: LogState | undefined;
  #epoch = -1;

  constructor(facts: PartitionFacts, state: LogState | undefined) {
    this.#facts = facts;
    this.#state = state;
  }

  async segment(base: number, nextBase: number | undefined): Promise<string[]> {
    const segment = new Segment(this.#facts.folder, base, 0);
    segment.size = (await stat(segment.path)).size;
    this.next = base;
    const batches = new Map<number, Batch>(); // by position
    let end = 0;
    let latest = -1;
    const found: string[] = [];
    try {
      for await (const { header, position } of segment.scan(0, true)) {
        if (!this.#isInOrder(header)) {
          found.push(`${segment.path} is damaged at byte ${position}: the batch is out of order`);
          break;
        }
        const before = latest;
        latest = Math.max(latest, header.maxTimestamp);
        batches.set(position, { offset: header.baseOffset, before, latest });
        end = position + header.size;
        this.next = header.lastOffset + 1;
        this.#epoch = header.leaderEpoch;
      }
      const isLast = nextBase === undefined;
      if (found.length === 0 && end < segment.size && !(isLast && (await isCutShort(segment, end))))
        found.push(`${segment.path} is damaged at byte ${end}: the records after it are lost`);
    } finally {
      await segment.close();
    }
    const following = nextBase ?? Math.max(this.next, this.#state?.startOffset ?? 0);
    if (found.length === 0) found.push(...(await this.#indexDamage(segment, batches, following)));
    if (found.length === 0 && !this.#isCompacted && nextBase !== undefined && this.next !== nextBase)
      found.push(missingFrom(this.#facts.folder, this.next));
    return found;
  }

  get #isCompacted(): boolean {
    return this.#facts.isCompacted || this.#state?.isCompacted === true;
  }

  #isInOrder({ baseOffset, leaderEpoch }: { baseOffset: number; leaderEpoch: number }): boolean {
    const isNext = this.#isCompacted ? baseOffset >= this.next : baseOffset === this.next;
    if (!isNext || leaderEpoch < this.#epoch || leaderEpoch > this.#facts.lastEpoch) return false;
    if (!this.#state || baseOffset >= this.#state.endOffset) return true;
    const known = this.#state.epochs.findLast(({ startOffset }) => startOffset <= baseOffset);
    return known === undefined || known.epoch === leaderEpoch;
  }

  // Each entry is the start of a batch, or the end of the segment when it was closed.
  async #indexDamage(segment: Segment, batches: Map<number, Batch>, following: number): Promise<string[]> {
    const latest = [...batches.values()].at(-1)?.latest ?? -1;
    const bytes = await readFile(segment.indexPath).catch(() => Buffer.alloc(0)); // a missing index is rebuilt
    for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
      const [offset, position, time] = [int64At(bytes, at), int64At(bytes, at + 8), int64At(bytes, at + 16)];
      const batch = batches.get(position);
      const isEnd = position === segment.size;
      const isRight = isEnd
        ? offset === following && (this.#isCompacted ? time >= latest : time === latest)
        : batch?.offset === offset && (this.#isCompacted || time === batch.before || time === batch.latest);
      const isNew = position > segment.size && position <= (await stat(segment.path)).size; // written in the meantime
      if (isRight || isNew) continue;
      return [`${segment.indexPath} is damaged. Delete it; the next start rebuilds it`];
    }
    return [];
  }
}

// A crash leaves an incomplete write: fewer bytes than the batch header says, or zeros.
async function isCutShort(segment: Segment, at: number): Promise<boolean> {
  const bytes = await segment.read(at, segment.size - at, 0);
  if (bytes.length < batchHeaderBytes || bytes.every((byte) => byte === 0)) return true;
  if (batchSizeAt(bytes, 0) <= bytes.length || hasRightCrc(bytes, 0, bytes.length)) return false;
  return !hasBatch(bytes, batchHeaderBytes);
}

// Returns whether a complete batch begins somewhere after a position.
function hasBatch(bytes: Buffer, from: number): boolean {
  for (let at = from; at + batchHeaderBytes <= bytes.length; at++) {
    const size = batchSizeAt(bytes, at);
    if (size < batchHeaderBytes || at + size > bytes.length || batchHeaderAt(bytes, at).magic !== 2) continue;
    if (hasRightCrc(bytes, at, size)) return true;
  }
  return false;
}
