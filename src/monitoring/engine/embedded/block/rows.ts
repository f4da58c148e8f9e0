// The block table. A band is a fixed range of a tenant's series ids and a day is a UTC day, so that the blocks of one
// band and day can be merged without reading others. If two blocks have a sample of the same series and time, the later
// segment wins.

import { checksumWith } from '../../../../core/state/sqlite/checksum.ts';
import type { Connection } from '../database.ts';
import type { Block } from './block.ts';

export const seriesOfBand = 128;
export const bandOf = (id: number): number => Math.floor(id / seriesOfBand);
export const dayOf = (timeMs: number): number => Math.floor(timeMs / 86_400_000);

// Chunks with fewer samples are worth merging.
const fewSamples = 480;

export interface BlockRow extends Block {
  tenant: number;
  band: number;
  day: number;
  level: number; // number of merges
  segment: number; // the latest segment with samples in it
}

export interface BlockPlace {
  id: number;
  segment: number;
  level: number;
  t0: number;
  t1: number;
}

export class BlockRows {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  // Must run within a transaction. Returns the id of the new row.
  insert(row: BlockRow): number {
    const { tenant, day, band, level, segment, first, last, t0, t1, samples, series, directory, payload } = row;
    const small = samples / series < fewSamples ? 1 : 0;
    const columns = [tenant, day, band, level, small, segment, first, last, t0, t1, samples, series];
    const { lastInsertRowid } = this.#connection
      .prepare(
        `INSERT INTO block (tenant, day, band, level, small, segment, first, last, t0, t1, samples, series, directory,
         payload, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(...columns, directory, payload, checksumWith([directory, payload], ...columns));
    return Number(lastInsertRowid);
  }

  // Must run within a transaction.
  remove(ids: readonly number[]): void {
    const statement = this.#connection.prepare('DELETE FROM block WHERE id = ?');
    for (const id of ids) statement.run(id);
  }

  directory(id: number): Uint8Array | undefined {
    return this.#connection.get('SELECT directory FROM block WHERE id = ?', id)?.[0] as Uint8Array | undefined;
  }

  payload(id: number): Uint8Array | undefined {
    return this.#connection.get('SELECT payload FROM block WHERE id = ?', id)?.[0] as Uint8Array | undefined;
  }

  // Blocks with at least one of the ids (ascending) within the time range, earlier segments first.
  between(tenant: number, ids: Uint32Array, fromMs: number, toMs: number): BlockPlace[] {
    const rows = this.#connection.all(
      `SELECT id, segment, t0, t1, first, last, level FROM block INDEXED BY block_time WHERE tenant = ? AND t1 >= ? AND t0 <= ?
       AND last >= ? AND first <= ?`,
      tenant,
      fromMs,
      toMs,
      ids[0] ?? 0,
      ids.at(-1) ?? 0,
    ) as number[][];
    return rows
      .filter(([, , , , first, last]) => hasBetween(ids, first as number, last as number))
      .map(([id = 0, segment = 0, t0 = 0, t1 = 0, , , level = 0]) => ({ id, segment, level, t0, t1 }))
      .sort((a, b) => a.segment - b.segment || a.t0 - b.t0);
  }
}

function hasBetween(ids: Uint32Array, first: number, last: number): boolean {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as number) < first) low = middle + 1;
    else high = middle;
  }
  return low < ids.length && (ids[low] as number) <= last;
}
