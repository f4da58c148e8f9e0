// The rows of one table by their keys: every read and write of a single row. Methods that write return whether they
// changed a row.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Table, tables } from '../engine.ts';
import { checksumOf } from './checksum.ts';
import { behindKey } from './rows.ts';

export type Prepare = (sql: string) => StatementSync;
export type Found = [version: number, time: number, rest: string];

export interface SqliteTable {
  get(contract: number, place: string, id: string): Found | undefined;
  insert(contract: number, place: string, id: string, version: number, time: number, rest: string): boolean;
  update(contract: number, place: string, id: string, version: number, time: number, rest: string): boolean;
  remove(contract: number, place: string, id: string, version: number | undefined): boolean;
}

export function cachedPrepare(db: DatabaseSync): Prepare {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = db.prepare(sql);
      statement.setReturnArrays(true);
      statements.set(sql, statement);
    }
    return statement;
  };
}

export const sqliteTables = (prepare: Prepare): Record<Table, SqliteTable> =>
  Object.fromEntries(tables.map((table) => [table, sqliteTable(prepare, table)])) as Record<Table, SqliteTable>;

const byKey = 'WHERE contract = ? AND place = ? AND id = ?';
const keyIsFree = 'ON CONFLICT (contract, place, id) DO NOTHING';
const insertInto = (table: Table): string => `INSERT INTO ${table} (contract, place, id, version, time, rest, checksum`;
const selectFrom = (table: Table, where: string): string => `SELECT ${behindKey} FROM ${table} ${where}`;
const updateOf = (table: Table, where: string): string =>
  `UPDATE ${table} SET version = version + 1, time = ?, rest = ?, checksum = ? ${where} AND version = ?`;

export function sqliteTable(prepare: Prepare, table: Table): SqliteTable {
  const select = prepare(selectFrom(table, byKey));
  const insert = prepare(`${insertInto(table)}) VALUES (?, ?, ?, ?, ?, ?, ?) ${keyIsFree}`);
  const update = prepare(updateOf(table, byKey));
  const removeAny = prepare(`DELETE FROM ${table} ${byKey}`);
  const removeVersion = prepare(`DELETE FROM ${table} ${byKey} AND version = ?`);
  return {
    get: (contract, place, id) => select.get(contract, place, id) as Found | undefined,
    insert: (contract, place, id, version, time, rest) =>
      insert.run(contract, place, id, version, time, rest, checksumOf(contract, place, id, version, time, rest))
        .changes !== 0,
    update: (contract, place, id, version, time, rest) =>
      update.run(time, rest, checksumOf(contract, place, id, version + 1, time, rest), contract, place, id, version)
        .changes !== 0,
    remove: (contract, place, id, version) =>
      (version === undefined ? removeAny.run(contract, place, id) : removeVersion.run(contract, place, id, version))
        .changes !== 0,
  };
}
