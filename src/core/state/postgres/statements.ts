// The SQL of write sets. A batch of sets is one statement: a part for each kind of write on each table, whose rows
// come as one JSON value each (half the cost of arrays in Node). It returns how many writes succeeded, and the caller
// commits or rolls back (transaction.ts). The parts can't see each other's writes, so no key may be in two of them.
import { type Table, tables } from '../engine.ts';
import type { Statement } from './connection.ts';

export const operations = ['guard', 'remove', 'update', 'insert', 'count', 'append'] as const;
export type Operation = (typeof operations)[number];

// A kind of write on a table, as a small number. Their order is the order of locking: the numbers of appends, which
// every writer of a contract needs, come last.
const span = tables.length;
export const codeOf = (operation: Operation, table?: Table): number =>
  operations.indexOf(operation) * span + (table === undefined ? 0 : tables.indexOf(table));
export const codes = operations.length * span;
export const operationOf = (code: number): Operation => operations[Math.floor(code / span)] as Operation;
export const tableOf = (code: number): Table => tables[code % span] as Table;

interface Part {
  values: number; // how many JSON values it takes
  text: (first: number) => string;
  held: string; // how many of its writes succeeded
  numbers?: string; // the last number of each of its sequences
}

const names = 'contract, place, id, kind, state, version, time, owner, meta, body, hidden';
const rest = `kind text, state text, version bigint, time bigint, owner text, meta text, body text, hidden text`;
const types = `contract bigint, place text, id text, ${rest}`;
export const sameKey = 'r.contract = v.contract AND r.place = v.place AND r.id = v.id';
export const from = (value: number, columns: string): string => `json_to_recordset($${value}::json) AS v(${columns})`;

const makers: Record<Operation, (table: Table) => Part> = {
  // The lock lasts until the commit: the row can't change before.
  guard: (table) => ({
    values: 1,
    text: (first) => `guard_${table} AS MATERIALIZED (
      SELECT 1 FROM ${from(first, 'contract bigint, place text, id text, version bigint')}
      JOIN ${table} AS r ON ${sameKey} AND r.version = v.version FOR SHARE OF r)`,
    held: `(SELECT count(*) FROM guard_${table})`,
  }),
  remove: (table) => ({
    values: 1,
    text: (first) => `remove_${table} AS (
      DELETE FROM ${table} AS r
      USING ${from(first, 'contract bigint, place text, id text, version bigint, loose boolean')}
      WHERE ${sameKey} AND (v.version IS NULL OR r.version = v.version) RETURNING v.loose)`,
    held: `(SELECT count(*) FROM remove_${table} WHERE NOT loose)`,
  }),
  update: (table) => ({
    values: 1,
    text: (first) => `update_${table} AS (
      UPDATE ${table} AS r SET kind = v.kind, state = v.state, version = v.version + 1, time = v.time,
        owner = v.owner, meta = v.meta, body = v.body, hidden = v.hidden
      FROM ${from(first, types)} WHERE ${sameKey} AND r.version = v.version RETURNING 1)`,
    held: `(SELECT count(*) FROM update_${table})`,
  }),
  insert: (table) => ({
    values: 1,
    text: (first) => `insert_${table} AS (
      INSERT INTO ${table} (${names})
      SELECT contract, place, id, kind, state, 1, time, owner, meta, body, hidden FROM ${from(first, types)}
      ON CONFLICT (contract, place, id) DO NOTHING RETURNING 1)`,
    held: `(SELECT count(*) FROM insert_${table})`,
  }),
  // A batch changes each counter once. `low` and `cap` bound the value before it, so that each single step succeeds.
  count: () => ({
    values: 1,
    text: (first) => `steps AS MATERIALIZED (
      SELECT * FROM ${from(first, 'contract bigint, name text, add bigint, low bigint, cap bigint')}),
      counted AS (INSERT INTO counter (contract, name, value) SELECT contract, name, add FROM steps
      ON CONFLICT (contract, name) DO UPDATE SET value = counter.value + excluded.value
      RETURNING contract, name, value)`,
    held: `(SELECT count(*) FROM counted JOIN steps USING (contract, name)
      WHERE value - add >= low AND (cap IS NULL OR value - add <= cap))`,
  }),
  // `prior` is the time of the last row before this batch. Other appends to the same place wait for our commit.
  append: (table) => ({
    values: 2,
    text: (first) => `wanted_${table} AS MATERIALIZED (
      SELECT * FROM ${from(first, 'k integer, contract bigint, place text, n bigint, time bigint')}),
      taken_${table} AS (INSERT INTO sequence (source, contract, place, last, time)
      SELECT '${table}', contract, place, n, time FROM wanted_${table}
      ON CONFLICT (source, contract, place) DO UPDATE
      SET last = sequence.last + excluded.last, prior = sequence.time, time = greatest(sequence.time, excluded.time)
      RETURNING contract, place, last, prior),
      given_${table} AS MATERIALIZED (
      SELECT k, last, last - n AS base, prior FROM taken_${table} JOIN wanted_${table} USING (contract, place)),
      append_${table} AS (INSERT INTO ${table} (${names})
      SELECT contract, place, lpad((base + nth)::text, 12, '0'), kind, state, 1, greatest(time, prior), owner,
        meta, body, hidden
      FROM ${from(first + 1, `contract bigint, place text, ${rest}, k integer, nth bigint`)} JOIN given_${table} USING (k)
      ON CONFLICT (contract, place, id) DO NOTHING RETURNING 1)`,
    held: `(SELECT count(*) FROM append_${table})`,
    numbers: `(SELECT string_agg(last::text, ',' ORDER BY k) FROM given_${table})`,
  }),
};

const parts: (Part | undefined)[] = [];
function partOf(code: number): Part {
  parts[code] ??= makers[operationOf(code)](tableOf(code));
  return parts[code];
}

// One write inside a transaction: returns whether it succeeded, and rolls nothing back.
const alone: (Statement | undefined)[] = [];
export function aloneOf(code: number): Statement {
  const { text, held, numbers = "''" } = partOf(code);
  alone[code] ??= { name: `one ${code}`, text: `WITH ${text(1)} SELECT ${held} AS held, ${numbers} AS numbers` };
  return alone[code];
}

export interface BatchStatement extends Statement {
  codes: readonly number[];
}

// Further values: the node's id, epoch and batch, the channel, the topics to notify. The row's columns: how many writes
// succeeded, whether the node's row was updated, the numbers of appends.
function whole(name: string, present: readonly number[]): BatchStatement {
  const texts: string[] = [];
  const held: string[] = [];
  const numbers: string[] = [];
  let value = 1;
  for (const code of present) {
    const part = partOf(code);
    texts.push(part.text(value));
    held.push(part.held);
    if (part.numbers) numbers.push(part.numbers);
    value += part.values;
  }
  const result = numbers.length > 0 ? `concat_ws(';', ${numbers.join(', ')})` : "''";
  texts.push(`committed AS (UPDATE node SET batch = $${value + 2}, result = ${result}, seen = clock_timestamp()
    WHERE id = $${value} AND epoch = $${value + 1} RETURNING result)`);
  const text = `WITH ${texts.join(',\n')}
    SELECT ${held.join(' + ') || '0'}, (SELECT count(*) FROM committed), (SELECT result FROM committed),
    (SELECT count(pg_notify($${value + 3}, topic)) FROM json_array_elements_text($${value + 4}::json) AS topic)`;
  return { name, text, codes: present };
}

// Each combination of parts is a separate statement, planned once per connection. Their number is bounded: beyond it,
// a new combination uses the smallest known one that covers it, with no rows for the other parts.
export class Combinations {
  readonly #known = new Map<string, BatchStatement>();
  readonly #maxKnown: number;

  constructor(maxKnown = 40) {
    this.#maxKnown = maxKnown;
  }

  of(present: readonly number[]): BatchStatement {
    const key = present.join(' ');
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size < this.#maxKnown) return this.#keep(key, whole(`batch ${key}`, present));
    const wanted = new Set(present);
    const covering = this.#known
      .values()
      .filter((one) => wanted.isSubsetOf(new Set(one.codes)))
      .toArray()
      .sort((a, b) => a.codes.length - b.codes.length)[0];
    return (
      covering ?? this.#keep('all', whole('batch all', Array.from({ length: codes }, (_, code) => code).filter(real)))
    );
  }

  #keep(key: string, statement: BatchStatement): BatchStatement {
    this.#known.set(key, statement);
    return statement;
  }
}

// Counters are in no table of rows, so they have one code only.
const real = (code: number): boolean => operationOf(code) !== 'count' || code % span === 0;
