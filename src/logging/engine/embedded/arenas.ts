// The arena that receives lines, with its write-ahead log, and the previous one while it is sealed. Calls run one after
// the other, and sealing continues in the background. A failed sealing is repeated: until then its lines are in memory
// and in the logs.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkedJson, parseCheckedJson } from '../../../base/checked-json.ts';
import { replaceFile } from '../../../base/files/whole-file.ts';
import { randomHex } from '../../../base/ids.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import { replayLog } from '../../../core/record-log/record-reader.ts';
import { type PackedJob, unpackJob } from '../packed-job.ts';
import { Arena } from './arena.ts';
import { chunksFile } from './manifest.ts';
import { sealHeads } from './sealing.ts';
import { chunkName, SeenChunks } from './seen-chunks.ts';
import { type StreamBlocks, segmentName } from './segment.ts';
import type { Segments } from './segments.ts';
import type { StreamIndex } from './streams.ts';
import {
  entryReader,
  type LogEntry,
  type LogFile,
  logName,
  openLog,
  recordOf,
  removeLog,
  type WriteAheadLog,
} from './write-ahead-log.ts';

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
  #sealed: Arena | undefined; // is being sealed, or waits for a repetition
  #sealing: Promise<void> | undefined;
  #done: number[] = []; // logs of an earlier process that hold no lines

  // `logs`: the existing write-ahead logs. `onDrop`: called for a dropped tenant, to remove everything before it.
  constructor(options: ArenasOptions, logs: LogFile[], onDrop: (tenant: string) => void) {
    const { folder, now, onDamage } = options;
    this.#options = options;
    this.chunks = readChunks(folder);
    this.#current = new Arena(
      logs.map(({ number }) => number),
      now(),
    );
    for (const log of logs) {
      for (const entry of replayLog(join(folder, logName(log.number)), entryReader(log), onDamage)) {
        if ('drop' in entry) {
          this.drop(entry.drop);
          onDrop(entry.drop);
        } else this.#replay(unpackJob(entry.job));
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

  // The time since the first line was added.
  get ageMs(): number {
    return this.#current.isEmpty ? 0 : this.#options.now() - this.#current.begunMs;
  }

  // Afterwards the manifest lists the log.
  async openLog(arena = this.#current): Promise<void> {
    const { folder, segments } = this.#options;
    for (const number of this.#done.splice(0)) removeLog(folder, number);
    const file = { number: segments.take(), seed: Number.parseInt(randomHex(4), 16) };
    const { number } = file;
    const log = openLog(folder, file);
    segments.logs.set(number, file);
    try {
      await syncFolder(folder);
      await segments.save();
    } catch (error) {
      segments.logs.delete(number);
      log.remove();
      throw error;
    }
    arena.logs.push(number);
    this.#log = log;
  }

  // Resolves when the entries are durable.
  async append(entries: readonly LogEntry[]): Promise<void> {
    await this.#log.append(entries.map(recordOf));
  }

  keep(job: PackedJob): void {
    this.#current.add(job, this.#options.index);
  }

  // Removes the tenant's lines from memory.
  drop(tenant: string): void {
    this.#current.drop(tenant);
    this.#sealed?.drop(tenant);
  }

  // Starts a new arena if the current one has lines, which is then sealed. Waits for a sealing in progress.
  async rotate(): Promise<void> {
    await this.settle();
    if (this.#current.isEmpty) return;
    const fresh = new Arena([], this.#options.now());
    const log = this.#log;
    await this.openLog(fresh);
    log.release();
    this.#sealed = this.#current;
    this.#current = fresh;
    this.#startSealing();
  }

  // Waits until everything is sealed, and repeats failed sealings.
  async settle(): Promise<void> {
    await this.#sealing?.catch(() => {});
    if (!this.#sealed) return;
    if (!this.#sealing) this.#startSealing();
    await this.#sealing;
  }

  async close(): Promise<void> {
    await this.#sealing?.catch(() => {});
    this.#log.release();
  }

  #replay(job: PackedJob): void {
    if (job.chunk !== undefined) this.chunks.add(chunkName(job.tenant, job.chunk));
    this.keep(job);
  }

  #startSealing(): void {
    this.#sealing = this.#seal(this.#sealed as Arena).finally(() => {
      this.#sealing = undefined;
    });
    this.#sealing.catch(() => {}); // `settle` tries again
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

  // Removes an unfinished segment at once: a full disk would stay full of attempts.
  async #writeSegment(number: number, { heads }: Arena): Promise<StreamBlocks[]> {
    const { folder, index, segments } = this.#options;
    try {
      const blockBytesOf = (tenant: string): number => index.blockBytesOf(tenant);
      const streams = await sealHeads({ folder, number, heads, blockBytesOf });
      await replaceFile(join(folder, chunksFile), checkedJson(this.chunks));
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
