// The embedded state engine: one SQLite file in WAL mode, every commit synced before it is acknowledged.
// Reads are synchronous below their promise and can't meet an open transaction: see commit-queue.ts.
import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import type { Dump, Lease, Outcome, Row, Scan, StateCheck, StateEngine, Table, WriteSet } from '../engine.ts';
import type { StateFigures } from '../figures.ts';
import { limitOf, planScan, queryOf } from '../scan.ts';
import { checkSqlite } from './check.ts';
import { Checkpointer } from './checkpoint.ts';
import { CommitQueue, type Job } from './commit-queue.ts';
import { Damage } from './damage.ts';
import { type CopyOptions, dumpSqlite, loadSqlite, removeCopies } from './dump.ts';
import { isFull, storeFault } from './faults.ts';
import { prepareFile } from './migrations.ts';
import { behindKey, type PackedRow, unpacked } from './rows.ts';
import { cachedPrepare, type Prepare, sqliteTables } from './table.ts';
import { Writer } from './writer.ts';

export interface SqliteOptions {
  folder: string;
  now: () => number; // real time, for leases: never the movable clock
  checkpoint?: boolean; // false: without checkpoints
  softBytes?: number; // of the log, before a checkpoint
  hardBytes?: number; // of the log, before writes wait for a restart of the log
  pageSize?: number; // of a new file
}

const mb = 1024 * 1024;
const softBytes = 32 * mb; // a page that is written repeatedly is copied once
const hardBytes = 128 * mb;
const fullMs = 5000;
const cacheKb = 4 * 1024; // inner pages of the trees; more made no read faster, and each commit walks all of it

export async function openSqlite(options: SqliteOptions): Promise<StateEngine> {
  const file = join(resolve(options.folder), 'state.db');
  try {
    mkdirSync(options.folder, { recursive: true });
    removeCopies(file);
    prepareFile(file, options.pageSize ?? 4096);
    return new SqliteEngine(connect(file, options.hardBytes ?? hardBytes), file, options);
  } catch (error) {
    if (error instanceof Fault) throw error;
    const reason = storeFault(error, '')?.message.slice(0, -2) ?? (error instanceof Error ? error.message : 'unknown');
    const message = `${file} can not be opened (${reason}): check the disk and its permissions, or restore a backup`;
    throw new Fault('unavailable', message, { cause: error });
  }
}

function connect(file: string, logBytes: number): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 2000 });
  try {
    db.exec(`PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-${cacheKb};
      PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=${logBytes}`);
    const mode = db.prepare('PRAGMA journal_mode=WAL').get()?.journal_mode;
    if (mode !== 'wal') throw new Fault('unavailable', `${file} is on a disk without shared memory. Use a local disk.`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

class SqliteEngine implements StateEngine {
  readonly exclusive = true; // the data folder's lock keeps other processes out
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #now: () => number;
  readonly #prepare: Prepare;
  readonly #reader: Reader;
  readonly #writer: Writer;
  readonly #checkpointer: Checkpointer;
  readonly #queue: CommitQueue;
  readonly #damage: Damage;
  #copies = 0; // being made for dumps
  #fullAt = Number.NEGATIVE_INFINITY; // when a commit failed because the disk was full, unless one succeeded since
  #loading: Promise<void> | undefined;
  #loads = 0;
  #closing: Promise<void> | undefined;

  constructor(db: DatabaseSync, file: string, options: SqliteOptions) {
    const prepare = cachedPrepare(db);
    this.#db = db;
    this.#file = file;
    this.#damage = new Damage(file, db);
    this.#now = options.now;
    this.#prepare = prepare;
    this.#reader = createReader(prepare);
    this.#writer = new Writer(prepare);
    const checkpointer = new Checkpointer({
      file,
      frameBytes: this.#pragma('page_size') + 24,
      softBytes: options.softBytes ?? softBytes,
      hardBytes: options.hardBytes ?? hardBytes,
      measure: () => logOf(prepare),
      resume: () => this.#queue.schedule(),
      isCopied: () => this.#copies > 0,
    });
    this.#checkpointer = checkpointer;
    const committed = (pages: number): void => {
      this.#fullAt = Number.NEGATIVE_INFINITY;
      if (options.checkpoint ?? true) checkpointer.committed(pages);
    };
    const isPaused = (): boolean => checkpointer.isPausing() || this.#loading !== undefined;
    const failed = (error: unknown): void => {
      this.#damage.note(error);
      if (isFull(error)) this.#fullAt = this.#now();
    };
    this.#queue = new CommitQueue({ db, prepare, writer: this.#writer, isPaused, committed, failed });
  }

  get(table: Table, contract: number, place: string, id: string): Promise<Row | undefined> {
    return this.#read(() => this.#reader.get(table, contract, place, id));
  }

  range(table: Table, scan: Scan): Promise<Row[]> {
    return this.#read(() => this.#reader.range(table, scan));
  }

  counters(contract: number, names?: readonly string[]): Promise<Map<string, number>> {
    return this.#read(() => this.#reader.counters(contract, names));
  }

  apply(set: WriteSet): Promise<Outcome> {
    return this.#push({ writes: set.length, perform: () => this.#writer.perform(set) });
  }

  leases(prefix: string): Promise<Lease[]> {
    return this.#read(() => this.#reader.leases(prefix, this.#now()));
  }

  async lease(name: string, holder: string, ms: number): Promise<boolean> {
    const perform = () => this.#writer.lease(name, holder, ms, this.#now());
    return (await this.#push({ writes: 1, perform })).ok;
  }

  current(): string {
    return String(this.#queue.commits + this.#loads);
  }

  // No other process changes the file, so there is nothing to watch.
  watch(): () => void {
    return () => {};
  }

  dump(): Dump {
    return dumpSqlite(this.#copyOptions());
  }

  async check(): Promise<StateCheck> {
    return checkSqlite(this.#copyOptions());
  }

  // Writes wait until it has ended, and apply to the loaded state.
  async load(pages: Dump, replace: boolean): Promise<void> {
    while (this.#loading) await this.#loading.catch(() => {});
    if (this.#closing) throw closed();
    this.#loading = loadSqlite(this.#file, pages, replace);
    try {
      await this.#loading;
      this.#damage.forget();
      this.#loads += 1;
    } finally {
      this.#loading = undefined;
      this.#queue.schedule();
    }
  }

  figures(): StateFigures {
    return {
      ...this.#queue.figures(),
      ...this.#checkpointer.figures(),
      fileBytes: sizeOf(this.#file),
      logBytes: sizeOf(`${this.#file}-wal`),
      damaged: this.#damage.isKnown ? 1 : 0,
      full: this.#now() - this.#fullAt < fullMs ? 1 : 0,
      synchronous: this.#closing ? -1 : this.#pragma('synchronous'),
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#loading?.catch(() => {});
    await this.#checkpointer.close();
    this.#queue.drain();
    this.#db.close();
  }

  #push(job: Job): Promise<Outcome> {
    if (this.#closing) return Promise.reject(closed());
    return this.#damage.isKnown && job.writes > 0 ? Promise.reject(damaged()) : this.#queue.push(job);
  }

  #copyOptions(): CopyOptions {
    return {
      file: this.#file,
      copying: (isRunning) => {
        this.#copies += isRunning ? 1 : -1;
      },
      demandOpen: () => {
        if (this.#closing) throw closed();
      },
    };
  }

  #unreadable(error: unknown): unknown {
    this.#damage.note(error);
    return storeFault(error, 'nothing could be read') ?? error;
  }

  async #read<T>(query: () => T): Promise<T> {
    if (this.#closing) throw closed();
    try {
      return query();
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  #pragma(name: string): number {
    return Number(this.#prepare(`PRAGMA ${name}`).get()?.[0]);
  }
}

type Reader = ReturnType<typeof createReader>;

function createReader(prepare: Prepare) {
  const rows = sqliteTables(prepare);
  const counterOf = (contract: number, name: string): [string, number][] => {
    const found = prepare('SELECT value FROM counter WHERE contract = ? AND name = ?').get(contract, name);
    return found ? [[name, Number(found[0])]] : [];
  };
  return {
    get(table: Table, contract: number, place: string, id: string): Row | undefined {
      const found = rows[table].get(contract, place, id);
      if (!found) return undefined;
      const [version, time, rest] = found;
      return unpacked(contract, place, id, version, time, rest);
    },
    range(table: Table, scan: Scan): Row[] {
      const plan = planScan(scan);
      if (!plan) return [];
      const query = prepare(queryOf(table, plan, behindKey));
      const found = query.all(...plan.values, limitOf(scan), scan.offset ?? 0) as unknown as PackedRow[];
      return found.map((row) => unpacked(row[0], row[1], row[2], row[3], row[4], row[5]));
    },
    leases(prefix: string, now: number): Lease[] {
      const found = prepare('SELECT name, holder, until FROM lease WHERE name >= ? ORDER BY name').all(prefix);
      return (found as unknown as [string, string, number][])
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, holder, until]) => ({ name, holder, leftMs: until - now }));
    },
    counters(contract: number, names?: readonly string[]): Map<string, number> {
      if (names) return new Map(names.flatMap((name) => counterOf(contract, name)));
      const found = prepare('SELECT name, value FROM counter WHERE contract = ?').all(contract);
      return new Map(found as unknown as [string, number][]);
    },
  };
}

// NOOP changes nothing and reports the length of the log; it takes two microseconds.
function logOf(prepare: Prepare): { frames: number; copied: number } {
  try {
    const [, frames, copied] = prepare('PRAGMA wal_checkpoint(NOOP)').get() as unknown as number[];
    return { frames: frames ?? 0, copied: copied ?? 0 };
  } catch {
    return { frames: 0, copied: 0 };
  }
}

const damaged = (): Fault => new Fault('unavailable', 'the state is damaged, so changes are refused: restore a backup');

const closed = (): Fault => new Fault('unavailable', 'the state is closed: nothing was changed');

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
