// Plans a scan as one seek in the key's index: all its bounds are combined to one lower and one upper bound, since a
// database seeks by one of each and only filters by the others. The same for every engine with SQL.
import type { Key, Row, Scan, Table } from './engine.ts';

export interface Plan {
  where: string;
  order: string;
  values: (string | number)[];
}

// Undefined: no row can match.
export function planScan(scan: Scan): Plan | undefined {
  const { contract, after, reverse = false } = scan;
  const order = reverse ? 'contract DESC, place DESC, id DESC' : 'contract, place, id';
  const past = reverse ? '<' : '>';
  if (contract === undefined) {
    if (scan.place !== undefined || scan.below) throw new Error('a scan of every contract takes no place');
    if (!after) return { where: '', order, values: [] };
    const values = [after.contract, after.place, after.id];
    return { where: `WHERE (contract, place, id) ${past} (?, ?, ?)`, order, values };
  }
  if (after && after.contract !== contract) {
    const ahead = reverse ? after.contract > contract : after.contract < contract;
    return ahead ? planScan({ ...without(scan) }) : undefined;
  }
  const found = scan.place === undefined ? tree(scan, after, past) : ids(scan, scan.place, after);
  if (!found) return undefined;
  return { where: `WHERE contract = ?${found.where}`, order, values: [contract, ...found.values] };
}

export const restOfRow = 'kind, state, version, time, owner, meta, body, hidden';

// `LIMIT` and `OFFSET` come after the plan's own values.
export const queryOf = (table: Table, { where, order }: Plan, behindKey = restOfRow): string =>
  `SELECT contract, place, id, ${behindKey} FROM ${table} ${where} ORDER BY ${order} LIMIT ? OFFSET ?`;

export const limitOf = ({ limit }: Scan): number => Math.max(0, Math.min(limit, Number.MAX_SAFE_INTEGER));

// `at`: where the columns of `restOfRow` begin.
export function rowFrom(contract: number, place: string, id: string, values: unknown[], at: number): Row {
  return {
    contract,
    place,
    id,
    kind: values[at] as string,
    state: values[at + 1] as string,
    version: values[at + 2] as number,
    time: values[at + 3] as number,
    owner: values[at + 4] as string,
    meta: values[at + 5] as string,
    body: values[at + 6] as string,
    hidden: values[at + 7] as string,
  };
}

type Bounds = Pick<Plan, 'where' | 'values'>;

function ids(scan: Scan, place: string, after: Key | undefined): Bounds | undefined {
  const reverse = scan.reverse ?? false;
  let where = ' AND place = ?';
  const values = [place];
  let low = scan.from;
  let lowBy = '>=';
  let high = scan.to;
  const side = after ? compareBytes(after.place, place) : undefined;
  if (side !== undefined && side !== 0) {
    if (side > 0 !== reverse) return undefined;
  } else if (after && reverse) {
    if (high === undefined || compareBytes(after.id, high) < 0) high = after.id;
  } else if (after && (low === undefined || compareBytes(after.id, low) >= 0)) {
    low = after.id;
    lowBy = '>';
  }
  if (low !== undefined) {
    where += ` AND id ${lowBy} ?`;
    values.push(low);
  }
  if (high !== undefined) {
    where += ' AND id < ?';
    values.push(high);
  }
  return { where, values };
}

function tree(scan: Scan, after: Key | undefined, past: string): Bounds | undefined {
  const reverse = scan.reverse ?? false;
  const low = scan.below ?? '';
  const high = successor(low);
  const beforeLow = after !== undefined && compareBytes(after.place, low) < 0;
  const beyondHigh = after !== undefined && high !== undefined && compareBytes(after.place, high) >= 0;
  if (reverse ? beforeLow : beyondHigh) return undefined;
  const inside = after !== undefined && !beforeLow && !beyondHigh;
  let where = '';
  const values: string[] = [];
  if (low !== '' && (reverse || !inside)) {
    where += ' AND place >= ?';
    values.push(low);
  }
  if (high !== undefined && !(reverse && inside)) {
    where += ' AND place < ?';
    values.push(high);
  }
  if (inside) {
    where += ` AND (place, id) ${past} (?, ?)`;
    values.push(after.place, after.id);
  }
  return { where, values };
}

function without({ after: _, ...scan }: Scan): Scan {
  return scan;
}

// JavaScript orders by UTF-16 units, which differs from bytes above U+FFFF.
export function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

// The first text, byte by byte, behind every text with this prefix.
export function successor(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.length > 0) {
    const last = points.pop() ?? 0;
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}
