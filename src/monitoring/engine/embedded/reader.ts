// The read side of the embedded engine: its own connection, an index of the series of queried tenants, and the writer's
// arenas. A query reads one consistent snapshot.
import { Fault } from '../../../base/fault.ts';
import { byLabels } from '../../label-order.ts';
import type { Described, Labels, SeriesData } from '../../series.ts';
import { leaseBuffers } from '../buffer-pool.ts';
import type { MetricReader, Selection } from '../engine.ts';
import { readDirectory } from './block/block.ts';
import { BlockRows } from './block/rows.ts';
import { type Connection, openForReading } from './database.ts';
import { damage, metricFault } from './faults.ts';
import { ArenaView } from './head/arena.ts';
import type { HeadMessage } from './head/head.ts';
import { SampleCollector } from './sample-collector.ts';
import { type MatcherTest, SeriesIndex } from './series/index.ts';

export interface ReaderOptions {
  folder: string;
  matcherTest: MatcherTest; // of =~ and !~
  forgetAfterMs?: number; // drops the index of a tenant after this time without queries
}

export interface EmbeddedReader extends MetricReader {
  head(message: HeadMessage): void;
}

export async function openReader(options: ReaderOptions): Promise<EmbeddedReader> {
  return new Reader(options, await openForReading(options.folder));
}

interface KnownTenant {
  number: number;
  epoch: number;
  next: number; // the next id
  index: SeriesIndex;
  usedAt: number; // by performance.now()
  readAt: number;
  readMs: number; // the time for reading all of them
}

interface Matched {
  tenant: KnownTenant;
  series: Uint32Array; // series of its index
}

const seriesOfPart = 16_384;
const mostIndexed = 2_000_000; // limit for the series of all tenants

interface KnownArena {
  view: ArenaView;
  slots: number; // number of slots read so far
  places: Map<number, Map<number, number>>; // slots by id, of each tenant
}

class Reader implements EmbeddedReader {
  readonly #options: ReaderOptions;
  readonly #connection: Connection;
  readonly #rows: BlockRows;
  readonly #tenants = new Map<string, KnownTenant>();
  #arenas: KnownArena[] = []; // by segment
  #closed = false;

  constructor(options: ReaderOptions, connection: Connection) {
    this.#options = options;
    this.#connection = connection;
    this.#rows = new BlockRows(connection);
  }

  head(message: HeadMessage): void {
    if ('reset' in message) this.#arenas = [];
    else if ('gone' in message) this.#arenas = this.#arenas.filter(({ view }) => view.shape.segment !== message.gone);
    else if (this.#arenas.every(({ view }) => view.shape.segment !== message.arena.segment)) {
      this.#arenas.push({ view: new ArenaView(message.arena), slots: 0, places: new Map() });
      this.#arenas.sort((a, b) => a.view.shape.segment - b.view.shape.segment);
    }
  }

  async select(selection: Selection): Promise<SeriesData[]> {
    return this.#look(() => {
      const matched = this.#match(selection);
      return matched ? this.#samples(matched, selection) : [];
    });
  }

  async *parts(selection: Selection): AsyncGenerator<SeriesData[]> {
    const matched = this.#look(() => this.#match(selection));
    for (let from = 0; matched && from < matched.series.length; from += seriesOfPart) {
      using buffers = leaseBuffers();
      const series = matched.series.subarray(from, from + seriesOfPart);
      yield this.#look(() => this.#samples({ ...matched, series }, { ...selection, buffers }));
    }
  }

  #match({ tenant: name, matchers }: Selection): Matched | undefined {
    const tenant = this.#tenant(name);
    return tenant && { tenant, series: tenant.index.match(matchers) };
  }

  #samples({ tenant, series }: Matched, selection: Selection): SeriesData[] {
    if (series.length === 0) return [];
    const ids = Uint32Array.from(series, (one) => tenant.index.idOf(one));
    const collector = this.#gather(tenant.number, ids, selection);
    const found: SeriesData[] = [];
    for (let at = 0; at < series.length; at++) {
      const samples = collector.take(at);
      if (samples) found.push({ labels: tenant.index.labels(series[at] as number), ...samples });
    }
    return found.sort(byLabels);
  }

  // An arena that was flushed while it was read is read again from disk: its blocks are in the file by then.
  #gather(tenant: number, ids: Uint32Array, selection: Selection): SampleCollector {
    const { fromMs, toMs, buffers = leaseBuffers() } = selection;
    for (;;) {
      this.#dropStale();
      const arenas = this.#arenas;
      const collector = new SampleCollector(ids, fromMs, toMs, buffers);
      const found = arenas.map((arena) => lookedAt(arena, tenant));
      for (const { view, slotOf } of found) collector.expectArena(view, slotOf);
      this.#connection.read(() => this.#addBlocks(collector, tenant, ids, selection));
      for (const { view, slotOf } of found) collector.addArena(view, slotOf);
      if (arenas.every(({ view }) => view.isCurrent)) return collector;
    }
  }

  // Segments are flushed in order: everything before a flushed one is flushed too.
  #dropStale(): void {
    const stale = this.#arenas.findLastIndex(({ view }) => !view.isCurrent);
    this.#arenas = this.#arenas.slice(stale + 1);
  }

  // Samples of an arena are not read from its blocks, some of which may exist already.
  #addBlocks(collector: SampleCollector, tenant: number, ids: Uint32Array, selection: Selection): void {
    const { fromMs, toMs, mostSamples = Number.POSITIVE_INFINITY } = selection;
    const inMemory = new Set(this.#arenas.map(({ view }) => view.shape.segment));
    const parts = this.#rows
      .between(tenant, ids, fromMs, toMs)
      .filter(({ segment, level }) => level > 0 || !inMemory.has(segment))
      .map(({ id, t0, t1 }) => {
        return { id, t0, t1, directory: readDirectory(this.#rows.directory(id) as Uint8Array) };
      })
      .filter(({ directory, t0, t1 }) => collector.expect(directory, t0, t1));
    if (collector.expected > mostSamples)
      throw new Fault(
        'refused',
        `the query would read more than ${mostSamples} samples: select fewer series or a shorter time`,
      );
    collector.begin();
    for (const { id, ...part } of parts) {
      collector.addBlock({ ...part, payload: this.#rows.payload(id) as Uint8Array });
    }
  }

  async series(selections: readonly Selection[]): Promise<Labels[]> {
    return this.#look(() => this.#chosen(selections, (index, series) => [...series].map((one) => index.labels(one))));
  }

  async names(selections: readonly Selection[]): Promise<string[]> {
    return this.#look(() => sortedUnion(this.#chosen(selections, (index, series) => index.names(series))));
  }

  async values(name: string, selections: readonly Selection[]): Promise<string[]> {
    return this.#look(() => sortedUnion(this.#chosen(selections, (index, series) => index.values(name, series))));
  }

  // Returns the series of all selections, tenant by tenant, each once.
  #chosen<T>(selections: readonly Selection[], take: (index: SeriesIndex, series: Iterable<number>) => T[]): T[] {
    const byTenant = Map.groupBy(selections, ({ tenant }) => tenant);
    return [...byTenant].flatMap(([name, chosen]) => {
      const tenant = this.#tenant(name);
      if (!tenant) return [];
      const series = new Set<number>();
      for (const { matchers } of chosen) for (const one of tenant.index.match(matchers)) series.add(one);
      return take(tenant.index, series);
    });
  }

  async described(tenant: string): Promise<Described[]> {
    return this.#look(() =>
      this.#connection
        .all(
          `SELECT metric.name, type, help, unit FROM metric JOIN tenant ON tenant = number WHERE tenant.name = ?
           ORDER BY metric.name`,
          tenant,
        )
        .map(([name, type, help, unit]) => ({ name, type, help, unit }) as Described),
    );
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#arenas = [];
    this.#tenants.clear();
    this.#connection.close();
  }

  #look<T>(look: () => T): T {
    if (this.#closed) throw new Fault('unavailable', 'the metrics are closed and cannot be read');
    try {
      return look();
    } catch (error) {
      throw metricFault(error, 'the metrics could not be read') ?? damage(error) ?? error;
    }
  }

  // Returns the tenant with all series up to now.
  #tenant(name: string): KnownTenant | undefined {
    const usedAt = performance.now();
    this.#forget(usedAt);
    const row = this.#connection.get('SELECT number, epoch, next FROM tenant WHERE name = ?', name);
    if (!row) return undefined;
    const [number = 0, epoch = 0, next = 0] = row as number[];
    let known = this.#tenants.get(name);
    if (known?.number !== number || (known.epoch !== epoch && isDue(known, usedAt))) {
      const index = new SeriesIndex(this.#options.matcherTest);
      known = { number, epoch, next: 1, index, usedAt, readAt: usedAt, readMs: 0 };
      this.#tenants.set(name, known);
    }
    known.usedAt = usedAt;
    if (next > known.next) {
      const found = this.#connection.prepare('SELECT id, labels FROM series WHERE tenant = ? AND id >= ? AND id < ?');
      for (const fields of found.iterate(number, known.next, next) as Iterable<unknown>) {
        const [id, labels] = fields as [number, Uint8Array];
        known.index.add(id, labels);
      }
      known.next = next;
      this.#makeRoom(known);
      if (known.readAt === usedAt) known.readMs = performance.now() - usedAt;
    }
    return known;
  }

  // Drops the indexes of other tenants, those first that were not queried for the longest time.
  #makeRoom(known: KnownTenant): void {
    let indexed = this.#tenants.values().reduce((sum, { index }) => sum + index.size, 0);
    for (const [name, one] of [...this.#tenants].sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
      if (indexed <= mostIndexed) return;
      if (one === known) continue;
      indexed -= one.index.size;
      this.#tenants.delete(name);
    }
  }

  #forget(now: number): void {
    const limit = now - (this.#options.forgetAfterMs ?? 15 * 60_000);
    for (const [name, { usedAt }] of this.#tenants) if (usedAt < limit) this.#tenants.delete(name);
  }
}

// Rereads the index after series were removed, but not each time: keeping them in the index does no harm, since they
// have no samples; reading a million others again for each of them would.
const isDue = ({ readAt, readMs }: KnownTenant, now: number): boolean => readMs < 20 || now - readAt > 50 * readMs;

// Returns the slots of the tenant in the arena, including those of new series.
function lookedAt(arena: KnownArena, tenant: number): { view: ArenaView; slotOf: (id: number) => number } {
  const { view, places } = arena;
  for (const slots = view.slots; arena.slots < slots; arena.slots++) {
    const owner = view.tenants[arena.slots] as number;
    const id = view.series[arena.slots] as number;
    const known = places.get(owner);
    if (known) known.set(id, arena.slots);
    else places.set(owner, new Map([[id, arena.slots]]));
  }
  const own = places.get(tenant);
  return { view, slotOf: (id) => own?.get(id) ?? -1 };
}

const sortedUnion = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
