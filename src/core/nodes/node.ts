// This process among others on one state. It holds a lease in the store's own time and names itself in the journal of
// each operation it runs. Who has let its lease lapse is dead to the others: they take its operations over, and it
// comes back under another name. Where a process has the state for itself, it needs no name and is always there.
import { uuid } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { counter, type Figures, gauge } from '../figures.ts';
import type { Lease, Row } from '../state/engine.ts';
import type { Store, Topic } from '../store.ts';

const leaseMs = 6000;
const beatMs = 1500;
const marginMs = 1000; // what is begun within the lease should be done within it
const lookAgainMs = 10_000;
const mournMs = 60_000; // for so long who died is still told of
const forgetMs = 600_000;
const prefix = 'node ';
const topic = 'node' satisfies Topic;

export const nodeFigures = {
  alive: gauge('Nodes on this state that are within their lease.'),
  leaseAgeSeconds: gauge('Since this node was last heard of by the others.'),
  operationsTakenOver: counter('Operations of nodes that died, which this one took over.'),
};

export interface NodeInfo {
  id: string;
  about: string; // where it runs, as it said itself
  self: boolean;
  alive: boolean; // within its lease
  lagMs: number; // since it was last heard of
  operations: number;
}

// Where a node's name is kept beside its data. Only one process has that, so whoever had the name before is dead.
export interface NameTag {
  load(): string | undefined;
  save(id: string): void;
}

export interface Adopter {
  adopt(rows: Row[]): void;
  knows(row: Row): boolean; // is it running?
}

export class Node {
  #store: Store;
  #log: Log;
  #tag: NameTag | undefined;
  #about: string;
  #id = '';
  #former: string[] = []; // names that were given up, and are still to be let go
  #renewedAt = Number.NEGATIVE_INFINITY;
  #wasHeard = false; // under its name of now
  #known = '';
  #lookedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #unwatch = (): void => {};
  #beating: Promise<void> | undefined;
  #runner: Adopter | undefined;
  #takenOver = 0;
  #unknown = new Set<string>(); // journals of ours that the runner did not know when we looked last

  constructor(store: Store, log: Log, tag?: NameTag, about = '') {
    this.#store = store;
    this.#log = log;
    this.#tag = tag;
    this.#about = about;
  }

  get id(): string {
    return this.#id;
  }

  // Is its lease surely in force? Asked before every step.
  get isHeard(): boolean {
    return this.#store.engine.exclusive || performance.now() - this.#renewedAt < leaseMs - marginMs;
  }

  // The runner is handed the journals that nobody runs any more: at once all of them, later those of nodes that died.
  async join(runner: Adopter): Promise<void> {
    this.#runner = runner;
    if (this.#store.engine.exclusive) {
      runner.adopt((await this.#store.learn()).map((row) => ({ ...row, owner: '' })));
      return;
    }
    const before = this.#tag?.load();
    if (before !== undefined) await this.#release(before);
    await this.#beat();
    this.#timer = setInterval(() => this.#pulse(), beatMs);
    this.#unwatch = this.#store.engine.watch(topic, () => this.#pulse());
  }

  #pulse(): void {
    this.#beating ??= this.#beat()
      .catch((error: unknown) => this.#log.warn('lease not renewed', { error }))
      .finally(() => {
        this.#beating = undefined;
      });
  }

  // Its operations are free for the others from this moment on, and they are told so.
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    this.#unwatch();
    await this.#beating;
    if (this.#id === '') return;
    const { engine } = this.#store;
    await this.#release(this.#id).catch(() => undefined);
    await engine.apply([], [topic]).catch(() => undefined);
  }

  // Does what no two nodes may do at once; where another is at it, nothing.
  async alone(name: string, work: () => Promise<void>): Promise<void> {
    const { engine } = this.#store;
    if (engine.exclusive) return work();
    const holder = this.#id;
    if (!(await engine.lease(name, holder, leaseMs))) return;
    const renewal = setInterval(() => void engine.lease(name, holder, leaseMs).catch(() => false), beatMs);
    try {
      await work();
    } finally {
      clearInterval(renewal);
    }
  }

  async list(): Promise<NodeInfo[]> {
    if (this.#store.engine.exclusive) return [];
    const counts = new Map<string, number>();
    for await (const { owner } of this.#store.each({ below: '' }, 'journal'))
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const leases = await this.#store.engine.leases(prefix);
    return leases
      .filter(({ leftMs }) => leftMs > -mournMs)
      .map(({ name, holder, leftMs }) => {
        const id = idIn(name);
        const about = holder.slice(id.length + 1);
        return {
          id,
          about,
          self: id === this.#id,
          alive: leftMs > 0,
          lagMs: leaseMs - leftMs,
          operations: counts.get(id) ?? 0,
        };
      });
  }

  // What nodes have for themselves alone, and for how much longer.
  async leases(): Promise<Lease[]> {
    const all = await this.#store.engine.leases('');
    return all.filter(({ name, leftMs }) => !name.startsWith(prefix) && leftMs > 0);
  }

  figures(): Figures<typeof nodeFigures> {
    if (this.#store.engine.exclusive) return {};
    return {
      alive: this.#known.split(' ').length,
      leaseAgeSeconds: (performance.now() - this.#renewedAt) / 1000,
      operationsTakenOver: this.#takenOver,
    };
  }

  // Whatever it told of itself: only the lease of that name has that holder.
  async #release(id: string): Promise<void> {
    const { engine } = this.#store;
    const [found] = await engine.leases(prefix + id);
    if (found) await engine.lease(found.name, found.holder, 0);
  }

  async #beat(): Promise<void> {
    const { engine } = this.#store;
    const lapsed = performance.now() - this.#renewedAt > leaseMs;
    if (lapsed) this.#rename();
    const askedAt = performance.now();
    if (await engine.lease(prefix + this.#id, `${this.#id} ${this.#about}`, leaseMs)) {
      this.#renewedAt = askedAt;
      this.#wasHeard = true;
    }
    while (this.#former[0] !== undefined) {
      await this.#release(this.#former[0]);
      this.#former.shift();
    }
    const leases = await engine.leases(prefix);
    const living = leases.filter(({ leftMs }) => leftMs > 0).map(({ name }) => idIn(name));
    for (const { name, holder, leftMs } of leases) if (leftMs < -forgetMs) await engine.lease(name, holder, 0);
    // Who is not among the living any more has left something behind, perhaps.
    const known = living.sort().join(' ');
    if (known === this.#known && performance.now() - this.#lookedAt < lookAgainMs) return;
    await this.#takeOver(new Set(living));
    this.#known = known;
    this.#lookedAt = performance.now();
  }

  // What it had under its old name may be somebody else's by now.
  #rename(): void {
    if (this.#wasHeard) this.#log.warn('lease lost: going on under another name', { node: this.#id });
    if (this.#id !== '') this.#former.push(this.#id); // its lease may be there, though we were not told
    this.#id = uuid();
    this.#wasHeard = false;
    this.#tag?.save(this.#id);
  }

  async #takeOver(living: ReadonlySet<string>): Promise<void> {
    const taken: Row[] = [];
    const unknown = new Set<string>();
    for await (const row of this.#store.each({ below: '' }, 'journal')) {
      if (living.has(row.owner) && !this.#isLost(row, unknown)) continue;
      const outcome = await this.#store.apply([{ op: 'update', table: 'journal', row: { ...row, owner: this.#id } }]);
      if (outcome.ok) taken.push({ ...row, owner: this.#id, version: row.version + 1 }); // else somebody was faster
    }
    this.#takenOver += taken.length;
    if (taken.length > 0) this.#log.info('operations taken over', { count: taken.length });
    this.#unknown = unknown;
    this.#runner?.adopt(taken);
  }

  // Ours, but nobody here runs it, not even after a while: it was written, and the answer to that was lost.
  #isLost(row: Row, unknown: Set<string>): boolean {
    if (row.owner !== this.#id || this.#runner?.knows(row)) return false;
    unknown.add(row.id);
    return this.#unknown.has(row.id);
  }
}

const idIn = (name: string): string => name.slice(prefix.length);
