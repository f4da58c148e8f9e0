// Flushes an arena: its samples become chunks, series by series, and chunks become blocks. It yields often, so that
// pushes continue in between. Until it is complete, readers use the arena and ignore the partial blocks.

import { sortByTime } from '../../sample-order.ts';
import { BlockPartitioner } from '../block/partitioner.ts';
import { type BlockRow, type BlockRows, bandOf } from '../block/rows.ts';
import type { Connection } from '../database.ts';
import { setMark } from '../row-checksums.ts';
import { logName } from '../write-ahead-log.ts';
import type { Arena } from './arena.ts';
import { ArenaSlots, slotsAtOnce } from './arena-slots.ts';

const samplesOfCommit = 1 << 17;

export interface FlushOptions {
  arena: Arena;
  connection: Connection;
  rows: BlockRows;
  isDropped: (tenant: number) => boolean;
}

export function* flushArena({ arena, connection, rows, isDropped }: FlushOptions): Generator<undefined, void> {
  const { segment } = arena.shape;
  const builder = new BlockPartitioner(segment, 0);
  const written: number[] = [];
  const store = (blocks: BlockRow[], change = () => {}): void =>
    connection.writeLoosely(() => {
      for (const block of blocks) if (!isDropped(block.tenant)) written.push(rows.insert(block));
      change();
    });
  const walk = new ArenaSlots();
  const all = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY, upTo: arena.published };
  try {
    for (const slots of bandsOf(arena)) {
      const tenant = arena.tenants[slots[0] as number] as number;
      if (isDropped(tenant)) continue;
      walk.gather(arena, slots, all);
      for (const [at, slot] of slots.entries()) {
        const times = walk.times.subarray(walk.starts[at], walk.ends[at]);
        const values = walk.values.subarray(walk.starts[at], walk.ends[at]);
        const count = arena.disorder[slot] === 1 ? sortByTime(times, values, times.length) : times.length;
        builder.add(tenant, arena.series[slot] as number, times, values, count);
        yield;
        if (builder.samples < samplesOfCommit) continue;
        store(builder.take());
        yield;
      }
    }
    store(builder.take(true), () => setFlushed(connection, segment));
  } catch (error) {
    removeQuietly(connection, rows, written);
    throw error;
  }
}

export function setFlushed(connection: Connection, segment: number): void {
  setMark(connection, 'flushed', segment);
  connection.prepare('DELETE FROM mark WHERE name = ?').run(logName(segment));
}

export const flushedOf = (connection: Connection): number =>
  connection.number("SELECT value FROM mark WHERE name = 'flushed'");

// If that fails too, the next start cleans up.
function removeQuietly(connection: Connection, rows: BlockRows, ids: readonly number[]): void {
  try {
    connection.write(() => rows.remove(ids));
  } catch {
    // The disk is full or missing; the caller gets the original error.
  }
}

// Yields the slots of one band of one tenant, which end up in one block.
function* bandsOf(arena: Arena): Generator<Uint32Array, void> {
  const slots = arena.sortedSlots();
  const belong = (slot: number, other: number): boolean =>
    arena.tenants[slot] === arena.tenants[other] &&
    bandOf(arena.series[slot] as number) === bandOf(arena.series[other] as number);
  for (let from = 0; from < slots.length; ) {
    const first = slots[from] as number;
    let to = from + 1;
    while (to < slots.length && to - from < slotsAtOnce && belong(first, slots[to] as number)) to++;
    yield slots.subarray(from, to);
    from = to;
  }
}
