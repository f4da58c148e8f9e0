// The shapes of a dump's tables, and functions over dumps. Leases are not in a dump (they are about processes, not
// about the state), nor what an engine keeps for itself. Two states are equal if their dumps are.
import { Fault } from '../../../base/fault.ts';
import { type Dump, type DumpPage, type DumpRow, type DumpTable, tables } from '../engine.ts';
import { compareBytes } from '../scan.ts';

export const dumpTables: readonly DumpTable[] = [...tables, 'counter', 'sequence'];

export type Counts = Record<DumpTable, number>;
export type OnPage = (page: DumpPage) => void;

export interface Shape {
  columns: readonly string[]; // the key first
  keys: number; // how many of them are the key
  whole: readonly boolean[]; // which are whole numbers; the others are text
}

// Raised with every change of the shapes: a dump of a newer version is refused.
export const shapeVersion = 1;
export const pageRows = 500;
export const pageCharacters = 1_000_000; // more would block the main thread, and make lines that no reader takes

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

// Rows in pages of that size; a larger row has its own page.
export function* inPages(rows: Iterable<DumpRow>): Generator<DumpRow[]> {
  let page: DumpRow[] = [];
  let characters = 0;
  for (const row of rows) {
    page.push(row);
    for (const value of row) if (typeof value === 'string') characters += value.length;
    if (page.length < pageRows && characters < pageCharacters) continue;
    yield page;
    page = [];
    characters = 0;
  }
  if (page.length > 0) yield page;
}

export const notEmpty = (): Fault => new Fault('conflict', 'the state is not empty: nothing was changed');

export const emptyCounts = (): Counts => Object.fromEntries(dumpTables.map((table) => [table, 0])) as Counts;

export const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, one) => sum + one, 0);

export async function countsOf(dump: Dump): Promise<Counts> {
  const counts = emptyCounts();
  for await (const { table, rows } of dump) counts[table] += rows.length;
  return counts;
}

// Calls back with each page that is read.
export async function* tapped(dump: Dump, onPage: OnPage): Dump & AsyncGenerator<DumpPage> {
  for await (const page of dump) {
    onPage(page);
    yield page;
  }
}

export interface Difference {
  table: DumpTable;
  key: string; // without the row's content, which may be secret
}

// Row by row, never more than a page of each in memory. Undefined: they are the same.
export async function firstDifference(
  left: Dump,
  right: Dump,
  onPage: OnPage = () => {},
): Promise<Difference | undefined> {
  const [ours, theirs] = [rowsOf(left, onPage), rowsOf(right, () => {})];
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

async function* rowsOf(dump: Dump, onPage: OnPage): AsyncGenerator<Placed, undefined> {
  for await (const page of dump) {
    onPage(page);
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
