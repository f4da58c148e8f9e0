// The rows of one table by their keys: every read and write of a single row. Methods that write return whether they
// changed a row.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Table, tables } from '../engine.ts';
import { checksumOf } from './checksum.ts';
import { byNumber, numbered, numberOf, spareNumber } from './row-numbers.ts';
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

export const sqliteTable = (prepare: Prepare, table: Table): SqliteTable =>
  table === numbered ? numberedTable(prepare) : keyedTable(prepare, table);

const byKey = 'WHERE contract = ? AND place = ? AND id = ?';
const keyIsFree = 'ON CONFLICT (contract, place, id) DO NOTHING';
const insertInto = (table: Table): string => `INSERT INTO ${table} (contract, place, id, version, time, rest, checksum`;
const selectFrom = (table: Table, where: string): string => `SELECT ${behindKey} FROM ${table} ${where}`;
const updateOf = (table: Table, where: string): string =>
  `UPDATE ${table} SET version = version + 1, time = ?, rest = ?, checksum = ? ${where} AND version = ?`;

function keyedTable(prepare: Prepare, table: Table): SqliteTable {
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

// By the number computed from the key, and by the key's index only where that finds nothing.
function numberedTable(prepare: Prepare): SqliteTable {
  const keyed = keyedTable(prepare, numbered);
  const select = prepare(selectFrom(numbered, byNumber));
  const insert = prepare(`${insertInto(numbered)}, number) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const insertSpare = prepare(
    `${insertInto(numbered)}, number) VALUES (?, ?, ?, ?, ?, ?, ?, ${spareNumber}) ${keyIsFree}`,
  );
  const update = prepare(updateOf(numbered, byNumber));
  const removeAny = prepare(`DELETE FROM ${numbered} ${byNumber}`);
  const removeVersion = prepare(`DELETE FROM ${numbered} ${byNumber} AND version = ?`);
  const remove = (number: number, contract: number, place: string, id: string, version: number | undefined) =>
    (version === undefined
      ? removeAny.run(number, id, place, contract)
      : removeVersion.run(number, id, place, contract, version)
    ).changes !== 0;
  return {
    get(contract, place, id) {
      const number = numberOf(place, id);
      const found = number === undefined ? undefined : select.get(number, id, place, contract);
      return found ? (found as unknown as Found) : keyed.get(contract, place, id);
    },
    insert(contract, place, id, version, time, rest) {
      const number = numberOf(place, id);
      const checksum = checksumOf(contract, place, id, version, time, rest);
      if (number !== undefined && insert.run(contract, place, id, version, time, rest, checksum, number).changes !== 0)
        return true;
      return insertSpare.run(contract, place, id, version, time, rest, checksum).changes !== 0;
    },
    update(contract, place, id, version, time, rest) {
      const number = numberOf(place, id);
      const checksum = checksumOf(contract, place, id, version + 1, time, rest);
      if (number !== undefined && update.run(time, rest, checksum, number, id, place, contract, version).changes !== 0)
        return true;
      return keyed.update(contract, place, id, version, time, rest);
    },
    remove(contract, place, id, version) {
      const number = numberOf(place, id);
      if (number !== undefined && remove(number, contract, place, id, version)) return true;
      return keyed.remove(contract, place, id, version);
    },
  };
}
