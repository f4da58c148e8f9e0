// The schema of state.db, and the migrations from every older schema. Migrations only go forward and each runs in one
// transaction. The file's header is read before SQLite opens the file, so that a file we refuse is not changed.
import { chmodSync, closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import { syncFolderNow } from '../../../base/sync-folder.ts';
import type { Table } from '../engine.ts';
import { addChecksums } from './checksum.ts';
import { packing } from './rows.ts';
import { unpackRuns } from './unpack-runs.ts';

export const applicationId = 0x43554d55; // CUMU

const firstColumns = `
    contract INTEGER NOT NULL, place TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
    version INTEGER NOT NULL, time INTEGER NOT NULL, owner TEXT NOT NULL,
    meta TEXT NOT NULL, body TEXT NOT NULL, hidden TEXT NOT NULL`;

// Rows are stored in the tree of their key: one tree less to write, and one page less to read. There a row larger than
// a quarter of a page needs an overflow page, so a table of mostly large rows has a separate index of the key.
// Resources are stored in the order of their creation since version 4, with such an index.
const large: readonly Table[] = ['request'];
const firstTables: readonly Table[] = ['resource', 'request', 'journal', 'activity', 'usage', 'claim', 'link'];
const rows = firstTables.map((table) =>
  large.includes(table)
    ? `CREATE TABLE ${table} (${firstColumns}) STRICT;
  CREATE UNIQUE INDEX ${table}_key ON ${table} (contract, place, id);`
    : `CREATE TABLE ${table} (${firstColumns}, PRIMARY KEY (contract, place, id)) STRICT, WITHOUT ROWID;`,
);

// Links that a row contains were stored at both ends once; only the end that is read stays.
export const linksOnce = `DELETE FROM link WHERE place LIKE '% > %' AND place NOT LIKE '% > member';`;

// What no query filters by is one text: see rows.ts.
const packed = (table: Table): string => `ALTER TABLE ${table} RENAME TO old_rows;
  CREATE TABLE ${table} (
    contract INTEGER NOT NULL, place TEXT NOT NULL, id TEXT NOT NULL,
    version INTEGER NOT NULL, time INTEGER NOT NULL, rest TEXT NOT NULL${
      large.includes(table) ? ') STRICT' : ', PRIMARY KEY (contract, place, id)) STRICT, WITHOUT ROWID'
    };
  INSERT INTO ${table} SELECT contract, place, id, version, time, ${packing}
    FROM old_rows ORDER BY contract, place, id;
  DROP TABLE old_rows;`;
const oneText = `${firstTables.map(packed).join('\n  ')}
  CREATE UNIQUE INDEX request_key ON request (contract, place, id);`;

// Files of older programs have other numbers, which stay valid: no query uses them.
const numbering = `ALTER TABLE resource RENAME TO old_rows;
  CREATE TABLE resource (
    number INTEGER PRIMARY KEY, contract INTEGER NOT NULL, place TEXT NOT NULL, id TEXT NOT NULL,
    version INTEGER NOT NULL, time INTEGER NOT NULL, rest TEXT NOT NULL
  ) STRICT;
  INSERT INTO resource SELECT row_number() OVER (ORDER BY contract, place, id), * FROM old_rows;
  CREATE UNIQUE INDEX resource_key ON resource (contract, place, id);
  DROP TABLE old_rows;`;

// Version 5 changed no table: it allowed audit entries to share rows (unpack-runs.ts), which older programs can't read.
const runs = '';

const objects = `CREATE TABLE object (
    contract INTEGER NOT NULL, place TEXT NOT NULL, id TEXT NOT NULL,
    version INTEGER NOT NULL, time INTEGER NOT NULL, rest TEXT NOT NULL, PRIMARY KEY (contract, place, id)
  ) STRICT, WITHOUT ROWID;`;

export type Migration = string | ((db: DatabaseSync) => void);

export const migrations: readonly Migration[] = [
  `${rows.join('\n  ')}
  CREATE TABLE counter (
    contract INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (contract, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE sequence (
    source TEXT NOT NULL, contract INTEGER NOT NULL, place TEXT NOT NULL, last INTEGER NOT NULL, time INTEGER NOT NULL,
    PRIMARY KEY (source, contract, place)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
  linksOnce,
  oneText,
  numbering,
  runs,
  unpackRuns,
  objects,
  addChecksums,
];

// Creates the file, or migrates it to this version, or throws.
export function prepareFile(file: string, pageSize: number, list: readonly Migration[] = migrations): void {
  const header = inspect(file);
  if (!header) {
    create(file, pageSize, list);
    return;
  }
  const version = header.log ? versionWithLog(file, header.short) : header.version;
  if (version > list.length) {
    const message = `${file} was written by a newer version of Cumulet (${version}, this one knows ${list.length}): `;
    throw new Fault('unavailable', `${message}start that version, or name another data folder`);
  }
  if (version === list.length) return;
  using db = new DatabaseSync(file, { timeout: 2000 });
  db.exec('PRAGMA synchronous=FULL');
  migrate(db, list);
}

export function migrate(db: DatabaseSync, list: readonly Migration[]): void {
  for (let version = Number(text(db, 'PRAGMA user_version')); version < list.length; version++) {
    db.exec('BEGIN IMMEDIATE');
    try {
      const migration = list[version] ?? '';
      if (typeof migration === 'string') db.exec(migration);
      else migration(db);
      db.exec(`PRAGMA user_version=${version + 1}`);
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}

// A new file gets its name only when it is complete: the rest of a crash is never called state.db.
function create(file: string, pageSize: number, list: readonly Migration[]): void {
  const draft = `${file}.new`;
  for (const rest of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`]) rmSync(rest, { force: true });
  {
    using db = new DatabaseSync(draft);
    chmodSync(draft, 0o600);
    db.exec(`PRAGMA page_size=${pageSize}; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF`);
    db.exec(`PRAGMA application_id=${applicationId}`);
    migrate(db, list);
    db.exec('PRAGMA journal_mode=WAL');
  }
  sync(draft);
  renameSync(draft, file);
  syncFolderNow(dirname(file));
}

function versionWithLog(file: string, short: boolean): number {
  using db = new DatabaseSync(file, { readOnly: true, timeout: 2000 });
  // Pages beyond the end of the file may still be in the log, as after a crash during a checkpoint.
  if (short && text(db, 'PRAGMA quick_check(1)') !== 'ok') throw truncated(file);
  return Number(text(db, 'PRAGMA user_version'));
}

interface Header {
  version: number;
  short: boolean; // its header claims more pages than it has
  log: boolean; // there is a write-ahead log, which may have newer pages
}

// Undefined: there is no file yet. Reading the file directly releases locks this process may have on it; they only keep
// out other processes, and the data folder's own lock does that too.
function inspect(file: string): Header | undefined {
  const size = sizeOf(file);
  const log = sizeOf(`${file}-wal`);
  if (!size && !log) return undefined;
  if (!size) throw truncated(file);
  const header = Buffer.alloc(100);
  const handle = openSync(file, 'r');
  const read = readSync(handle, header, 0, header.length, 0);
  closeSync(handle);
  const magic = 'SQLite format 3\0';
  if (header.toString('latin1', 0, Math.min(read, magic.length)) !== magic.slice(0, read)) {
    throw new Fault('unavailable', `${file} is not a database: move it away, or name another data folder`);
  }
  if (read < header.length) throw truncated(file);
  if (header.readUInt32BE(68) !== applicationId) {
    throw new Fault('unavailable', `${file} belongs to another program: move it away, or name another data folder`);
  }
  const stored = header.readUInt16BE(16);
  const short = header.readUInt32BE(28) * (stored === 1 ? 65536 : stored) > size;
  if (short && !log) throw truncated(file);
  return { version: header.readUInt32BE(60), short, log: log > 0 };
}

const truncated = (file: string): Fault =>
  new Fault('unavailable', `${file} is damaged, its end is missing: put a whole copy in its place`);

function text(db: DatabaseSync, query: string): string {
  return String(Object.values(db.prepare(query).get() ?? {})[0]);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function sync(path: string): void {
  const handle = openSync(path, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}
