// Fills the cache of rows. With the first row that is asked for, all are read in the order of their numbers, some in
// each turn of the event loop, as long as there is room; what is changed or comes later is read when it is asked for.
// When the cache is full most is left as it is, or each row would be read to push out another.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StateFigures } from '../figures.ts';
import { type NumberedRow, RowCache } from './row-cache.ts';
import { firstOf, groupOf, least, numbered, numberOf, slots } from './row-numbers.ts';
import type { Prepare } from './table.ts';

const inTurn = slots + 8; // rows; more than a group has
const longest = 6000; // bytes of a row that is read: longer ones are not kept
const oneOf = 16; // misses brings something into a full cache

export class ReadAhead {
  readonly cache: RowCache;
  readonly #db: DatabaseSync;
  readonly #select: StatementSync;
  #next = least; // the number that is read from; beyond all when they have been read
  #group: number | undefined; // to be read alone
  #misses = 0;
  #failures = 0;
  #isAwaited = false;
  #isClosed = false;

  constructor(db: DatabaseSync, prepare: Prepare, mostBytes: number) {
    this.#db = db;
    this.cache = new RowCache(mostBytes);
    this.#select = prepare(
      `SELECT number, contract, place, id, version, time, iif(octet_length(rest) > ${longest}, '', rest)
         FROM ${numbered} WHERE number >= ? ORDER BY number LIMIT ?`,
    );
  }

  // A row that is there was not found in the cache.
  missed(place: string, id: string): void {
    if (this.#isAwaited) return;
    if (this.#next === Number.POSITIVE_INFINITY) {
      const number = numberOf(place, id);
      if (this.cache.isFull && ++this.#misses % oneOf !== 0) return;
      if (number === undefined || this.cache.hasGroup(groupOf(number))) return;
      this.#group = groupOf(number);
    }
    this.#soon();
  }

  // All is another now.
  forget(): void {
    this.cache.clear();
    this.#next = least;
  }

  figures(): StateFigures {
    return { ...this.cache.figures(), readAheadFailures: this.#failures };
  }

  close(): void {
    this.#isClosed = true;
  }

  #soon(): void {
    this.#isAwaited = true;
    setImmediate(() => {
      this.#isAwaited = false;
      if (this.#isClosed || this.#db.isTransaction) return;
      try {
        if (this.#group !== undefined) this.#readGroup(this.#group);
        else this.#readOn();
      } catch {
        this.#next = Number.POSITIVE_INFINITY; // nobody asked for these rows: who does is told
        this.#failures += 1;
      }
    });
  }

  #readGroup(group: number): void {
    this.#group = undefined;
    this.cache.keep(this.#rows(firstOf(group), slots).filter(([number]) => groupOf(number) === group));
  }

  #readOn(): void {
    const rows = this.#rows(this.#next, inTurn);
    const isEnd = rows.length < inTurn;
    const whole = isEnd ? rows : withoutLastGroup(rows);
    this.cache.keep(whole);
    this.#next = isEnd || this.cache.isFull ? Number.POSITIVE_INFINITY : firstOf(lastGroup(rows));
    if (this.#next !== Number.POSITIVE_INFINITY) this.#soon();
  }

  #rows(from: number, most: number): NumberedRow[] {
    return this.#select.all(from, most) as unknown as NumberedRow[];
  }
}

// It may not be whole.
function withoutLastGroup(rows: NumberedRow[]): NumberedRow[] {
  const last = lastGroup(rows);
  return rows.slice(
    0,
    rows.findIndex(([number]) => groupOf(number) === last),
  );
}

const lastGroup = (rows: NumberedRow[]): number => groupOf((rows.at(-1) as NumberedRow)[0]);
