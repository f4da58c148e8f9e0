// The write side of the embedded engine. A push is decoded, written to the write-ahead log, synced, added to the head
// where readers see it, and only then answered. Several appends may run concurrently: while one is being synced, the
// next is decoded.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { randomHex } from '../../../base/ids.ts';
import { replayLog } from '../../../core/record-log/record-reader.ts';
import type { MetricWriter, Pushed, PushJob } from '../engine.ts';
import type { MetricFigures } from '../figures.ts';
import { Batch, type Decode } from './batch.ts';
import { BlockRows } from './block/rows.ts';
import { type Connection, openForWriting } from './database.ts';
import { metricFault } from './faults.ts';
import type { Arena } from './head/arena.ts';
import { flushedOf } from './head/flush.ts';
import { Head, type HeadMessage, type Segment } from './head/head.ts';
import { Maintenance } from './maintenance.ts';
import { setMark, tenantChecksum } from './row-checksums.ts';
import { LabelCache } from './series/label-cache.ts';
import { SeriesRegistry } from './series/registry.ts';
import { expectedLogs, forgetLogs, logName, pushReader, recordOf, removeLog } from './write-ahead-log.ts';

const mb = 1024 * 1024;
const mostIdle = 8; // batches that are kept for reuse, unless they are large
const idleSamples = 1 << 16;

export interface WriterOptions {
  folder: string;
  decode: Decode;
  now: () => number;
  tell?: (message: HeadMessage) => void;
  arenaSamples?: number; // samples in memory before a flush; up to three times as many at a time
  mostAheadBytes?: number;
  sealAfterMs?: number; // older samples are flushed too
  onDamage?: (message: string) => void; // damage in the files of an earlier process
  mostKnownBytes?: number; // memory of the label cache
}

export interface EmbeddedWriter extends MetricWriter {
  heads(): HeadMessage[]; // the messages that a new reader needs
}

export async function openWriter(options: WriterOptions): Promise<EmbeddedWriter> {
  const connection = openForWriting(options.folder);
  try {
    return new Writer(options, connection);
  } catch (error) {
    connection.close();
    throw metricFault(error, 'the metrics cannot be opened') ?? error;
  }
}

class Writer implements EmbeddedWriter {
  readonly #options: WriterOptions;
  readonly #connection: Connection;
  readonly #known: LabelCache;
  readonly #book: SeriesRegistry;
  readonly #head: Head;
  readonly #housework: Maintenance;
  readonly #idle: Batch[] = [];
  readonly #underWay = new Set<Batch>();
  readonly #figures = { pushes: 0, refusedPushes: 0, appends: 0, samples: 0 };
  #settled: Promise<unknown> = Promise.resolve(); // resolved when all pending work has ended
  #closing: Promise<void> | undefined;

  constructor(options: WriterOptions, connection: Connection) {
    const { folder, now, tell = () => {} } = options;
    const rows = new BlockRows(connection);
    const seed = Number.parseInt(randomHex(4), 16) | 0;
    this.#options = options;
    this.#connection = connection;
    this.#known = new LabelCache({ mostBytes: options.mostKnownBytes ?? 128 * mb, seed, now });
    this.#book = new SeriesRegistry(connection, this.#known);
    const { arenaSamples = 1 << 20, mostAheadBytes = 128 * mb } = options;
    const begun = (log: string, seed: number): void => connection.write(() => setMark(connection, log, seed));
    this.#head = new Head({ folder, now, tell, begun, arenaSamples, mostAheadBytes }, flushedOf(connection));
    this.#housework = new Maintenance({
      connection,
      rows,
      book: this.#book,
      head: this.#head,
      now,
      sealAfterMs: options.sealAfterMs ?? 60 * 60_000,
      isInMemory: (tenant, id) => this.#isInMemory(tenant, id),
    });
    this.#recover(arenaSamples);
  }

  // Replays the write-ahead log of an earlier process.
  #recover(arenaSamples: number): void {
    const { folder } = this.#options;
    const flushed = flushedOf(this.#connection);
    this.#connection.write(
      () => void this.#connection.prepare('DELETE FROM block INDEXED BY block_segment WHERE segment > ?').run(flushed),
    );
    const seeds = expectedLogs(this.#connection);
    const there = Head.leftBehind(folder);
    const done: number[] = [];
    for (const number of there) {
      const replayed = (size: number): Arena | undefined => this.#replay(number, size, seeds.get(number));
      let arena = number > flushed ? replayed(arenaSamples) : undefined;
      for (let size = arenaSamples * 2; number > flushed && !arena; size *= 2) arena = replayed(size);
      if (arena && !arena.isEmpty) this.#head.addRestored(arena);
      else done.push(number);
    }
    const missing = [...seeds.keys()].filter((number) => !there.includes(number));
    for (const number of missing) this.#damaged(`${join(folder, logName(number))} is missing: its samples are lost`);
    forgetLogs(this.#connection, [...done, ...missing]);
    for (const number of done) removeLog(folder, number);
    this.#housework.flushing.schedule();
  }

  #damaged(message: string): void {
    this.#options.onDamage?.(message);
  }

  // Undefined: the arena is too small.
  #replay(number: number, capacity: number, seed: number | undefined): Arena | undefined {
    const arena = this.#head.restored(number, capacity);
    const batch = new Batch(this.#book, this.#options.decode);
    const path = join(this.#options.folder, logName(number));
    for (const record of replayLog(path, pushReader(number, seed), (message) => this.#damaged(message))) {
      const tenant = this.#book.tenantOf(record.tenant);
      if (!tenant) continue;
      batch.add(tenant, record);
      this.#storeStaged();
      if (!arena.hasRoom(batch.count, batch.runs)) return undefined;
      publish(arena, batch);
      batch.clear();
    }
    return arena;
  }

  heads(): HeadMessage[] {
    return this.#head.messages();
  }

  append(jobs: readonly PushJob[]): Promise<Pushed[]> {
    const appended = this.#append(jobs);
    this.#settled = Promise.allSettled([this.#settled, appended]);
    return appended;
  }

  async #append(jobs: readonly PushJob[]): Promise<Pushed[]> {
    if (this.#closing) throw closed();
    const batch = this.#idle.pop() ?? new Batch(this.#book, this.#options.decode);
    this.#underWay.add(batch);
    try {
      const outcomes = this.#decode(batch, jobs);
      if (batch.count > 0) await this.#keep(batch);
      for (const { fault } of outcomes) this.#figures[fault ? 'refusedPushes' : 'pushes'] += 1;
      this.#figures.appends += 1;
      this.#figures.samples += batch.count;
      return outcomes;
    } catch (error) {
      throw metricFault(error, 'nothing was kept') ?? error;
    } finally {
      this.#underWay.delete(batch);
      batch.clear();
      if (this.#idle.length < mostIdle && batch.ids.length <= idleSamples) this.#idle.push(batch);
      this.#housework.flushing.schedule();
    }
  }

  // Series must be durable before a push with samples of them is.
  #decode(batch: Batch, jobs: readonly PushJob[]): Pushed[] {
    const stage = this.#book.mark();
    try {
      const outcomes = jobs.map((job) => batch.add(this.#book.tenant(job.tenant, job.account), job));
      this.#storeStaged();
      return outcomes;
    } catch (error) {
      this.#book.undo(stage);
      throw error;
    }
  }

  #storeStaged(): void {
    if (this.#book.isStaged) this.#connection.write(() => this.#book.store());
    this.#book.settle();
  }

  async #keep(batch: Batch): Promise<void> {
    const { count, runs } = batch;
    const { arena, ahead } = this.#take(count, runs);
    if (!ahead) throw new Error('a segment of an earlier process is read-only');
    arena.reserve(count, runs);
    try {
      await ahead.append(
        batch.taken.map(({ tenant, push, limits }) => recordOf({ tenant: tenant.number, push, limits })),
      );
      publish(arena, batch);
    } finally {
      arena.reserve(-count, -runs);
    }
  }

  // Limits the number of full arenas that wait for a flush.
  #take(samples: number, series: number): Segment {
    if (this.#head.sealed.length > 1) this.#housework.flushing.finish(1);
    return this.#head.take(samples, series);
  }

  async prune(tenant: string, beforeMs: number): Promise<void> {
    if (this.#closing) throw closed();
    const number = this.#numberOf(tenant);
    if (number !== undefined) await this.#guarded(() => this.#housework.prune(number, beforeMs));
  }

  async drop(tenant: string): Promise<void> {
    if (this.#closing) throw closed();
    await this.#guarded(async () => {
      const number = this.#numberOf(tenant);
      if (number === undefined) return;
      this.#connection.write(
        () =>
          void this.#connection
            .prepare(`UPDATE tenant SET name = NULL, ${tenantChecksum({ name: 'NULL' })} WHERE number = ?`)
            .run(number),
      );
      this.#book.forgetTenant(tenant);
      this.#housework.flushing.dropped(number);
    });
  }

  async tidy(): Promise<boolean> {
    if (this.#closing) throw closed();
    return this.#guarded(() => this.#housework.step());
  }

  async figures(): Promise<MetricFigures> {
    if (this.#closing) throw closed();
    const { folder } = this.#options;
    return {
      ...this.#figures,
      ...this.#housework.figures(),
      arenas: this.#head.segments.length,
      headSamples: this.#head.segments.reduce((sum, { arena }) => sum + arena.published, 0),
      aheadBytes: this.#head.segments.reduce((sum, { ahead }) => sum + (ahead?.bytes ?? 0), 0),
      series: this.#connection.number('SELECT sum(series) FROM tenant WHERE name IS NOT NULL'),
      knownLabelSets: this.#known.size,
      fileBytes: statSync(join(folder, 'metrics.db'), { throwIfNoEntry: false })?.size ?? 0,
      synchronous: this.#connection.number('PRAGMA synchronous'),
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#settled;
    await this.#housework.close();
    this.#head.seal();
    try {
      this.#housework.flushing.finish(0);
      this.#connection.get('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      if (!metricFault(error, '')) throw error; // otherwise the next start replays the log
    } finally {
      this.#head.close();
      this.#connection.close();
    }
  }

  #numberOf(tenant: string): number | undefined {
    const number = this.#connection.get('SELECT number FROM tenant WHERE name = ?', tenant)?.[0];
    return typeof number === 'number' ? number : undefined;
  }

  #isInMemory(tenant: number, id: number): boolean {
    if (this.#head.segments.some(({ arena }) => arena.has(tenant, id))) return true;
    for (const { taken, ids } of this.#underWay)
      for (const { tenant: owner, from, to } of taken)
        if (owner.number === tenant && ids.subarray(from, to).includes(id)) return true;
    return false;
  }

  async #guarded<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw metricFault(error, 'the flush is tried again later') ?? error;
    }
  }
}

function publish(arena: Arena, batch: Batch): void {
  for (const { tenant, from, to } of batch.taken) arena.append(tenant.number, batch, from, to);
  arena.publish();
}

const closed = (): Fault => new Fault('unavailable', 'the metrics are closed, and nothing was stored');
