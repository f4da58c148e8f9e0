// Retention: removes blocks that are too old, series without samples, and all data of dropped tenants, in transactions
// so small that they hardly delay pushes.
import { readDirectory } from './block/block.ts';
import { type BlockRows, seriesOfBand } from './block/rows.ts';
import type { Connection } from './database.ts';
import { damage } from './faults.ts';
import { tenantChecksum } from './row-checksums.ts';
import type { SeriesRegistry } from './series/registry.ts';

const blocksAtOnce = 32;
const seriesAtOnce = 2000;

export interface RetentionOptions {
  connection: Connection;
  rows: BlockRows;
  book: SeriesRegistry;
  isInMemory: (tenant: number, id: number) => boolean;
}

// Deletes whole blocks that are older, band by band, together with series that have no samples left: in one
// transaction, since no later run would find them after a stop in between.
export function* pruneBlocks(options: RetentionOptions, tenant: number, beforeMs: number): Generator<undefined, void> {
  for (;;) {
    const band = options.connection.get(
      'SELECT band FROM block INDEXED BY block_time WHERE tenant = ? AND t1 < ? LIMIT 1',
      tenant,
      beforeMs,
    )?.[0];
    if (band === undefined) return;
    pruneBand(options, tenant, band as number, beforeMs);
    yield;
  }
}

// Synchronous, because a push in between could use one of the series again.
function pruneBand(options: RetentionOptions, tenant: number, band: number, beforeMs: number): void {
  const { connection, rows, book } = options;
  let dead: number[] = [];
  connection.writeLoosely(() => {
    const sql = 'SELECT id FROM block INDEXED BY block_band WHERE tenant = ? AND band = ? AND t1 < ?';
    rows.remove(connection.all(sql, tenant, band, beforeMs).map(([id]) => id as number));
    dead = deadSeries(options, tenant, band);
    if (dead.length === 0) return;
    const statement = connection.prepare('DELETE FROM series WHERE tenant = ? AND id = ?');
    for (const id of dead) statement.run(tenant, id);
    connection
      .prepare(
        `UPDATE tenant SET series = series - ?1, epoch = epoch + 1,
         ${tenantChecksum({ series: 'series - ?1', epoch: 'epoch + 1' })} WHERE number = ?2`,
      )
      .run(dead.length, tenant);
  });
  if (dead.length > 0) book.removed(tenant, new Set(dead));
}

function deadSeries({ connection, rows, isInMemory }: RetentionOptions, tenant: number, band: number): number[] {
  const alive = new Set<number>();
  for (const [id] of connection.all(
    'SELECT id FROM block INDEXED BY block_band WHERE tenant = ? AND band = ?',
    tenant,
    band,
  )) {
    const ids = seriesIn(rows.directory(id as number));
    if (!ids) return []; // an unreadable block may contain any of them
    for (const series of ids) alive.add(series);
  }
  const ids = connection.all(
    'SELECT id FROM series WHERE tenant = ? AND id >= ? AND id < ?',
    tenant,
    band * seriesOfBand,
    (band + 1) * seriesOfBand,
  ) as number[][];
  return ids.map(([id = 0]) => id).filter((id) => !alive.has(id) && !isInMemory(tenant, id));
}

function seriesIn(directory: Uint8Array | undefined): Uint32Array | undefined {
  try {
    return directory && readDirectory(directory).ids;
  } catch (error) {
    if (damage(error)) return undefined;
    throw error;
  }
}

// The name is removed already, so the rest is invisible.
export function* removeTenant({ connection, rows }: RetentionOptions, tenant: number): Generator<undefined, void> {
  for (;;) {
    const blocks = connection.all(
      'SELECT id FROM block INDEXED BY block_band WHERE tenant = ? LIMIT ?',
      tenant,
      blocksAtOnce,
    ) as number[][];
    if (blocks.length === 0) break;
    connection.writeLoosely(() => rows.remove(blocks.map(([id = 0]) => id)));
    yield;
  }
  for (;;) {
    const found = connection.all('SELECT id FROM series WHERE tenant = ? LIMIT ?', tenant, seriesAtOnce) as number[][];
    if (found.length === 0) break;
    const last = found.at(-1)?.[0] ?? 0;
    connection.writeLoosely(
      () => void connection.prepare('DELETE FROM series WHERE tenant = ? AND id <= ?').run(tenant, last),
    );
    yield;
  }
  connection.writeLoosely(() => {
    connection.prepare('DELETE FROM metric WHERE tenant = ?').run(tenant);
    connection.prepare('DELETE FROM tenant WHERE number = ?').run(tenant);
  });
}

export function droppedTenants(connection: Connection): number[] {
  return connection.all('SELECT number FROM tenant WHERE name IS NULL').map(([number]) => number as number);
}
