// Compaction: blocks of one band and day with few samples per series are merged into one with many, which takes less
// space and is faster to read. Only adjacent blocks in the order of segments are merged, so that for samples with the
// same time the last push still wins.

import { isSortedByTime, sortByTime } from '../../sample-order.ts';
import type { Connection } from '../database.ts';
import { BlockReader, readDirectory } from './block.ts';
import { BlockPartitioner } from './partitioner.ts';
import type { BlockRows } from './rows.ts';

const dayMs = 86_400_000;
const lateMs = 2 * 3_600_000; // time after its end until a day is considered complete
const worthMerging = 6; // number of blocks of one level, while the day lasts
const mostSamples = 1 << 20; // per merge

export interface Bucket {
  tenant: number;
  day: number;
  band: number;
}

export interface Source {
  id: number;
  segment: number;
  level: number;
  small: boolean;
  samples: number;
}

// Finds bands and days that may have blocks to merge.
export function findBuckets(connection: Connection): Bucket[] {
  const rows = connection.all(
    `SELECT tenant, day, band FROM block INDEXED BY block_small WHERE small = 1
     GROUP BY tenant, day, band HAVING count(DISTINCT segment) > 1`,
  ) as number[][];
  return rows.map(([tenant = 0, day = 0, band = 0]) => ({ tenant, day, band }));
}

export function sourcesIn(connection: Connection, { tenant, day, band }: Bucket, nowMs: number): Source[] {
  const rows = connection.all(
    `SELECT id, segment, level, small, samples FROM block INDEXED BY block_band WHERE tenant = ? AND band = ? AND day = ?
     ORDER BY segment, first`,
    tenant,
    band,
    day,
  ) as number[][];
  const sources = rows.map(([id = 0, segment = 0, level = 0, small = 0, samples = 0]) => ({
    id,
    segment,
    level,
    small: small === 1,
    samples,
  }));
  return choose(sources, (day + 1) * dayMs + lateMs < nowMs);
}

// Returns the first sequence of adjacent blocks that is worth merging.
export function choose(sources: readonly Source[], isOver: boolean): Source[] {
  let run: Source[] = [];
  let samples = 0;
  const isWorth = (): boolean => segmentsOf(run) >= (isOver ? 2 : worthMerging);
  for (const source of sources) {
    const before = run.at(-1);
    const joins =
      source.small &&
      (!before || isOver || before.level === source.level) &&
      (samples + source.samples <= mostSamples || before?.segment === source.segment);
    if (!joins) {
      if (isWorth()) return run;
      run = [];
      samples = 0;
    }
    if (source.small) {
      run.push(source);
      samples += source.samples;
    }
  }
  return isWorth() ? run : [];
}

const segmentsOf = (sources: readonly Source[]): number => new Set(sources.map(({ segment }) => segment)).size;

export function* mergeBlocks(
  connection: Connection,
  rows: BlockRows,
  { tenant }: Bucket,
  sources: readonly Source[],
): Generator<undefined, void> {
  using open = new DisposableStack();
  const readers: BlockReader[] = [];
  for (const { id } of sources) {
    const directory = rows.directory(id);
    const payload = rows.payload(id);
    if (!directory || !payload) return; // pruned in the meantime
    readers.push(open.use(new BlockReader(readDirectory(directory), payload)));
    yield;
  }
  const segment = Math.max(...sources.map((source) => source.segment));
  const builder = new BlockPartitioner(segment, Math.max(...sources.map(({ level }) => level)) + 1);
  const joining = new Joining(readers);
  for (let id = joining.next(); id !== undefined; id = joining.next()) {
    const count = joining.join(id);
    builder.add(tenant, id, joining.times, joining.values, count);
    yield;
  }
  const merged = builder.take(true);
  if (sources.some(({ id }) => rows.directory(id) === undefined)) return; // the remaining blocks stay unchanged
  connection.writeLoosely(() => {
    rows.remove(sources.map(({ id }) => id));
    for (const row of merged) rows.insert(row);
  });
}

// Iterates over several blocks at once, id by id.
class Joining {
  readonly #readers: BlockReader[];
  readonly #places: number[];
  times = new Float64Array(4096);
  values = new Float64Array(4096);

  constructor(readers: BlockReader[]) {
    this.#readers = readers;
    this.#places = readers.map(() => 0);
  }

  next(): number | undefined {
    let least: number | undefined;
    for (const [at, { directory }] of this.#readers.entries()) {
      const id = directory.ids[this.#places[at] as number];
      if (id !== undefined && (least === undefined || id < least)) least = id;
    }
    return least;
  }

  join(id: number): number {
    let count = 0;
    for (const [at, reader] of this.#readers.entries()) {
      const { ids, counts } = reader.directory;
      const place = this.#places[at] as number;
      if (ids[place] !== id) continue;
      this.#demand(count, counts[place] as number);
      reader.read(place, this.times, this.values, count);
      count += counts[place] as number;
      this.#places[at] = place + 1;
    }
    return isSortedByTime(this.times, count) ? count : sortByTime(this.times, this.values, count);
  }

  #demand(count: number, more: number): void {
    if (count + more <= this.times.length) return;
    const { times, values } = this;
    this.times = new Float64Array((count + more) * 2);
    this.values = new Float64Array((count + more) * 2);
    this.times.set(times.subarray(0, count));
    this.values.set(values.subarray(0, count));
  }
}
