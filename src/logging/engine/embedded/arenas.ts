// The arena that takes lines, with its write-ahead log, and the one before it while it is sealed. Its calls are made
// one after the other; sealing goes on meanwhile. A sealing that fails is tried again: until then its lines are in
// memory and in the logs.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkedJson, parseCheckedJson } from '../../../base/checked-json.ts';
import { keepDamagedCopy } from '../../../base/damaged-copy.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import { type PackedJob, unpackJob } from '../packed-job.ts';
import { Arena } from './arena.ts';
import { chunksFile, writeWhole } from './manifest.ts';
import { sealHeads } from './sealing.ts';
import { chunkName, SeenChunks } from './seen-chunks.ts';
import { type StreamBlocks, segmentName } from './segment.ts';
import type { Segments } from './segments.ts';
import type { StreamIndex } from './streams.ts';
import { type LogDamage, type LogRecord, logName, readLog, removeLog, WriteAheadLog } from './write-ahead-log.ts';

export interface ArenasOptions {
  folder: string;
  now: () => number;
  segments: Segments;
  index: StreamIndex;
  onDamage(message: string): void;
}

export class Arenas {
  readonly chunks: SeenChunks;
  readonly #options: ArenasOptions;
  #current: Arena;
  #log!: WriteAheadLog;
  #sealed: Arena | undefined; // is being sealed, or has to be again
  #sealing: Promise<void> | undefined;
  #done: number[] = []; // logs of an earlier process that hold no lines

  // `logs`: the write-ahead logs that are there. `onDrop`: a tenant goes with all that stands before.
  constructor(options: ArenasOptions, logs: number[], onDrop: (tenant: string) => void) {
    const { folder, now, onDamage } = options;
    this.#options = options;
    this.chunks = readChunks(folder);
    this.#current = new Arena(logs, now());
    for (const number of logs) {
      const keepDamaged = (damage: LogDamage): void => {
        const copy = keepDamagedCopy(join(folder, logName(number)), damage.at);
        const { at, bytes } = damage;
        onDamage(`${join(folder, logName(number))} is damaged at byte ${at}: ${bytes} bytes are lost (see ${copy})`);
      };
      for (const record of readLog(folder, number, keepDamaged)) {
        if ('drop' in record) {
          this.drop(record.drop);
          onDrop(record.drop);
        } else this.#replay(unpackJob(record.job));
      }
    }
    if (this.#current.isEmpty) this.#done = this.#current.logs.splice(0);
    for (const number of this.#done) options.segments.logs.delete(number);
  }

  get bytes(): number {
    return this.#current.bytes;
  }

  get hasUnsealed(): boolean {
    return this.#sealed !== undefined;
  }

  // For how long the first of the lines has been in memory.
  get ageMs(): number {
    return this.#current.isEmpty ? 0 : this.#options.now() - this.#current.begunMs;
  }

  // After this the manifest lists the log.
  async openLog(arena = this.#current): Promise<void> {
    const { folder, segments } = this.#options;
    for (const number of this.#done.splice(0)) removeLog(folder, number);
    const log = new WriteAheadLog(folder, segments.take());
    segments.logs.add(log.number);
    try {
      await syncFolder(folder);
      await segments.save();
    } catch (error) {
      segments.logs.delete(log.number);
      log.close();
      removeLog(folder, log.number);
      throw error;
    }
    arena.logs.push(log.number);
    this.#log = log;
  }

  // Resolves when the records are durable.
  append(records: readonly LogRecord[]): Promise<void> {
    return this.#log.append(records);
  }

  keep(job: PackedJob): void {
    this.#current.add(job, this.#options.index);
  }

  // The lines in memory of a tenant go.
  drop(tenant: string): void {
    this.#current.drop(tenant);
    this.#sealed?.drop(tenant);
  }

  // Begins a new arena, where the one before has lines; that one is sealed meanwhile. Waits for one that is sealed
  // already.
  async rotate(): Promise<void> {
    await this.settle();
    if (this.#current.isEmpty) return;
    const fresh = new Arena([], this.#options.now());
    const log = this.#log;
    await this.openLog(fresh);
    log.close();
    this.#sealed = this.#current;
    this.#current = fresh;
    this.#startSealing();
  }

  // Waits until nothing is left to be sealed; tries again what failed.
  async settle(): Promise<void> {
    await this.#sealing?.catch(() => {});
    if (!this.#sealed) return;
    if (!this.#sealing) this.#startSealing();
    await this.#sealing;
  }

  async close(): Promise<void> {
    await this.#sealing?.catch(() => {});
    this.#log.close();
  }

  #replay(job: PackedJob): void {
    if (job.chunk !== undefined) this.chunks.add(chunkName(job.tenant, job.chunk));
    this.keep(job);
  }

  #startSealing(): void {
    this.#sealing = this.#seal(this.#sealed as Arena).finally(() => {
      this.#sealing = undefined;
    });
    this.#sealing.catch(() => {}); // whoever settles tries again
  }

  async #seal(arena: Arena): Promise<void> {
    const { folder, segments, index } = this.#options;
    if (arena.isEmpty) await segments.replace([], [], arena.logs);
    else {
      const number = segments.take();
      const streams = await this.#writeSegment(number, arena);
      await segments.replace([{ number, streams }], [], arena.logs);
      arena.leave();
      index.addBlocks(streams);
    }
    this.#sealed = undefined;
    for (const number of arena.logs) removeLog(folder, number);
  }

  // What is not finished goes at once: a full disk would stay full of attempts.
  async #writeSegment(number: number, { heads }: Arena): Promise<StreamBlocks[]> {
    const { folder, index, segments } = this.#options;
    try {
      const blockBytesOf = (tenant: string): number => index.blockBytesOf(tenant);
      const streams = await sealHeads({ folder, number, heads, blockBytesOf });
      await writeWhole(folder, chunksFile, checkedJson(this.chunks));
      segments.hasChunks = true;
      return streams;
    } catch (error) {
      rmSync(join(folder, segmentName(number)), { force: true });
      throw error;
    }
  }
}

function readChunks(folder: string): SeenChunks {
  try {
    return new SeenChunks(parseCheckedJson(readFileSync(join(folder, chunksFile), 'utf8')) as string[]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return new SeenChunks();
    throw error;
  }
}
