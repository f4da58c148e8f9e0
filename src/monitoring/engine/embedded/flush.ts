// Brings an arena to disk: series by series its samples become chunks, and chunks blocks. It yields often, so that
// pushes go on meanwhile. Until its end the arena stands for its samples, and what was begun counts for nothing.

import { putInOrder } from '../order.ts';
import { type Arena, cellNumbers } from './arena.ts';
import { BandBuilder } from './band-builder.ts';
import type { BlockRow, BlockRows } from './block-rows.ts';
import type { Connection } from './file.ts';

const samplesOfCommit = 1 << 16;

export interface FlushOptions {
  arena: Arena;
  connection: Connection;
  rows: BlockRows;
  isDropped: (tenant: number) => boolean;
}

export function* flushArena({ arena, connection, rows, isDropped }: FlushOptions): Generator<undefined, void> {
  const { segment } = arena.shape;
  const builder = new BandBuilder(segment, 0);
  const written: number[] = [];
  const store = (blocks: BlockRow[], change = () => {}): void =>
    connection.write(() => {
      for (const block of blocks) if (!isDropped(block.tenant)) written.push(rows.insert(block));
      change();
    });
  const gathering = new SlotSamples();
  try {
    for (const slot of arena.sortedSlots()) {
      const tenant = arena.tenants[slot] as number;
      if (isDropped(tenant)) continue;
      const count = gathering.gather(arena, slot);
      builder.add(tenant, arena.series[slot] as number, gathering.times, gathering.values, count);
      if (builder.samples >= samplesOfCommit) store(builder.take());
      yield;
    }
    store(builder.take(true), () => setFlushed(connection, segment));
  } catch (error) {
    removeQuietly(connection, rows, written);
    throw error;
  }
}

export function setFlushed(connection: Connection, segment: number): void {
  connection.prepare("INSERT OR REPLACE INTO mark (name, value) VALUES ('flushed', ?)").run(segment);
}

export const flushedOf = (connection: Connection): number =>
  connection.number("SELECT value FROM mark WHERE name = 'flushed'");

// Where that fails too, the next start does it.
function removeQuietly(connection: Connection, rows: BlockRows, ids: readonly number[]): void {
  try {
    connection.write(() => rows.remove(ids));
  } catch {
    // The disk is full or gone, which the caller is about to hear.
  }
}

// The samples of one slot in the order of their times.
class SlotSamples {
  times = new Float64Array(1024);
  values = new Float64Array(1024);

  gather(arena: Arena, slot: number): number {
    const count = arena.counts[slot] as number;
    if (this.times.length < count) {
      this.times = new Float64Array(count * 2);
      this.values = new Float64Array(count * 2);
    }
    const { times, values } = this;
    const { cells } = arena;
    let at = count;
    for (let place = arena.latest[slot] as number; place > 0; ) {
      const cell = (place - 1) * cellNumbers;
      times[--at] = cells[cell] as number;
      values[at] = cells[cell + 1] as number;
      place = (cells[cell + 2] as number) | 0;
    }
    return arena.disorder[slot] === 1 ? putInOrder(times, values, count) : count;
  }
}
