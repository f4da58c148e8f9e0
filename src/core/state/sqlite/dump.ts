// Dumps of an SQLite state, and loading them. A dump is read from a copy of the file, which a separate connection
// creates in one step off the main thread: neither writers nor the log wait for a slow reader of the pages. Loading has
// separate connections too, so that reads see the old state until it is done.
import { closeSync, globSync, openSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Fault } from '../../../base/fault.ts';
import { uuid } from '../../../base/ids.ts';
import { anyRow, dumpTables, inPages, notEmpty, shapeOf } from '../dump/dump.ts';
import { type Dump, type DumpPage, type DumpRow, type DumpTable, type Table, tables } from '../engine.ts';
import { checkedColumns, checksumOf, keyColumns, mismatch } from './checksum.ts';
import { isFull, storeFault } from './faults.ts';
import { prepareFile } from './migrations.ts';
import { type PackedRow, pack, unpacked } from './rows.ts';
import { sqliteTable } from './table.ts';

const mark = '.copy-';
const wholeFile = 2 ** 30; // pages of one step: with several steps, a commit between them would restart the copy

export interface CopyOptions {
  file: string;
  copying: (isRunning: boolean) => void;
  demandOpen: () => void;
}

export async function* dumpSqlite(options: CopyOptions): AsyncGenerator<DumpPage> {
  const { demandOpen } = options;
  let db: DatabaseSync | undefined;
  try {
    db = await openCopy(options);
    for (const table of dumpTables) {
      const statement = db.prepare(selectChecked(table));
      statement.setReturnArrays(true);
      for (const rows of inPages(readRows(statement, table))) {
        demandOpen();
        yield { table, rows };
        await turn(); // a fast reader must not block the event loop
      }
    }
  } catch (error) {
    throw storeFault(error, 'nothing could be read') ?? error;
  } finally {
    db?.close();
  }
}

// The copy is unlinked after it is opened, so only a crash during the copying leaves it behind.
const openCopy = (options: CopyOptions): Promise<DatabaseSync> =>
  withCopy(options, async (copy) => openImmutable(copy));

export const openImmutable = (file: string): DatabaseSync =>
  new DatabaseSync(new URL(`${pathToFileURL(file).href}?immutable=1`), { readOnly: true });

// The state of one moment as a file, which is removed after the work.
export async function withCopy<T>(
  { file, copying, demandOpen }: CopyOptions,
  work: (copy: string) => Promise<T>,
): Promise<T> {
  demandOpen();
  const copy = `${file}${mark}${uuid()}`;
  try {
    copying(true);
    try {
      closeSync(openSync(copy, 'wx', 0o600));
      using source = new DatabaseSync(file, { readOnly: true, timeout: 2000 });
      await backup(source, copy, { rate: wholeFile });
    } catch (error) {
      throw isFull(error) ? noRoom(file, error) : error;
    } finally {
      copying(false);
    }
    return await work(copy);
  } finally {
    for (const rest of [copy, `${copy}-journal`]) rmSync(rest, { force: true });
  }
}

// A backup may be written to another disk, so the message names this one.
function noRoom(file: string, cause: unknown): Fault {
  const what = `a copy of ${basename(file)} is made there while a backup is written, and needs as much room`;
  return new Fault('unavailable', `the disk of ${dirname(file)} is full: ${what}`, { cause });
}

// Removes the rest of a crash. Call it only while no other process has the file.
export function removeCopies(file: string): void {
  const folder = dirname(file);
  for (const name of globSync(`${basename(file)}${mark}*`, { cwd: folder }))
    rmSync(join(folder, name), { force: true });
}

function* readRows(statement: StatementSync, table: DumpTable): Generator<DumpRow> {
  const isRow = isRowTable(table);
  for (const row of statement.iterate() as Iterable<unknown> as Iterable<DumpRow>) {
    demandChecksum(table, row);
    yield isRow ? asDumped(row) : row.slice(0, -1);
  }
}

export async function loadSqlite(file: string, pages: Dump, replace: boolean): Promise<void> {
  try {
    if (replace) await replaceBy(file, pages);
    else await fill(file, 'PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0', pages);
  } catch (error) {
    throw storeFault(error, 'nothing was changed') ?? error;
  }
}

// Fills a new file, whose pages replace the old ones in one commit. The old pages are not read: in a damaged state not
// even a table could be emptied.
async function replaceBy(file: string, pages: Dump): Promise<void> {
  const fresh = `${file}${mark}${uuid()}`;
  try {
    using state = new DatabaseSync(file, { timeout: 2000 });
    prepareFile(fresh, Number(Object.values(state.prepare('PRAGMA page_size').get() ?? {})[0]));
    await fill(fresh, 'PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF', pages);
    using source = new DatabaseSync(fresh, { readOnly: true });
    await backup(source, file, { rate: wholeFile });
    state.exec('PRAGMA synchronous=FULL; PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(fresh + rest, { force: true });
  }
}

async function fill(file: string, settings: string, pages: Dump): Promise<void> {
  using db = new DatabaseSync(file, { timeout: 2000 });
  try {
    db.exec(`${settings}; BEGIN IMMEDIATE`);
    if (Object.values(db.prepare(anyRow()).get() ?? {})[0] !== 0) throw notEmpty();
    const inserts = new Map<DumpTable, (row: DumpRow) => void>();
    for await (const { table, rows } of pages) {
      const insert = inserts.get(table) ?? inserting(db, table);
      inserts.set(table, insert);
      for (const row of rows) insert(row);
      await turn();
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function inserting(db: DatabaseSync, table: DumpTable): (row: DumpRow) => void {
  if (isRowTable(table)) {
    const rows = sqliteTable((sql) => db.prepare(sql), table);
    return (row) => {
      if (!rows.insert(...asStored(row))) throw new Error(`${table} has ${row.slice(0, 3).join(' ')} twice`);
    };
  }
  const { columns: names } = shapeOf(table);
  const places = names.map(() => '?').join(', ');
  const statement = db.prepare(`INSERT INTO ${table} (${names.join(', ')}, checksum) VALUES (${places}, ?)`);
  return (row) => statement.run(...row, checksumOf(...row));
}

// A dump has a column for each part of a row, in every engine: see rows.ts.
const isRowTable = (table: DumpTable): table is Table => (tables as readonly string[]).includes(table);

const selectChecked = (table: DumpTable): string =>
  `SELECT ${checkedColumns(table)} FROM ${table} ORDER BY ${keyColumns(table)}`;

function demandChecksum(table: DumpTable, row: DumpRow): void {
  const found = mismatch(table, row);
  if (found !== undefined) throw new Fault('unavailable', `the state is damaged, ${found}: restore a backup`);
}

function asDumped(row: DumpRow): DumpRow {
  const { contract, place, id, kind, state, version, time, owner, meta, body, hidden } = unpacked(
    ...(row as PackedRow),
  );
  return [contract, place, id, kind, state, version, time, owner, meta, body, hidden];
}

type Stored = [number, string, string, number, number, string];
type Values = [number, string, string, string, string, number, number, string, string, string, string];

function asStored(row: DumpRow): Stored {
  const [contract, place, id, kind, state, version, time, owner, meta, body, hidden] = row as Values;
  return [contract, place, id, version, time, pack({ kind, state, owner, meta, body, hidden })];
}
