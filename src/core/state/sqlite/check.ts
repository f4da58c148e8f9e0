// Finds damage in a state: what SQLite's own check reports (trees, indexes, types), and rows that do not match their
// checksum. A worker reads a copy of the file, as a dump does, so that other calls are served.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { WorkerPool } from '../../threads/worker-pool.ts';
import type { StateCheck } from '../engine.ts';
import { checkedTables, checkedTexts, mismatch } from './checksum.ts';
import { type CopyOptions, openImmutable, withCopy } from './dump.ts';
import { storeFault } from './faults.ts';

export interface CheckCalls {
  check(file: string): StateCheck;
}

const mostDamage = 100; // that is reported

export async function checkSqlite(options: CopyOptions): Promise<StateCheck> {
  const thread = new WorkerPool<CheckCalls>({
    name: 'The check of the state',
    module: new URL('./check-worker.ts', import.meta.url),
    execArgv: [],
  });
  try {
    const found = await withCopy(options, (copy) => thread.call('check', copy));
    return { ...found, damage: found.damage.map((one) => `${options.file}: ${one}`) };
  } catch (error) {
    throw storeFault(error, 'nothing could be read') ?? error;
  } finally {
    await thread.close();
  }
}

// Checks a file that no process writes to.
export function checkFile(file: string): StateCheck {
  using db = openImmutable(file);
  const checks = checkedTables.map((table) => ({
    table,
    columns: checkedTexts(table),
    mismatch: (row: unknown[]) => mismatch(table, row as string[]),
  }));
  return checkDatabase(db, checks);
}

export interface TableCheck {
  table: string;
  columns: string;
  mismatch(row: unknown[]): string | undefined; // the row is not as it was written: which one it is
}

export function checkDatabase(db: DatabaseSync, tables: readonly TableCheck[]): StateCheck {
  const found: StateCheck = { rows: 0, damage: [], notes: [] };
  tryTo(found, 'the file', () => {
    for (const one of db.prepare(`PRAGMA integrity_check(${mostDamage})`).all())
      if (one.integrity_check !== 'ok') tell(found, String(one.integrity_check));
  });
  for (const { table, columns, mismatch: mismatchOf } of tables)
    tryTo(found, `table ${table}`, () => {
      const statement: StatementSync = db.prepare(`SELECT ${columns} FROM ${table} NOT INDEXED`);
      statement.setReturnArrays(true);
      for (const row of statement.iterate() as Iterable<unknown> as Iterable<unknown[]>) {
        found.rows++;
        const damage = mismatchOf(row);
        if (damage !== undefined) tell(found, damage);
      }
    });
  return found;
}

function tryTo(found: StateCheck, what: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    tell(found, `${what} can not be read to its end: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function tell({ damage }: StateCheck, text: string): void {
  if (damage.length < mostDamage) damage.push(text);
}
