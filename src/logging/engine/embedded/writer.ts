// The write side: jobs that wait together are written and synced together, then added to memory, and confirmed. Memory
// has only lines that are on disk.
import { machineTime } from '../../../base/clock.ts';
import { makeFolder } from '../../../base/sync-folder.ts';
import type { AppendJob, LogSelection, LogWriter, Matcher } from '../engine.ts';
import type { LogFigures } from '../figures.ts';
import { matcherTest } from '../labels.ts';
import { type PackedJob, packJob, unpackJob } from '../packed-job.ts';
import { Arenas } from './arenas.ts';
import { logFault } from './faults.ts';
import { Merging } from './merging.ts';
import { chunkName } from './seen-chunks.ts';
import { Segments } from './segments.ts';
import type { SearchFigures, Snapshot, SnapshotSource } from './snapshot.ts';
import { type Stream, StreamIndex } from './streams.ts';
import { type LogEntry, logName } from './write-ahead-log.ts';

export interface WriterOptions {
  folder: string;
  now?: () => number; // the machine's time
  arenaBytes?: number; // the memory of lines at which they are sealed
  sealAfterMs?: number; // the age of lines at which they are sealed
  onDamage?(message: string): void;
}

// The queue: jobs, which are written together, and tasks that need the log exclusively.
interface Waiting {
  packed?: Uint8Array;
  task?: () => Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

const fullArena = 16 * 1024 * 1024;
const oldMs = 60 * 60_000;
const mostBatchBytes = 16 * 1024 * 1024;
const notKept = 'no lines were stored; try again later';

export async function openWriter(options: WriterOptions): Promise<EmbeddedLogWriter> {
  await makeFolder(options.folder);
  const writer = new EmbeddedLogWriter(options);
  await writer.begin();
  return writer;
}

export class EmbeddedLogWriter implements LogWriter, SnapshotSource {
  readonly #arenaBytes: number;
  readonly #sealAfterMs: number;
  readonly #index = new StreamIndex();
  readonly #segments: Segments;
  readonly #merging: Merging;
  readonly #arenas: Arenas;
  readonly #releases = new Map<number, () => void>();
  readonly #figures = {
    appendedLines: 0,
    appendedBytes: 0,
    repeatedChunks: 0,
    groupCommits: 0,
    readBlocks: 0,
    skippedBlocks: 0,
  };
  #waiting: Waiting[] = [];
  #committing: Promise<void> | undefined;
  #exclusive: Promise<unknown> = Promise.resolve(); // prune, drop and tidy take turns
  #snapshots = 0;
  #isClosed = false;

  constructor({ folder, now, arenaBytes, sealAfterMs, onDamage = () => {} }: WriterOptions) {
    this.#arenaBytes = arenaBytes ?? fullArena;
    this.#sealAfterMs = sealAfterMs ?? oldMs;
    const { segments, streams, logs, missing, damaged } = Segments.open(folder);
    const index = this.#index;
    index.addBlocks(streams);
    this.#segments = segments;
    this.#merging = new Merging({ folder, segments, index });
    this.#arenas = new Arenas({ folder, segments, index, now: now ?? machineTime, onDamage }, logs, (tenant) => {
      this.#forget(tenant);
    });
    for (const number of damaged) onDamage(`the directory of segment ${number} is damaged: its lines are missing`);
    for (const number of missing) onDamage(`${logName(number)} is missing: its lines are lost`);
  }

  async begin(): Promise<void> {
    await this.#segments.save(); // it no longer has tenants that a log dropped
    await this.#arenas.openLog();
  }

  async append(jobs: readonly AppendJob[]): Promise<void> {
    await Promise.all(jobs.map((job) => this.appendPacked(packJob(job))));
  }

  // The engine owns the bytes from now on.
  appendPacked(packed: Uint8Array): Promise<void> {
    return this.#inLine({ packed });
  }

  prune(tenant: string, matchers: readonly Matcher[], beforeNs: bigint): Promise<void> {
    return this.#inTurn(async () => {
      const test = matcherTest(matchers);
      const streams = [...this.#index.streamsOf(tenant)].filter(({ labels }) => test(labels));
      if (streams.some(({ heads }) => heads.some(({ minNs }) => minNs < beforeNs))) await this.#sealAll();
      await this.#dropBlocks(streams, (maxNs) => maxNs < beforeNs);
    });
  }

  drop(tenant: string): Promise<void> {
    const task = async (): Promise<void> => {
      await this.#arenas.settle();
      if ([...this.#index.streamsOf(tenant)].length === 0) return;
      await this.#arenas.append([{ drop: tenant }]);
      this.#arenas.drop(tenant);
      this.#forget(tenant);
      await this.#segments.save();
    };
    return this.#inTurn(() => this.#inLine({ task }));
  }

  tidy(): Promise<boolean> {
    return this.#inTurn(async () => {
      const { hasUnsealed, ageMs } = this.#arenas;
      if (hasUnsealed || ageMs > this.#sealAfterMs) await this.#sealAll();
      return this.#merging.step();
    });
  }

  async figures(): Promise<LogFigures> {
    const live = this.#segments.live();
    return {
      ...this.#figures,
      blocks: live.reduce((sum, { blocks }) => sum + blocks, 0),
      blockBytes: live.reduce((sum, { liveBytes }) => sum + liveBytes, 0),
    };
  }

  snapshot(selection: LogSelection): Snapshot {
    const streams = this.#index.partsOf(selection);
    const number = ++this.#snapshots;
    const used = new Set(streams.flatMap(({ blocks }) => blocks.map(({ segment }) => segment)));
    this.#releases.set(number, this.#segments.hold(used));
    return { number, streams };
  }

  release(number: number, done?: SearchFigures): void {
    this.#figures.readBlocks += done?.readBlocks ?? 0;
    this.#figures.skippedBlocks += done?.skippedBlocks ?? 0;
    this.#releases.get(number)?.();
    this.#releases.delete(number);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#committing;
    await this.#exclusive;
    await this.#merging.abandon();
    await this.#arenas.close();
  }

  #inLine(work: Pick<Waiting, 'packed' | 'task'>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...work, resolve, reject });
      this.#committing ??= this.#commit().finally(() => {
        this.#committing = undefined;
      });
    });
  }

  async #commit(): Promise<void> {
    await Promise.resolve(); // collects everything that is appended in this turn
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      const [first] = batch;
      try {
        if (first?.task) await first.task().then(first.resolve);
        else {
          if (this.#arenas.bytes >= this.#arenaBytes) await this.#arenas.rotate();
          await this.#write(batch);
        }
      } catch (error) {
        const fault = logFault(error, notKept) ?? error;
        for (const { reject } of batch) reject(fault);
      }
    }
  }

  // Returns one task, or the jobs up to the next task.
  #takeBatch(): Waiting[] {
    let [count, bytes] = [0, 0];
    for (const { packed } of this.#waiting) {
      bytes += packed?.length ?? mostBatchBytes;
      if (count > 0 && bytes > mostBatchBytes) break;
      count += 1;
      if (!packed) break;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const jobs: PackedJob[] = [];
    const entries: LogEntry[] = [];
    const accepted: Waiting[] = [];
    const chunks = new Set<string>();
    const limit = this.#index.limit();
    for (const one of batch) {
      const packed = one.packed as Uint8Array;
      try {
        const job = unpackJob(packed);
        const chunk = job.chunk === undefined ? undefined : chunkName(job.tenant, job.chunk);
        const isRepeated = chunk !== undefined && (chunks.has(chunk) || this.#arenas.chunks.has(chunk));
        if (isRepeated) this.#figures.repeatedChunks += 1;
        else {
          limit(job.tenant, keysOf(job));
          jobs.push(job);
          entries.push({ job: packed });
          if (chunk !== undefined) chunks.add(chunk);
        }
        accepted.push(one);
      } catch (error) {
        one.reject(error);
      }
    }
    if (entries.length > 0) {
      await this.#arenas.append(entries);
      this.#figures.groupCommits += 1;
    }
    for (const chunk of chunks) this.#arenas.chunks.add(chunk);
    for (const job of jobs) this.#keep(job);
    for (const { packed } of batch) release(packed);
    for (const { resolve } of accepted) resolve();
  }

  #keep(job: PackedJob): void {
    this.#arenas.keep(job);
    for (const { columns } of job.streams) {
      this.#figures.appendedLines += columns.count;
      this.#figures.appendedBytes += columns.lines.bytes.length - columns.count;
    }
  }

  #forget(tenant: string): void {
    for (const stream of [...this.#index.streamsOf(tenant)]) {
      this.#segments.drop(stream.blocks);
      stream.blocks = [];
      stream.heads = [];
      this.#index.removeIfEmpty(stream);
    }
    this.#merging.forget();
  }

  // Turns all lines in memory into blocks.
  async #sealAll(): Promise<void> {
    await this.#inLine({ task: () => this.#arenas.rotate() });
    await this.#arenas.settle();
  }

  async #dropBlocks(streams: readonly Stream[], isOld: (maxNs: bigint) => boolean): Promise<void> {
    const old = streams.flatMap(({ blocks }) => blocks.filter(({ maxNs }) => isOld(maxNs)));
    if (old.length === 0) return;
    this.#merging.forget();
    this.#segments.drop(old);
    for (const stream of streams) {
      stream.blocks = stream.blocks.filter(({ maxNs }) => !isOld(maxNs));
      this.#index.removeIfEmpty(stream);
    }
    await this.#segments.save();
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#exclusive.then(() => {
      if (this.#isClosed) throw new Error('the log engine is closed');
      return work();
    });
    this.#exclusive = turn.catch(() => {});
    return turn.catch((error) => {
      throw logFault(error, 'try again later') ?? error;
    });
  }
}

// Releases large buffers at once: the garbage collector does not know how much memory they take.
function release(packed: Uint8Array | undefined): void {
  if (packed?.buffer instanceof ArrayBuffer) packed.buffer.transfer(0);
}

const keysOf = ({ streams }: PackedJob): string[] => streams.map(({ key }) => key);
