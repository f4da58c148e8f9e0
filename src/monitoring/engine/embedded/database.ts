// The SQLite file with tenants, series, metric metadata and blocks. Series ids count up per tenant and are never
// reused. A dropped tenant loses its name at once and its rows gradually.
import { closeSync, existsSync, fdatasync, fdatasyncSync, mkdirSync, openSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Fault } from '../../../base/fault.ts';
import { type Migration, prepareFile } from '../../../core/state/sqlite/migrations.ts';
import { metricFault } from './faults.ts';
import { addChecksums, defineChecksum } from './row-checksums.ts';

// A block wastes the rest of its last page: with pages of 16 KB that was a seventh of the file, and reading was not
// faster.
const pageSize = 4096;
const cacheKb = 8 * 1024;
const mappedBytes = 256 * 1024 * 1024;
// A checkpoint thread would occasionally save pushes a few milliseconds, for 25 MB of memory.
const checkpointPages = 512;
const mostWaitMs = 10_000;
const betweenMs = 20;
const syncData = promisify(fdatasync);

export const metricMigrations: readonly Migration[] = [
  `CREATE TABLE tenant (
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
    next INTEGER NOT NULL, series INTEGER NOT NULL, epoch INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE series (
    tenant INTEGER NOT NULL, id INTEGER NOT NULL, hash INTEGER NOT NULL, labels BLOB NOT NULL,
    PRIMARY KEY (tenant, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX series_hash ON series (tenant, hash);
  CREATE TABLE metric (
    tenant INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, help TEXT NOT NULL, unit TEXT NOT NULL,
    PRIMARY KEY (tenant, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE block (
    id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, day INTEGER NOT NULL, band INTEGER NOT NULL,
    level INTEGER NOT NULL, small INTEGER NOT NULL, segment INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL, t0 INTEGER NOT NULL, t1 INTEGER NOT NULL,
    samples INTEGER NOT NULL, series INTEGER NOT NULL, directory BLOB NOT NULL, payload BLOB NOT NULL
  ) STRICT;
  CREATE INDEX block_time ON block (tenant, t1, t0, segment, first, last, level);
  CREATE INDEX block_band ON block (tenant, band, day);
  CREATE INDEX block_segment ON block (segment);
  CREATE INDEX block_small ON block (tenant, day, band, segment) WHERE small = 1;
  CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
  // Null if there was no push since the column was added.
  'ALTER TABLE tenant ADD COLUMN account TEXT',
  addChecksums,
];

export const fileIn = (folder: string): string => join(resolve(folder), 'metrics.db');

export type Rows = unknown[][];

// A connection with prepared statements that return rows as arrays.
export class Connection {
  readonly db: DatabaseSync;
  readonly #file: string;
  readonly #statements = new Map<string, StatementSync>();
  #log: number | undefined;

  constructor(file: string, options: DatabaseSyncOptions) {
    this.#file = file;
    this.db = new DatabaseSync(file, options);
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  // Statements name their index, because without statistics the planner may choose a worse one.
  all(sql: string, ...values: (string | number | null)[]): Rows {
    return this.prepare(sql).all(...values) as unknown as Rows;
  }

  get(sql: string, ...values: (string | number | null)[]): unknown[] | undefined {
    return this.prepare(sql).get(...values) as unknown as unknown[] | undefined;
  }

  number(sql: string, ...values: (string | number | null)[]): number {
    return Number(this.get(sql, ...values)?.[0] ?? 0);
  }

  // Atomic, and durable when it returns.
  write(change: () => void): void {
    this.prepare('BEGIN IMMEDIATE').run();
    try {
      change();
      this.prepare('COMMIT').run();
    } catch (error) {
      if (this.db.isTransaction) this.prepare('ROLLBACK').run();
      throw error;
    }
  }

  // Atomic, and durable with the next sync, in the order of commits: for data that can be restored from the write-ahead
  // log.
  writeLoosely(change: () => void): void {
    this.db.exec('PRAGMA synchronous=NORMAL');
    try {
      this.write(change);
    } finally {
      this.db.exec('PRAGMA synchronous=FULL');
    }
  }

  // Syncs commits that were made without a sync.
  syncLog(): void {
    fdatasyncSync(this.#openLog());
  }

  async syncLogAside(): Promise<void> {
    await syncData(this.#openLog());
  }

  #openLog(): number {
    this.#log ??= openSync(`${this.#file}-wal`, 'r');
    return this.#log;
  }

  // Reads from one snapshot, whatever the writer does in the meantime.
  read<T>(look: () => T): T {
    this.prepare('BEGIN').run();
    try {
      return look();
    } finally {
      if (this.db.isTransaction) this.prepare('COMMIT').run();
    }
  }

  close(): void {
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
    this.db.close();
  }
}

export function openForWriting(folder: string): Connection {
  return opened(fileIn(folder), (file) => {
    mkdirSync(folder, { recursive: true });
    prepareFile(file, pageSize, metricMigrations);
    const connection = new Connection(file, { timeout: 2000 });
    return checked(connection, file, () => {
      const { db } = connection;
      defineChecksum(db);
      db.exec(`PRAGMA synchronous=FULL; PRAGMA cache_size=-${cacheKb}; PRAGMA temp_store=MEMORY;
        PRAGMA wal_autocheckpoint=${checkpointPages}; PRAGMA journal_size_limit=${8 * 1024 * 1024}`);
      // Lets freed pages be returned to the file system; costs nothing while the file is empty.
      if (connection.number('PRAGMA auto_vacuum') === 0 && connection.number('SELECT count(*) FROM tenant') === 0)
        db.exec('PRAGMA auto_vacuum=INCREMENTAL; VACUUM');
      if (connection.get('PRAGMA journal_mode=WAL')?.[0] !== 'wal')
        throw new Fault('unavailable', `${file} is on a disk without shared memory. Use a local disk.`);
    });
  });
}

// The writer creates the file; a reader that starts earlier waits for it.
export async function openForReading(folder: string): Promise<Connection> {
  for (let waited = 0; waited < mostWaitMs && !existsSync(fileIn(folder)); waited += betweenMs)
    await setTimeout(betweenMs);
  return opened(fileIn(folder), (file) => {
    const connection = new Connection(file, { readOnly: true, timeout: 2000 });
    return checked(connection, file, () =>
      connection.db.exec(`PRAGMA cache_size=-${cacheKb}; PRAGMA mmap_size=${mappedBytes}`),
    );
  });
}

// Clients read these messages too, so they name the file without its folder.
function opened(file: string, open: (file: string) => Connection): Connection {
  try {
    return open(file);
  } catch (error) {
    const named = (message: string): string => message.replaceAll(file, basename(file));
    if (error instanceof Fault) throw new Fault(error.kind, named(error.message), { cause: error });
    const reason = metricFault(error, '')?.message.slice(0, -2) ?? (error instanceof Error ? error.message : 'unknown');
    const message = `${file} cannot be opened (${reason}). Check the disk and its permissions, or restore a backup.`;
    throw new Fault('unavailable', named(message), { cause: error });
  }
}

function checked(connection: Connection, file: string, prepare: () => void): Connection {
  try {
    if (connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'block'") === 0)
      throw new Fault('unavailable', `${file} is not a metrics database. Move it away, or use another data folder.`);
    prepare();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
