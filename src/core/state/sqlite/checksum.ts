// Every row of state.db ends with the CRC-32 of its other columns, so that a flipped bit is found when all rows are
// checked or dumped. Reads of single rows do not compare it.
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { type DumpTable, tables } from '../engine.ts';

type Value = string | number | null;
type CheckedTable = DumpTable | 'lease';

export const checksumOf = (...columns: Value[]): number => crc32(columns.join(' ')) | 0;

// Of a row whose last columns are bytes.
export const checksumWith = (bytes: readonly Uint8Array[], ...columns: Value[]): number =>
  bytes.reduce((sum, one) => crc32(one, sum), checksumOf(...columns) >>> 0) | 0;

interface Columns {
  key: readonly string[];
  others: readonly string[];
}

const rowColumns: Columns = { key: ['contract', 'place', 'id'], others: ['version', 'time', 'rest'] };

const columnsOf = Object.fromEntries([
  ...tables.map((table) => [table, rowColumns]),
  ['counter', { key: ['contract', 'name'], others: ['value'] }],
  ['sequence', { key: ['source', 'contract', 'place'], others: ['last', 'time'] }],
  ['lease', { key: ['name'], others: ['holder', 'until'] }],
]) as Record<CheckedTable, Columns>;

export const checkedTables = Object.keys(columnsOf) as CheckedTable[];

// All columns in the order of their checksum, which comes last.
export const checkedColumns = (table: CheckedTable): string =>
  [...columnsOf[table].key, ...columnsOf[table].others, 'checksum'].join(', ');

// The same as texts, however large a damaged number is.
export const checkedTexts = (table: CheckedTable): string =>
  [...columnsOf[table].key, ...columnsOf[table].others, 'checksum'].map((name) => `CAST(${name} AS TEXT)`).join(', ');

export const keyColumns = (table: CheckedTable): string => columnsOf[table].key.join(', ');

// The row of these columns is not as it was written: which one it is. Undefined: it is.
export function mismatch(table: CheckedTable, columns: readonly Value[]): string | undefined {
  if (checksumOf(...columns.slice(0, -1)) === Number(columns.at(-1))) return undefined;
  const key = columnsOf[table].key.map((name, at) => `${name} ${JSON.stringify(columns[at])}`);
  return `the row of table ${table} with ${key.join(', ')} does not match its checksum`;
}

// The migration of rows without one.
export function addChecksums(db: DatabaseSync): void {
  db.function('checksum_of', { varargs: true }, (...columns) => checksumOf(...(columns as Value[])));
  for (const table of checkedTables) {
    const { key, others } = columnsOf[table];
    db.exec(`ALTER TABLE ${table} ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
      UPDATE ${table} SET checksum = checksum_of(${[...key, ...others].join(', ')})`);
  }
}
