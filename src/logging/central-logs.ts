// With central logging enabled, the platform's products log into the contract's central pipeline: events are collected
// and written together; sources that can be read again (the audit, the consoles of machines) are read every few
// seconds. A line that is read twice is stored once, so the read position is kept only in memory.
import type { Log } from '../base/log.ts';
import { appendedEnds, firstAtOrAfter } from '../core/appended-rows.ts';
import { activityPlace, entryOfRow } from '../core/audit/audit-log.ts';
import type { Reconciler } from '../core/reconciler.ts';
import { placeIn } from '../core/regional.ts';
import type { LogLineOwner, LogSource, ResourceLogLine } from '../core/resource-logs.ts';
import { stampsOf } from '../core/stamps.ts';
import { appendedId } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { central, enabledCentrals } from './central.ts';
import type { Labels } from './engine/engine.ts';
import { labelsKey } from './engine/labels.ts';
import { mostLineBytes } from './engine/packed-job.ts';
import type { LogStore } from './store.ts';

export interface CentralLogsOptions {
  store: Store;
  logs: Pick<LogStore, 'append'>;
  log: Log;
  now: () => number;
  isHere(): boolean; // whether this node stores the lines
  sources: () => readonly LogSource[];
}

interface Central {
  id: string;
  contract: number;
  region: string;
}

interface Waiting {
  owner: LogLineOwner;
  labels: Labels;
  timeNs: bigint;
  line: string;
}

const mostWaiting = 20_000; // lines; more are dropped and counted
const soonMs = 250;
const overlapMs = 10_000; // rows are committed a little after their time
const backMs = 60_000; // after a restart
const pageRows = 500;
const nsPerMs = 1_000_000n;
const audit: Pick<LogSource, 'tag' | 'product'> = { tag: 'api', product: 'api' };

export class CentralLogs {
  readonly #options: CentralLogsOptions;
  readonly #readUntil = new Map<string, number>();
  readonly #nextEntry = new Map<string, number>(); // of the audit, by pipeline
  #waiting: Waiting[] = [];
  #dropped = 0;
  #lastNs = 0n;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: CentralLogsOptions) {
    this.#options = options;
  }

  get products(): string[] {
    return [...new Set([audit, ...this.#options.sources()].map(({ product }) => product))];
  }

  // Called when all products are open.
  begin(): void {
    for (const source of this.#options.sources()) source.begin?.((owner, line) => this.#take(source, owner, line));
  }

  reconciler(): Reconciler {
    return { name: 'log-central', everyMs: 2000, run: () => this.#read() };
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flushSoon();
    await this.#flushing;
  }

  #take(
    { tag, product }: Pick<LogSource, 'tag' | 'product'>,
    owner: LogLineOwner,
    { timeMs, line, labels }: ResourceLogLine,
  ): void {
    if (!this.#options.isHere()) return;
    if (this.#waiting.length >= mostWaiting) {
      this.#dropped++;
      return;
    }
    // Lines of one moment get consecutive nanoseconds.
    const at = BigInt(Math.round(timeMs)) * nsPerMs;
    this.#lastNs = at > this.#lastNs ? at : this.#lastNs + 1n;
    this.#waiting.push({ owner, labels: { ...labels, tag, product, source: 'platform' }, timeNs: this.#lastNs, line });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flushSoon();
    }, soonMs).unref();
  }

  // Flushes after the write that is in progress.
  #flushSoon(): void {
    this.#flushing = this.#flushing
      .then(() => this.#flush())
      .catch((error: unknown) => this.#options.log.error('central logging failed', { error }));
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (this.#dropped > 0) this.#options.log.warn('lines of central logging were dropped', { lines: this.#dropped });
    this.#dropped = 0;
    if (waiting.length === 0) return;
    for await (const one of enabledCentrals(this.#options.store)) {
      const own = waiting.filter(
        ({ owner: { contract, region } }) => contract === one.contract && (region ?? one.region) === one.region,
      );
      if (own.length > 0) await this.#apart(one, () => this.#keep(one, own));
    }
  }

  async #keep(one: Central, lines: readonly Waiting[]): Promise<void> {
    const since = await this.#switchedOn(one);
    if (since === undefined) return;
    const from = BigInt(since) * nsPerMs;
    await this.#append(
      one.id,
      lines.filter(({ timeNs }) => timeNs >= from),
    );
  }

  // A failure in one contract must not affect the lines of others.
  async #apart({ id }: Central, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.error('central logging failed', { central: id, error });
    }
  }

  async #append(tenant: string, lines: readonly Omit<Waiting, 'owner'>[]): Promise<void> {
    if (lines.length === 0) return;
    const byStream = Map.groupBy(lines, ({ labels }) => labelsKey(labels));
    const streams = [...byStream.values()].map((some) => ({
      labels: { ...some[0]?.labels, pipeline: tenant },
      times: BigInt64Array.from(some, ({ timeNs }) => timeNs),
      lines: some.map(({ line }) => fitting(line)),
    }));
    await this.#options.logs.append([{ tenant, streams }]);
  }

  async #read(): Promise<void> {
    const on = new Set<string>();
    for await (const one of enabledCentrals(this.#options.store)) {
      on.add(one.id);
      await this.#apart(one, () => this.#readOne(one));
    }
    for (const known of [this.#readUntil, this.#nextEntry])
      for (const id of known.keys()) if (!on.has(id)) known.delete(id);
  }

  async #readOne(one: Central): Promise<void> {
    const { now, sources } = this.#options;
    const since = await this.#switchedOn(one);
    if (since === undefined) return;
    const until = now();
    const from = Math.max(since, (this.#readUntil.get(one.id) ?? until - backMs) - overlapMs);
    for (const { tag, product, lines } of sources()) {
      if (!lines) continue;
      const found: Omit<Waiting, 'owner'>[] = [];
      const times = new Map<string, bigint>();
      for await (const { timeMs, line, labels } of lines(one.contract, one.region, from, until)) {
        const whole = { ...labels, tag, product, source: 'platform' };
        const key = labelsKey(whole);
        const at = BigInt(Math.round(timeMs)) * nsPerMs;
        const last = times.get(key) ?? 0n;
        const timeNs = at > last ? at : last + 1n;
        times.set(key, timeNs);
        found.push({ labels: whole, timeNs, line });
      }
      await this.#append(one.id, found);
    }
    this.#readUntil.set(one.id, until);
    await this.#readAudit(one, since, until);
  }

  async #switchedOn({ id, contract, region }: Central): Promise<number | undefined> {
    const row = await this.#options.store.get(contract, placeIn(central, region), id);
    return row && Date.parse(stampsOf(row).lastModifiedDate);
  }

  // Reads each entry once, by its number.
  async #readAudit(one: Central, since: number, now: number): Promise<void> {
    const { store } = this.#options;
    const { contract } = one;
    const log = { table: 'activity', contract, place: activityPlace } as const;
    const ends = await appendedEnds(store, log);
    if (!ends) return;
    const first = await firstAtOrAfter(store, log, Math.max(since, now - backMs), ends);
    const switchedOn = await firstAtOrAfter(store, log, since, ends);
    let next = Math.max(this.#nextEntry.get(one.id) ?? first, switchedOn);
    while (next <= ends.last) {
      const scan = { contract, place: activityPlace, from: appendedId(next), limit: pageRows };
      const rows = await store.range(scan, 'activity');
      const found: Omit<Waiting, 'owner'>[] = [];
      for (const row of rows) {
        const entry = await entryOfRow(store, row);
        if (!entry || !concerns(entry, one.region)) continue;
        const { outcome: _, ...logged } = entry;
        const timeNs = BigInt(row.time) * nsPerMs + (BigInt(row.id) % nsPerMs);
        const labels = { ...audit, source: 'platform', service: entry.service };
        found.push({ labels, timeNs, line: JSON.stringify(logged) });
      }
      await this.#append(one.id, found);
      const last = rows.at(-1);
      if (!last) break;
      next = Number(last.id) + 1;
    }
    this.#nextEntry.set(one.id, next);
  }
}

// A call that created very many resources has a long line.
const fitting = (line: string): string =>
  line.length * 3 <= mostLineBytes || Buffer.byteLength(line) <= mostLineBytes
    ? line
    : `${Buffer.from(line)
        .subarray(0, mostLineBytes - 8)
        .toString()
        .replace(/\uFFFD+$/, '')}…`;

const slug = /^https?:\/\/[^/]*?(?:\.([a-z]{2}-[a-z]{3}(?:-\d)?)\.[^/]*)?(?:\/([a-z]{2}-[a-z]{3}(?:-\d)?)\/|\/|$)/;

// A call without a region concerns all regions.
function concerns({ uri }: { uri: string }, region: string): boolean {
  const [, byHost, byPath] = slug.exec(uri) ?? [];
  return (byHost ?? byPath ?? region) === region;
}
