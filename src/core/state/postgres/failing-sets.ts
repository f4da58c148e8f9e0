// Finds the sets of a batch that fail by themselves, with one query. A set that fails changes nothing, so it may be
// answered by the snapshot of that query, without a lock; the others are tried again without it.
import type { Outcome, Write, WriteSet } from '../engine.ts';
import { Batch } from './batch.ts';
import type { Ask, Statement } from './connection.ts';
import { codeOf, from, operationOf, sameKey, tableOf } from './statements.ts';

type Failure = Extract<Outcome, { ok: false }>;

const keyColumns = 'contract bigint, place text, id text, version bigint, loose boolean';
const joins: Record<'guard' | 'update' | 'remove' | 'insert', (table: string) => string> = {
  guard: (table) => `LEFT JOIN ${table} AS r ON ${sameKey} AND r.version = v.version WHERE r.id IS NULL`,
  update: (table) => `LEFT JOIN ${table} AS r ON ${sameKey} AND r.version = v.version WHERE r.id IS NULL`,
  remove: (table) =>
    `LEFT JOIN ${table} AS r ON ${sameKey} AND (v.version IS NULL OR r.version = v.version)
     WHERE r.id IS NULL AND NOT v.loose`,
  insert: (table) => `JOIN ${table} AS r ON ${sameKey}`,
};

// Selects the writes of rows that fail, and the values of counters.
function selectFailing(code: number, value: number): string {
  const operation = operationOf(code);
  if (operation === 'append') throw new Error('an append never fails');
  if (operation === 'count') {
    const steps = from(value, 'contract bigint, name text');
    return `SELECT ${code}, v.contract, v.name, '', coalesce(c.value, 0) FROM ${steps}
      LEFT JOIN counter AS c ON c.contract = v.contract AND c.name = v.name`;
  }
  const rest = joins[operation](tableOf(code));
  return `SELECT ${code}, v.contract, v.place, v.id, 0::bigint FROM ${from(value, keyColumns)} ${rest}`;
}

const known = new Map<string, Statement>();
const maxKnown = 40;

// Further combinations are planned each time: the server would keep a named statement for good.
function statementOf(codes: number[]): Statement {
  const name = `failing ${codes.join(' ')}`;
  const text = (): string => codes.map((code, at) => selectFailing(code, at + 1)).join('\nUNION ALL ');
  const found = known.get(name) ?? { name: known.size < maxKnown ? name : '', text: text() };
  if (found.name) known.set(name, found);
  return found;
}

// Undefined: it succeeds, or fails only because of other sets.
export type FailureOf = (set: WriteSet) => Failure | undefined;

export async function findFailures(sets: readonly WriteSet[], ask: Ask): Promise<FailureOf> {
  const batch = new Batch();
  for (const set of sets) batch.collect(set);
  const codes = batch.present().filter((code) => operationOf(code) !== 'append');
  if (codes.length === 0) return () => undefined;
  const { rows } = await ask(statementOf(codes), batch.values({ codes }));
  const failing = new Set<string>();
  const counters = new Map<string, number>();
  for (const [code, contract, place, id, value] of rows as [number, number, string, string, number][]) {
    if (operationOf(code) === 'count') counters.set(`${contract} ${place}`, value);
    else failing.add(`${code} ${contract} ${place}\n${id}`);
  }
  return (set) => failureOf(set, failing, new Map(counters));
}

function failureOf(set: WriteSet, failing: Set<string>, counters: Map<string, number>): Failure | undefined {
  for (const [at, write] of set.entries()) {
    if (write.op === 'append') continue;
    if (write.op === 'count') {
      const key = `${write.contract} ${write.name}`;
      const value = (counters.get(key) ?? 0) + write.add;
      if (value < 0 || (write.add > 0 && value > (write.max ?? Number.POSITIVE_INFINITY)))
        return { ok: false, why: 'limit', at };
      counters.set(key, value);
    } else {
      const { contract, place, id } = 'row' in write ? write.row : write.key;
      if (failing.has(`${codeOf(write.op, write.table)} ${contract} ${place}\n${id}`))
        return { ok: false, why: reasonOf(write), at };
    }
  }
  return undefined;
}

export const reasonOf = ({ op }: Write): Failure['why'] =>
  op === 'insert' ? 'exists' : op === 'count' ? 'limit' : 'changed';
