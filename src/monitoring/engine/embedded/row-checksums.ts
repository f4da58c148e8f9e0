// Every row of metrics.db ends with a checksum of its other columns, like those of state.db. Blocks of earlier versions
// have none, because reading all of them would delay the first start. They disappear when they are merged or expire.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { TableCheck } from '../../../core/state/sqlite/check.ts';
import { checksumOf, checksumWith } from '../../../core/state/sqlite/checksum.ts';

type Value = string | number | null;

interface Columns {
  key: readonly string[]; // the columns that identify a row
  others: readonly string[];
  bytes: readonly string[];
}

const tables: Readonly<Record<string, Columns>> = {
  tenant: { key: ['number'], others: ['name', 'next', 'series', 'epoch', 'account'], bytes: [] },
  series: { key: ['tenant', 'id'], others: ['hash'], bytes: ['labels'] },
  metric: { key: ['tenant', 'name'], others: ['type', 'help', 'unit'], bytes: [] },
  mark: { key: ['name'], others: ['value'], bytes: [] },
  block: {
    key: ['tenant', 'day', 'band'],
    others: ['level', 'small', 'segment', 'first', 'last', 't0', 't1', 'samples', 'series'],
    bytes: ['directory', 'payload'],
  },
};

const uncheckedBlocks = 'blocks without checksum'; // the mark with the last of them

// For the writer's connection.
export const defineChecksum = (db: DatabaseSync): void =>
  db.function('checksum_of', { varargs: true }, (...columns) => checksumOf(...(columns as Value[])));

// The part of an UPDATE of a tenant that belongs to a change of these columns.
export function tenantChecksum(changed: Readonly<Record<string, string>> = {}): string {
  const { key, others } = tables.tenant as Columns;
  return `checksum = checksum_of(${[...key, ...others].map((name) => changed[name] ?? name).join(', ')})`;
}

export function setMark(db: { prepare(sql: string): StatementSync }, name: string, value: number): void {
  const sql = 'INSERT OR REPLACE INTO mark (name, value, checksum) VALUES (?, ?, ?)';
  db.prepare(sql).run(name, value, checksumOf(name, value));
}

// Migrates rows without a checksum.
export function addChecksums(db: DatabaseSync): void {
  db.function('checksum_with', { varargs: true }, (...all) => {
    const bytes = all.filter((one) => one instanceof Uint8Array);
    return checksumWith(bytes, ...(all.filter((one) => !(one instanceof Uint8Array)) as Value[]));
  });
  for (const [table, { key, others, bytes }] of Object.entries(tables)) {
    if (table === 'block') continue;
    db.exec(`ALTER TABLE ${table} ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
      UPDATE ${table} SET checksum = checksum_with(${[...key, ...others, ...bytes].join(', ')})`);
  }
  db.exec('ALTER TABLE block ADD COLUMN checksum INTEGER');
  const last = Number(db.prepare('SELECT max(id) AS last FROM block').get()?.last ?? 0);
  if (last > 0) setMark(db, uncheckedBlocks, last);
}

// The comparisons of `state check`.
export function tableChecks(db: DatabaseSync): TableCheck[] {
  const mark = db.prepare('SELECT value FROM mark WHERE name = ?').get(uncheckedBlocks);
  const lastUnchecked = Number(mark?.value ?? 0);
  return Object.entries(tables).map(([table, { key, others, bytes }]) => {
    const texts = [...key, ...others, 'checksum', table === 'block' ? 'id' : '0'];
    const columns = [...texts.map((name) => `CAST(${name} AS TEXT)`), ...bytes].join(', ');
    const mismatch = (row: unknown[]): string | undefined => {
      const values = row.slice(0, key.length + others.length) as Value[];
      const [checksum, id] = row.slice(values.length) as (string | null)[];
      const isUnchecked = checksum === null && Number(id) <= lastUnchecked;
      const sum = checksumWith(row.slice(texts.length) as Uint8Array[], ...values);
      if (isUnchecked || Number(checksum ?? Number.NaN) === sum) return undefined;
      const which = key.map((name, at) => `${name} ${JSON.stringify(values[at])}`).join(', ');
      return `the row of table ${table} with ${which} does not match its checksum`;
    };
    return { table, columns, mismatch };
  });
}

export const countUnchecked = (db: DatabaseSync): number =>
  Number(db.prepare('SELECT count(*) AS count FROM block WHERE checksum IS NULL').get()?.count ?? 0);
