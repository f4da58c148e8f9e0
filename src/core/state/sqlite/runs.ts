// The audit in SQLite. What is appended to it in one commit mostly differs in a time and a short text only (the request
// that an entry names), so entries that follow each other stand in one row, a run: twenty are written as fast as one.
// A run has the key of its last entry, the time of its first, and how many they are, below 0, as its version. No other
// key lies between those of a run: what is put or changed amid one parts it.
import type { StatementSync } from 'node:sqlite';
import { appendedId as idOf, type Row, type Scan, type Table } from '../engine.ts';
import { compareBytes, limitOf, planScan, queryOf } from '../scan.ts';
import { damaged } from './faults.ts';
import { behindKey, frontOf, mark, type PackedRow, runMark, unpacked } from './rows.ts';
import type { Found, Prepare, SqliteTable } from './table.ts';

export const inRuns = 'activity' satisfies Table;

const mostText = 900; // of a run: beyond a quarter of a page it would need one of its own
const short = /^[ -~]{0,64}$/;

interface Entry {
  time: number;
  meta: string;
}

interface Run {
  contract: number;
  place: string;
  first: number;
  front: string; // what its entries have in common, joined
  entries: Entry[];
}

export class RunTable implements SqliteTable {
  readonly #rows: SqliteTable;
  readonly #prepare: Prepare;
  readonly #atOrAfter: StatementSync;
  #open: Run | undefined; // the end of its place, or what is left of a run: not written yet
  #text = 0; // its characters
  #isCareful = false;
  #parted = 0;

  constructor(prepare: Prepare, rows: SqliteTable) {
    this.#rows = rows;
    this.#prepare = prepare;
    this.#atOrAfter = prepare(`SELECT id, ${behindKey} FROM ${inRuns}
      WHERE contract = ? AND place = ? AND id >= ? ORDER BY id LIMIT 1`);
  }

  get(contract: number, place: string, id: string): Found | undefined {
    this.write();
    const found = this.#at(contract, place, id);
    if (!found) return undefined;
    // SQLite keeps well-formed texts only.
    if (!isRun(found[3]))
      return found[0] === id || found[0] === id.toWellFormed() ? [found[1], found[2], found[3]] : undefined;
    const run = runOf([contract, place, ...found]);
    const entry = run.entries[indexIn(run, id)];
    return entry && [1, entry.time, packed(run, entry)];
  }

  insert(contract: number, place: string, id: string, version: number, time: number, rest: string): boolean {
    this.write();
    const found = this.#at(contract, place, id);
    if (found && isRun(found[3])) {
      const run = runOf([contract, place, ...found]);
      if (indexIn(run, id) >= 0) return false;
      this.#open = this.#part(run, id, id);
      this.write();
    }
    return this.#rows.insert(contract, place, id, version, time, rest);
  }

  update(contract: number, place: string, id: string, version: number, time: number, rest: string): boolean {
    this.write();
    if (version > 0 && this.#rows.update(contract, place, id, version, time, rest)) return true;
    const run = this.#runWith(contract, place, id);
    if (!run) return version <= 0 && this.#rows.update(contract, place, id, version, time, rest);
    if (version !== 1) return false;
    this.#open = this.#part(run, id, after(id));
    this.write();
    return this.#rows.insert(contract, place, id, 2, time, rest);
  }

  remove(contract: number, place: string, id: string, version: number | undefined): boolean {
    const isOfRun = version === undefined || version === 1;
    if (isOfRun && this.#shift(contract, place, id)) return true;
    this.write();
    const run = this.#runWith(contract, place, id);
    if (!run) return this.#rows.remove(contract, place, id, version);
    if (!isOfRun) return false;
    this.#open = this.#part(run, id, after(id));
    this.#text = mostText;
    if (this.#isCareful) this.write();
    return true;
  }

  // What is too old goes in its order: a run is written once for all of its entries.
  #shift(contract: number, place: string, id: string): boolean {
    const run = this.#open;
    if (run?.contract !== contract || run.place !== place || indexIn(run, id) !== 0) return false;
    run.entries.shift();
    run.first += 1;
    return true;
  }

  // To be called when a transaction begins. Careful: what one set has done can be taken back without the others, so
  // nothing is kept for later.
  begin(isCareful: boolean): void {
    this.#isCareful = isCareful;
    this.#open = undefined;
    this.#parted = 0;
  }

  // How often a run was taken apart since then: who fails after that has left something behind.
  get parted(): number {
    return this.#parted;
  }

  // Remembers a row as the last of its place, or says that it has to be inserted as others are. What is remembered is
  // written with the next look into this table, at the latest by `write` before the commit.
  append(row: Omit<Row, 'id'>, number: number, time: number): boolean {
    const { contract, place, meta } = row;
    if (this.#isCareful || row.body !== '' || row.hidden !== '' || typeof meta !== 'string') return false;
    // What is wrong is judged where it is inserted, and alone.
    if (!short.test(meta) || typeof place !== 'string' || !isWhole(contract) || !isWhole(time)) return false;
    const front = frontOf(row.kind, row.state, row.owner);
    if (front === '') return false;
    let run = this.#open;
    const isNext =
      run !== undefined &&
      run.first + run.entries.length === number &&
      run.contract === contract &&
      run.place === place &&
      run.front === front &&
      this.#text + meta.length < mostText;
    if (!run || !isNext) {
      this.write();
      if (this.#at(contract, place, idOf(number))) return false; // somebody has put something there by hand
      run = { contract, place, first: number, front, entries: [] };
      this.#open = run;
      this.#text = front.length;
    }
    run.entries.push({ time, meta });
    this.#text += meta.length + (time - (run.entries[0] as Entry).time < 100 ? 4 : 16);
    return true;
  }

  write(): void {
    const run = this.#open;
    this.#open = undefined;
    if (run) this.#put(run);
  }

  range(scan: Scan): Row[] {
    const plan = planScan(scan);
    if (!plan) return [];
    const found: Row[] = [];
    const end = limitOf(scan);
    let toSkip = scan.offset ?? 0;
    const take = (rows: Row[]): void => {
      const isOfRun = rows.length > 1; // the query knows of the keys of runs only
      for (const row of scan.reverse ? rows.reverse() : rows) {
        if (isOfRun && !isIn(scan, row)) continue;
        if (toSkip > 0) toSkip -= 1;
        else if (found.length < end) found.push(row);
      }
    };
    const cut = this.#cutBy(scan);
    if (cut && scan.reverse) take(cut);
    const query = this.#prepare(queryOf(inRuns, plan, behindKey));
    for (const stored of query.iterate(...plan.values, -1, 0) as Iterable<unknown>) {
      if (found.length >= end) break;
      take(rowsOf(stored as PackedRow));
    }
    if (cut && !scan.reverse) take(cut);
    return found;
  }

  // A run that begins before the end of a scan and ends behind it is not among the rows before that end.
  #cutBy({ contract, place, below = '', to, after, reverse }: Scan): Row[] | undefined {
    const isBehind = reverse && after && (contract === undefined || contract === after.contract);
    if (place === undefined) return isBehind && after.place.startsWith(below) ? this.#runAt(after) : undefined;
    const ends = [to, isBehind && after.place === place ? after.id : undefined].filter((id) => id !== undefined);
    const [id] = ends.sort(compareBytes);
    return id === undefined || contract === undefined ? undefined : this.#runAt({ contract, place, id });
  }

  #runAt({ contract, place, id }: Pick<Row, 'contract' | 'place' | 'id'>): Row[] | undefined {
    const found = this.#at(contract, place, id);
    return found && isRun(found[3]) ? rowsOf([contract, place, ...found]) : undefined;
  }

  #at(contract: number, place: string, id: string): Stored | undefined {
    return this.#atOrAfter.get(contract, place, id) as unknown as Stored | undefined;
  }

  #runWith(contract: number, place: string, id: string): Run | undefined {
    const found = this.#at(contract, place, id);
    if (!found || !isRun(found[3])) return undefined;
    const run = runOf([contract, place, ...found]);
    return indexIn(run, id) < 0 ? undefined : run;
  }

  // Takes a run out and puts back what stands before `low`. What stands at `high` or behind it is left to the caller.
  #part(run: Run, low: string, high: string): Run {
    const { contract, place, first, entries } = run;
    this.#parted += 1;
    const before = entries.filter((_, at) => idOf(first + at) < low);
    const behind = entries.filter((_, at) => idOf(first + at) >= high);
    this.#rows.remove(contract, place, idOf(first + entries.length - 1), undefined);
    this.#put({ ...run, entries: before });
    return { ...run, first: first + entries.length - behind.length, entries: behind };
  }

  // One alone is an ordinary row.
  #put(run: Run): void {
    const { contract, place, first, front, entries } = run;
    const [head] = entries;
    if (!head) return;
    const id = idOf(first + entries.length - 1);
    const isAlone = entries.length === 1;
    const texts = entries.map(({ time, meta }) => `${time - head.time} ${meta}`);
    const rest = isAlone ? packed(run, head) : `${runMark}${front}${texts.join(mark)}`;
    if (!this.#rows.insert(contract, place, id, isAlone ? 1 : -entries.length, head.time, rest))
      throw damaged(place, id);
  }
}

type Stored = [id: string, ...Found];

const digits = /^\d{1,15}$/;
const isWhole = (number: number): boolean => Number.isSafeInteger(number);
const isRun = (rest: string): boolean => rest.startsWith(runMark);

// Throws where it is none.
function runOf([contract, place, id, version, time, rest]: PackedRow): Run {
  const [kind = '', state = '', owner = '', ...texts] = rest.slice(runMark.length).split(mark);
  const first = Number(id) - texts.length + 1;
  if (texts.length !== -version || !(first > 0) || idOf(Number(id)) !== id) throw damaged(place, id);
  const entries = texts.map((text): Entry => {
    const cut = text.indexOf(' ');
    if (!digits.test(text.slice(0, cut))) throw damaged(place, id);
    return { time: time + Number(text.slice(0, cut)), meta: text.slice(cut + 1) };
  });
  return { contract, place, first, front: [kind, state, owner, ''].join(mark), entries };
}

// Of one stored row: itself, or all of a run.
export function rowsOf(stored: PackedRow): Row[] {
  const [contract, place, id, version, time, rest] = stored;
  if (!isRun(rest)) return [unpacked(contract, place, id, version, time, rest)];
  const run = runOf(stored);
  return run.entries.map((entry, at) =>
    unpacked(contract, place, idOf(run.first + at), 1, entry.time, packed(run, entry)),
  );
}

const packed = ({ front }: Run, { meta }: Entry): string => `${front}${mark}${meta}${mark}`; // nothing hidden, no body

function indexIn(run: Run, id: string): number {
  const at = Number(id) - run.first;
  return Number.isInteger(at) && at >= 0 && at < run.entries.length && idOf(run.first + at) === id ? at : -1;
}

function isIn({ place, from, to, after, reverse }: Scan, row: Row): boolean {
  if (place !== undefined && from !== undefined && row.id < from) return false;
  if (place !== undefined && to !== undefined && row.id >= to) return false;
  if (!after || after.contract !== row.contract || after.place !== row.place) return true;
  return reverse ? row.id < after.id : row.id > after.id;
}

const after = (id: string): string => `${id}\0`;
