// Collects write sets for one statement: rows by kind of write and table, each key once. A set with a key that the
// batch has already must wait for the next batch; a set whose own writes depend on their order can be in none.
import type { CommitJob } from '../commit-job.ts';
import type { Outcome, Table, Write, WriteSet } from '../engine.ts';
import { appendedId, tables } from '../engine.ts';
import { type BatchStatement, codeOf, codes, type Operation } from './statements.ts';

type Keyed = { contract: number; place: string; id: string };
type Append = Extract<Write, { op: 'append' }>;
type Count = Extract<Write, { op: 'count' }>;

interface Sequence {
  k: number;
  contract: number;
  place: string;
  n: number; // rows it gets
  time: number; // the latest of them
}

interface Appends {
  sequences: Sequence[];
  rows: object[];
}

interface Given {
  sequence: Sequence;
  appends: Appends;
  nth: number;
}

// The range a counter must have been in before the batch for each step, in order, to succeed.
interface Steps {
  contract: number;
  name: string;
  add: number;
  low: number;
  cap: number | null;
}

const written = -1;
const codeFor: Record<Operation, Record<Table, number>> = Object.fromEntries(
  (['guard', 'remove', 'update', 'insert', 'append'] as const).map((operation) => [
    operation,
    Object.fromEntries(tables.map((table) => [table, codeOf(operation, table)])),
  ]),
) as Record<Operation, Record<Table, number>>;
const counting = codeOf('count');

export interface Job extends CommitJob {
  set: WriteSet;
  topics: readonly string[];
}

export type Fit = 'added' | 'later' | 'alone';

export class Batch {
  readonly #keys = new Map<string, number>(); // the version of a guard, or that it is written
  readonly #rows: (Keyed[] | undefined)[] = new Array(codes);
  readonly #appends: (Appends | undefined)[] = new Array(codes);
  readonly #counters = new Map<string, Steps>();
  // For each append in its order: its sequence, and which of that sequence's rows it is.
  readonly #given: Given[] = [];
  readonly #sizes: number[] = []; // appends of each set
  #repeated: Write[] = []; // guards of the current set that the batch has already
  #strict = 0;

  add(set: WriteSet): Fit {
    const fit = this.#claim(set);
    if (fit === 'added') this.collect(set);
    return fit;
  }

  // Takes the set whatever keys it has: for queries that change nothing.
  collect(set: WriteSet): void {
    const before = this.#given.length;
    for (const write of set) this.#put(write);
    this.#sizes.push(this.#given.length - before);
  }

  present(): number[] {
    const found: number[] = [];
    for (let code = 0; code < codes; code++) {
      if (this.#rows[code] || this.#appends[code] || (code === counting && this.#counters.size > 0)) found.push(code);
    }
    return found;
  }

  values({ codes: wanted }: Pick<BatchStatement, 'codes'>): unknown[] {
    const values: unknown[] = [];
    for (const code of wanted) {
      const appends = this.#appends[code];
      const rows = this.#rows[code];
      if (appends) values.push(JSON.stringify(appends.sequences.toSorted(byKey)), JSON.stringify(appends.rows));
      else if (code >= codeFor.append.resource) values.push('[]', '[]');
      else if (code === counting) values.push(JSON.stringify([...this.#counters.values()].sort(byName)));
      else values.push(rows ? JSON.stringify(ordered(rows)) : '[]');
    }
    return values;
  }

  // How many of its writes must succeed.
  get strict(): number {
    return this.#strict + this.#counters.size;
  }

  // From the last number of each sequence, as the statement returns them.
  outcomes(result: string): Outcome[] {
    const lasts = new Map<Appends, string[]>();
    const texts = result.split(';');
    for (const appends of this.#appends) if (appends) lasts.set(appends, texts.shift()?.split(',') ?? []);
    let at = 0;
    return this.#sizes.map((size) => {
      const appended: string[] = [];
      for (const end = at + size; at < end; at++) {
        const { sequence, appends, nth } = this.#given[at] as Given;
        appended.push(appendedId(Number(lasts.get(appends)?.[sequence.k]) - sequence.n + nth));
      }
      return { ok: true, appended };
    });
  }

  #claim(set: WriteSet): Fit {
    const own: string[] = [];
    const claimed: string[] = [];
    if (this.#repeated.length > 0) this.#repeated = [];
    let fit: Fit = 'added';
    for (const write of set) {
      if (write.op === 'count' || write.op === 'append') continue;
      const { contract, place, id } = write.op === 'insert' || write.op === 'update' ? write.row : write.key;
      const key = `${write.table} ${contract} ${place}\n${id}`;
      const version = write.op === 'guard' ? write.version : written;
      // A row that does not exist can't be locked: see batch-bisect.ts.
      if (version === 0) fit = 'alone';
      const found = this.#keys.get(key);
      if (found === undefined) {
        this.#keys.set(key, version);
        claimed.push(key);
      } else if (found === version && version !== written) {
        this.#repeated.push(write); // sets below one parent all guard that parent
      } else if (own.includes(key)) fit = 'alone';
      else if (fit !== 'alone') fit = 'later';
      own.push(key);
    }
    if (fit !== 'added') for (const key of claimed) this.#keys.delete(key);
    return fit;
  }

  #put(write: Write): void {
    if (write.op === 'append') this.#append(write);
    else if (write.op === 'count') this.#count(write);
    else if (write.op !== 'guard' || !this.#repeated.includes(write)) this.#keyed(write);
  }

  #keyed(write: Exclude<Write, Append | Count>): void {
    const code = codeFor[write.op][write.table];
    let rows = this.#rows[code];
    if (!rows) {
      rows = [];
      this.#rows[code] = rows;
    }
    if (write.op === 'insert' || write.op === 'update') rows.push(write.row);
    else if (write.op === 'remove') rows.push(removal(write));
    else rows.push(guarding(write));
    if (write.op !== 'remove' || !write.loose) this.#strict += 1;
  }

  #append({ table, row }: Append): void {
    const code = codeFor.append[table];
    let appends = this.#appends[code];
    if (!appends) {
      appends = { sequences: [], rows: [] };
      this.#appends[code] = appends;
    }
    const { contract, place, time } = row;
    let sequence = appends.sequences.find((one) => one.contract === contract && one.place === place);
    if (!sequence) {
      sequence = { k: appends.sequences.length, contract, place, n: 0, time };
      appends.sequences.push(sequence);
    }
    const nth = ++sequence.n;
    sequence.time = Math.max(sequence.time, time);
    appends.rows.push({ ...row, time: sequence.time, k: sequence.k, nth });
    this.#given.push({ sequence, appends, nth });
    this.#strict += 1;
  }

  #count({ contract, name, add, max }: Count): void {
    const key = `${contract} ${name}`;
    let steps = this.#counters.get(key);
    if (!steps) {
      steps = { contract, name, add: 0, low: 0, cap: null };
      this.#counters.set(key, steps);
    }
    steps.add += add;
    steps.low = Math.max(steps.low, -steps.add);
    // A decrease is never refused by a maximum that was lowered after the increase.
    if (add > 0 && max !== undefined && max !== Number.POSITIVE_INFINITY)
      steps.cap = Math.min(steps.cap ?? Number.POSITIVE_INFINITY, max - steps.add);
  }
}

const removal = ({ key, version, loose }: Extract<Write, { op: 'remove' }>) => ({
  contract: key.contract,
  place: key.place,
  id: key.id,
  version: version ?? null,
  loose: loose ?? false,
});

const guarding = ({ key, version }: Extract<Write, { op: 'guard' }>) => ({
  contract: key.contract,
  place: key.place,
  id: key.id,
  version,
});

// All nodes lock rows in the same order, which prevents deadlocks.
const byKey = (a: { contract: number; place: string; id?: string }, b: typeof a): number =>
  a.contract - b.contract || compare(a.place, b.place) || compare(a.id ?? '', b.id ?? '');
const byName = (a: Steps, b: Steps): number => a.contract - b.contract || compare(a.name, b.name);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function ordered(rows: Keyed[]): Keyed[] {
  for (let at = 1; at < rows.length; at++) {
    if (byKey(rows[at - 1] as Keyed, rows[at] as Keyed) > 0) return rows.sort(byKey);
  }
  return rows;
}
