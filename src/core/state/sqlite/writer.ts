// Performs write sets inside a transaction that the commit queue has opened. The numbers of appends and the values of
// counters are kept here only until its end, so they can't differ from the disk.
import type { StatementSync } from 'node:sqlite';
import { appendedId, type Key, type Outcome, type Row, type Table, type Write, type WriteSet } from '../engine.ts';
import { checksumOf } from './checksum.ts';
import { pack } from './rows.ts';
import { type Prepare, type SqliteTable, sqliteTables } from './table.ts';

interface Sequence {
  table: Table;
  contract: number;
  place: string;
  last: number;
  time: number;
}

type Count = Extract<Write, { op: 'count' }>;
type Reason = Extract<Outcome, { ok: false }>['why'];

const pageSize = 4096;

const leasing = `INSERT INTO lease (name, holder, until, checksum) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE
   SET holder = excluded.holder, until = excluded.until, checksum = excluded.checksum WHERE holder = excluded.holder OR until <= ?`;

export class Writer {
  readonly #tables: Record<Table, SqliteTable>;
  readonly #leasing: StatementSync;
  readonly #unleasing: StatementSync;
  readonly #counters: Counters;
  readonly #numbers: Numbers;
  #touched = 0;
  #texts = 0; // their characters

  constructor(prepare: Prepare) {
    this.#tables = sqliteTables(prepare);
    this.#leasing = prepare(leasing);
    this.#unleasing = prepare('DELETE FROM lease WHERE name = ? AND holder = ?');
    this.#counters = createCounters(prepare);
    this.#numbers = createNumbers(prepare);
  }

  begin(): void {
    this.#touched = 0;
    this.#texts = 0;
    this.#counters.forget();
    this.#numbers.forget();
  }

  // Writes the counters and numbers; to be called before the commit.
  end(): void {
    this.#counters.store();
    this.#numbers.store();
  }

  // `unmark` restores the counters and numbers as they were at `mark`, as a rollback does with the rows.
  mark(): void {
    this.#counters.mark();
    this.#numbers.mark();
  }

  unmark(): void {
    this.#counters.unmark();
    this.#numbers.unmark();
  }

  // How many rows and counters have been written since `begin`: tells whether a failed set has to be rolled back.
  touched(): number {
    return this.#touched;
  }

  // An estimate of the pages that have been written since `begin`.
  pages(): number {
    return this.#touched + this.#texts / pageSize;
  }

  perform(set: WriteSet): Outcome {
    const appended: string[] = [];
    for (let at = 0; at < set.length; at++) {
      const why = this.#write(set[at] as Write, appended);
      if (why) return { ok: false, why, at };
    }
    return { ok: true, appended };
  }

  lease(name: string, holder: string, ms: number, now: number): Outcome {
    const until = now + ms;
    const taken =
      ms <= 0
        ? this.#counted(this.#unleasing.run(name, holder).changes !== 0)
        : this.#counted(this.#leasing.run(name, holder, until, checksumOf(name, holder, until), now).changes !== 0);
    return taken ? { ok: true, appended: [] } : { ok: false, why: 'changed', at: 0 };
  }

  #write(one: Write, appended: string[]): Reason | undefined {
    switch (one.op) {
      case 'insert':
        return this.#insert(one.table, one.row, one.row.id, one.row.time) ? undefined : 'exists';
      case 'update':
        return this.#update(one.table, one.row) ? undefined : 'changed';
      case 'remove':
        return this.#remove(one.table, one.key, one.version) || one.loose ? undefined : 'changed';
      case 'guard': {
        const { contract, place, id } = one.key;
        return (this.#tables[one.table].get(contract, place, id)?.[0] ?? 0) === one.version ? undefined : 'changed';
      }
      case 'count':
        if (!this.#counters.add(one)) return 'limit';
        this.#touched += 1;
        return undefined;
      case 'append':
        appended.push(this.#append(one.table, one.row));
        return undefined;
    }
  }

  #insert(table: Table, row: Omit<Row, 'id'>, id: string, time: number): boolean {
    return this.#counted(this.#tables[table].insert(row.contract, row.place, id, 1, time, this.#packed(row)));
  }

  #update(table: Table, row: Row): boolean {
    const { contract, place, id, version, time } = row;
    return this.#counted(this.#tables[table].update(contract, place, id, version, time, this.#packed(row)));
  }

  #remove(table: Table, { contract, place, id }: Key, version: number | undefined): boolean {
    return this.#counted(this.#tables[table].remove(contract, place, id, version));
  }

  #append(table: Table, row: Omit<Row, 'id'>): string {
    const sequence = this.#numbers.next(table, row);
    // A number that was inserted by hand is skipped.
    for (;;) {
      const id = appendedId(++sequence.last);
      if (this.#insert(table, row, id, sequence.time)) return id;
    }
  }

  #packed(row: Omit<Row, 'id'>): string {
    const rest = pack(row);
    this.#texts += rest.length;
    return rest;
  }

  #counted(isDone: boolean): boolean {
    if (isDone) this.#touched += 1;
    return isDone;
  }
}

// Within a transaction a counter is read once and written once, however many sets add to it.
interface Counters {
  add(write: Count): boolean;
  mark(): void;
  unmark(): void;
  store(): void;
  forget(): void;
}

interface Counter {
  contract: number;
  name: string;
  stored: number | undefined; // undefined: there is none yet
  value: number;
}

function createCounters(prepare: Prepare): Counters {
  const read = prepare('SELECT value FROM counter WHERE contract = ? AND name = ?');
  const write = prepare('INSERT OR REPLACE INTO counter (contract, name, value, checksum) VALUES (?, ?, ?, ?)');
  const open = new Map<string, Counter>();
  let before: { counter: Counter; value: number }[] = [];
  const counterOf = (contract: number, name: string): Counter => {
    const key = `${contract} ${name}`;
    let counter = open.get(key);
    if (!counter) {
      const found = read.get(contract, name);
      const stored = found ? Number(found[0]) : undefined;
      counter = { contract, name, stored, value: stored ?? 0 };
      open.set(key, counter);
    }
    return counter;
  };
  return {
    add({ contract, name, add, max = Number.POSITIVE_INFINITY }) {
      const counter = counterOf(contract, name);
      const value = counter.value + add;
      // A decrease is never refused by a maximum that was lowered after the increase.
      if (value < 0 || (add > 0 && value > max)) return false;
      before.push({ counter, value: counter.value });
      counter.value = value;
      return true;
    },
    mark() {
      before = [];
    },
    unmark() {
      for (const { counter, value } of before.reverse()) counter.value = value;
      before = [];
    },
    store() {
      for (const { contract, name, stored, value } of open.values())
        if (value !== stored) write.run(contract, name, value, checksumOf(contract, name, value));
    },
    forget() {
      open.clear();
      before = [];
    },
  };
}

interface Numbers {
  next(table: Table, row: Omit<Row, 'id'>): Sequence;
  mark(): void;
  unmark(): void;
  store(): void;
  forget(): void;
}

function createNumbers(prepare: Prepare): Numbers {
  const read = prepare('SELECT last, time FROM sequence WHERE source = ? AND contract = ? AND place = ?');
  const write = prepare(
    'INSERT OR REPLACE INTO sequence (source, contract, place, last, time, checksum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const open = new Map<string, Sequence>();
  let before: { sequence: Sequence; last: number; time: number }[] = [];
  let same: Sequence | undefined; // the one used last, as nearly all are
  const sequenceOf = (table: Table, contract: number, place: string): Sequence => {
    if (same?.contract === contract && same.place === place && same.table === table) return same;
    const key = `${table} ${contract} ${place}`;
    same = open.get(key);
    if (!same) {
      const found = read.get(table, contract, place);
      same = { table, contract, place, last: Number(found?.[0] ?? 0), time: Number(found?.[1] ?? 0) };
      open.set(key, same);
    }
    return same;
  };
  return {
    next(table, { contract, place, time }) {
      const sequence = sequenceOf(table, contract, place);
      before.push({ sequence, last: sequence.last, time: sequence.time });
      if (sequence.last === 0 || time > sequence.time) sequence.time = time;
      return sequence;
    },
    mark() {
      before = [];
    },
    unmark() {
      for (const { sequence, last, time } of before.reverse()) Object.assign(sequence, { last, time });
      before = [];
    },
    store() {
      for (const { table, contract, place, last, time } of open.values()) {
        if (last > 0) write.run(table, contract, place, last, time, checksumOf(table, contract, place, last, time));
      }
    },
    forget() {
      open.clear();
      same = undefined;
      before = [];
    },
  };
}
