// A whole state as data: pages of rows, table by table, in key order, the same from every engine. Leases are not in it
// (they are about processes, not about what was made), nor what an engine keeps for itself. An engine needs nothing of
// a table but its shape here, and two states are the same where their dumps are.
import { Fault } from '../../../base/fault.ts';
import { type Table, tables } from '../engine.ts';
import { compareBytes } from '../scan.ts';

export const dumpTables = [...tables, 'counter', 'sequence'] as const;
export type DumpTable = Table | 'counter' | 'sequence';
export type DumpRow = readonly (string | number)[]; // the table's columns, in their order

// Rows of one table, so that its name stands once, however many they are.
export interface DumpPage {
  table: DumpTable;
  rows: readonly DumpRow[];
}

export type Dump = AsyncIterable<DumpPage>;
export type Counts = Record<DumpTable, number>;
export type OnPage = (page: DumpPage) => void;

export interface Shape {
  columns: readonly string[]; // the key first
  keys: number; // how many of them are the key
  whole: readonly boolean[]; // which are whole numbers; the others are text
}

// Raised with every change of the shapes: a dump of a newer one is refused.
export const shapeVersion = 1;
export const pageRows = 500;

const numbers = new Set(['contract', 'version', 'time', 'value', 'last']);
const shape = (keys: number, ...columns: string[]): Shape => ({
  columns,
  keys,
  whole: columns.map((name) => numbers.has(name)),
});
const rowShape = shape(
  3,
  ...['contract', 'place', 'id', 'kind', 'state', 'version', 'time', 'owner', 'meta', 'body', 'hidden'],
);
const others: Partial<Record<DumpTable, Shape>> = {
  counter: shape(2, 'contract', 'name', 'value'),
  sequence: shape(3, 'source', 'contract', 'place', 'last', 'time'),
};

export const shapeOf = (table: DumpTable): Shape => others[table] ?? rowShape;

export const selectAll = (table: DumpTable): string => {
  const { columns, keys } = shapeOf(table);
  return `SELECT ${columns.join(', ')} FROM ${table} ORDER BY ${columns.slice(0, keys).join(', ')}`;
};

export const anyRow = (): string =>
  `SELECT ${dumpTables.map((table) => `EXISTS (SELECT 1 FROM ${table})`).join(' OR ')}`;

export const notEmpty = (): Fault => new Fault('conflict', 'the state is not empty: nothing was changed');

export const emptyCounts = (): Counts => Object.fromEntries(dumpTables.map((table) => [table, 0])) as Counts;

export const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, one) => sum + one, 0);

export async function countsOf(dump: Dump): Promise<Counts> {
  const counts = emptyCounts();
  for await (const { table, rows } of dump) counts[table] += rows.length;
  return counts;
}

// Lets others look at the pages that pass by.
export async function* watched(dump: Dump, look: OnPage): Dump & AsyncGenerator<DumpPage> {
  for await (const page of dump) {
    look(page);
    yield page;
  }
}

export interface Difference {
  table: DumpTable;
  key: string; // without what else the row holds: that may be secret
}

// Row by row, never more than a page of each in memory. Undefined: they are the same.
export async function firstDifference(
  left: Dump,
  right: Dump,
  look: OnPage = () => {},
): Promise<Difference | undefined> {
  const [ours, theirs] = [rowsOf(left, look), rowsOf(right, () => {})];
  try {
    for (;;) {
      const [one, other] = await Promise.all([ours.next(), theirs.next()]);
      if (one.done && other.done) return undefined;
      if (one.done || other.done) return differenceAt((one.done ? other.value : one.value) as Placed);
      if (!isSame(one.value, other.value)) return differenceAt(lesser(one.value, other.value));
    }
  } finally {
    await Promise.all([ours.return(undefined), theirs.return(undefined)]);
  }
}

interface Placed {
  table: DumpTable;
  row: DumpRow;
}

async function* rowsOf(dump: Dump, look: OnPage): AsyncGenerator<Placed, undefined> {
  for await (const page of dump) {
    look(page);
    for (const row of page.rows) yield { table: page.table, row };
  }
  return undefined;
}

const isSame = (one: Placed, other: Placed): boolean =>
  one.table === other.table &&
  one.row.length === other.row.length &&
  one.row.every((value, at) => value === other.row[at]);

// Where the keys differ, the lesser one is missing on the other side.
function lesser(one: Placed, other: Placed): Placed {
  const order = dumpTables.indexOf(one.table) - dumpTables.indexOf(other.table);
  if (order !== 0) return order < 0 ? one : other;
  for (let at = 0; at < shapeOf(one.table).keys; at++) {
    const [a, b] = [one.row[at], other.row[at]];
    if (a === b) continue;
    const isLess = typeof a === 'number' && typeof b === 'number' ? a < b : compareBytes(String(a), String(b)) < 0;
    return isLess ? one : other;
  }
  return one;
}

const differenceAt = ({ table, row }: Placed): Difference => ({
  table,
  key: row.slice(0, shapeOf(table).keys).join(' '),
});
