// Which sets of a batch fail by themselves, found by one look at the state. A set that fails changes nothing, so it may
// count as done at the very moment of that look, without a lock; the others are tried again without it.
import type { Outcome, Write, WriteSet } from '../engine.ts';
import type { Ask, Statement } from './connection.ts';
import { codeOf, from, operationOf, sameKey, tableOf } from './statements.ts';
import { Batch } from './writes.ts';

type Failure = Extract<Outcome, { ok: false }>;

const keyColumns = 'contract bigint, place text, id text, version bigint, loose boolean';
const looks: Record<'guard' | 'update' | 'remove' | 'insert', (table: string) => string> = {
  guard: (table) => `LEFT JOIN ${table} AS r ON ${sameKey} AND r.version = v.version WHERE r.id IS NULL`,
  update: (table) => `LEFT JOIN ${table} AS r ON ${sameKey} AND r.version = v.version WHERE r.id IS NULL`,
  remove: (table) =>
    `LEFT JOIN ${table} AS r ON ${sameKey} AND (v.version IS NULL OR r.version = v.version)
     WHERE r.id IS NULL AND NOT v.loose`,
  insert: (table) => `JOIN ${table} AS r ON ${sameKey}`,
};

// For writes of rows those that fail, for counters what they stand at.
function lookAt(code: number, value: number): string {
  const operation = operationOf(code);
  if (operation === 'append') throw new Error('an append never fails');
  if (operation === 'count') {
    const steps = from(value, 'contract bigint, name text');
    return `SELECT ${code}, v.contract, v.name, '', coalesce(c.value, 0) FROM ${steps}
      LEFT JOIN counter AS c ON c.contract = v.contract AND c.name = v.name`;
  }
  const rest = looks[operation](tableOf(code));
  return `SELECT ${code}, v.contract, v.place, v.id, 0::bigint FROM ${from(value, keyColumns)} ${rest}`;
}

const known = new Map<string, Statement>();
const mostKnown = 40;

// Beyond so many combinations the rest is planned each time: a name would be kept for good.
function statementOf(codes: number[]): Statement {
  const name = `look ${codes.join(' ')}`;
  const text = (): string => codes.map((code, at) => lookAt(code, at + 1)).join('\nUNION ALL ');
  const found = known.get(name) ?? { name: known.size < mostKnown ? name : '', text: text() };
  if (found.name) known.set(name, found);
  return found;
}

// Undefined: it holds, or it fails only because of others.
export type Judge = (set: WriteSet) => Failure | undefined;

export async function lookInto(sets: readonly WriteSet[], ask: Ask): Promise<Judge> {
  const batch = new Batch();
  for (const set of sets) batch.gather(set);
  const codes = batch.present().filter((code) => operationOf(code) !== 'append');
  if (codes.length === 0) return () => undefined;
  const { rows } = await ask(statementOf(codes), batch.values({ codes }));
  const failing = new Set<string>();
  const counters = new Map<string, number>();
  for (const [code, contract, place, id, value] of rows as [number, number, string, string, number][]) {
    if (operationOf(code) === 'count') counters.set(`${contract} ${place}`, value);
    else failing.add(`${code} ${contract} ${place}\n${id}`);
  }
  return (set) => judge(set, failing, new Map(counters));
}

function judge(set: WriteSet, failing: Set<string>, counters: Map<string, number>): Failure | undefined {
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
