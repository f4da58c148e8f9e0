// Reads and refusals in the audit, gathered in memory. Reads are grouped, so that polling does not hide other entries,
// and written within a second. Each refused change is a separate entry, written within milliseconds, so that it is in
// its place among the others. A crash may lose the last of them, but never an answered change.
import type { Clock } from '../../base/clock.ts';
import type { Caller } from '../access.ts';
import type { Write } from '../state/engine.ts';
import type { Store } from '../store.ts';
import { activityPlace, appendEntry, type Entry } from './audit-log.ts';

interface Gathered {
  contract: number;
  entry: Entry;
  time: number; // of the first
  id?: string; // once it has a number
  dirty: boolean;
  alone?: boolean; // nothing is ever added to it
}

// Reads fall into one entry per user, source, operation, resource and minute. Past a thousand different
// resources of one operation in a minute, the rest share one entry that counts them, because no one reads more.
const mostDistinct = 1000;

// What one user reads from one source with one operation.
interface Group {
  seen: Map<string, Gathered>; // by resource
  rest?: Gathered;
}

// Refusals that wait to be written: the number that triggers a write, and the maximum in memory.
const manyRefusals = 500;
const mostRefusals = 10_000;
const soonMs = 10;

export class ReadLog {
  #store: Store;
  #clock: Clock;
  #gathered: Gathered[] = []; // in this minute
  #groups = new Map<string, Group>();
  #hours = new Map<string, number>();
  #minute = 0;
  #refusals: Gathered[] = [];
  #soon: NodeJS.Timeout | undefined;
  #unwritten = 0; // refusals, those that are being written too
  #flushing: Promise<void> = Promise.resolve();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  note(caller: Caller, source: string, operation: string, resource: string, make: () => Entry): void {
    const minute = Math.floor(this.#clock.now() / 60_000);
    if (minute !== this.#minute) this.#turn(minute);
    const here = this.#groupOf(caller, source, operation);
    const known = here.seen.get(resource) ?? (here.seen.size >= mostDistinct ? here.rest : undefined);
    if (known) more(known);
    else if (here.seen.size < mostDistinct) here.seen.set(resource, this.#add(caller.contract, make()));
    else
      here.rest = this.#add(caller.contract, {
        ...make(),
        resources: [],
        message: 'Further resources of the same kind',
      });
  }

  #groupOf(caller: Caller, source: string, operation: string): Group {
    const key = `${caller.contract} ${caller.user} ${source} ${operation}`;
    const group = this.#groups.get(key) ?? { seen: new Map() };
    this.#groups.set(key, group);
    return group;
  }

  // A change that has no other audit entry. It is on disk when this resolves.
  async change({ contract }: Caller, entry: Entry): Promise<void> {
    await this.#store.must([appendEntry(contract, entry, this.#clock.now())]);
  }

  // A change that was refused. Where more come than the store takes, the rest is collapsed as reads are.
  alone(caller: Caller, source: string, operation: string, resource: string, make: () => Entry): void {
    if (this.#unwritten >= mostRefusals) {
      this.note(caller, source, operation, resource, make);
      return;
    }
    const { contract } = caller;
    this.#refusals.push({ contract, entry: make(), time: this.#clock.now(), dirty: true, alone: true });
    this.#unwritten++;
    if (this.#refusals.length >= manyRefusals) this.#queue(this.#refusals.splice(0));
    else this.#soon ??= setTimeout(() => this.#writeSoon(), soonMs).unref();
  }

  #writeSoon(): void {
    this.#soon = undefined;
    this.#queue(this.#refusals.splice(0));
  }

  // For reads of the log itself: true once per caller, operation and hour.
  firstThisHour(caller: Caller, operation: string): boolean {
    const hour = Math.floor(this.#clock.now() / 3_600_000);
    const key = `${caller.contract} ${caller.user} ${operation}`;
    if (this.#hours.get(key) === hour) return false;
    if (this.#hours.size > 10_000) this.#hours.clear();
    this.#hours.set(key, hour);
    return true;
  }

  #add(contract: number, entry: Entry): Gathered {
    const gathered = { contract, entry: { ...entry, count: 1 }, time: this.#clock.now(), dirty: true };
    this.#gathered.push(gathered);
    return gathered;
  }

  // A new minute: writes the remaining entries once more, then forgets them.
  #turn(minute: number): void {
    const old = this.#gathered.filter((one) => one.dirty);
    this.#gathered = [];
    this.#groups.clear();
    this.#minute = minute;
    if (old.length) this.#queue(old);
  }

  flush(): Promise<void> {
    const reads = this.#gathered.filter((one) => one.dirty);
    this.#queue([...reads, ...this.#refusals.splice(0)].sort((a, b) => a.time - b.time));
    return this.#flushing;
  }

  #queue(entries: Gathered[]): void {
    if (entries.length === 0) return;
    this.#flushing = this.#flushing
      .then(() => this.#write(entries))
      .catch(() => {
        // The store can't write for a while (a full disk): they come again with the next.
        this.#refusals.unshift(...entries.filter((one) => one.alone && one.id === undefined));
      });
  }

  async #write(entries: Gathered[]): Promise<void> {
    for (let from = 0; from < entries.length; from += 200) {
      const part = entries.slice(from, from + 200);
      const writes: Write[] = [];
      const fresh: Gathered[] = [];
      for (const one of part) {
        one.dirty = false;
        if (one.id === undefined) {
          fresh.push(one);
          writes.push(appendEntry(one.contract, one.entry, one.time));
          continue;
        }
        const row = await this.#store.get(one.contract, activityPlace, one.id, 'activity');
        if (row) writes.push({ op: 'update', table: 'activity', row: { ...row, body: JSON.stringify(one.entry) } });
      }
      const ids = await this.#store.must(writes).catch((error: unknown) => {
        for (const one of part) one.dirty = true;
        throw error;
      });
      for (const [at, one] of fresh.entries()) {
        one.id = ids[at] ?? '';
        if (one.alone) this.#unwritten--;
      }
    }
  }
}

const more = (one: Gathered): void => {
  one.entry.count = (one.entry.count ?? 0) + 1;
  one.dirty = true;
};
