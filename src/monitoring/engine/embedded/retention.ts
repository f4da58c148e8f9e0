// Retention: removes blocks that are too old, series without samples, and all data of dropped tenants, in transactions
// so small that pushes hardly notice.
import { readDirectory } from './block/block.ts';
import { type BlockRows, seriesOfBand } from './block/rows.ts';
import type { Connection } from './database.ts';
import { damage } from './faults.ts';
import type { SeriesRegistry } from './series/registry.ts';

const blocksAtOnce = 32;
const seriesAtOnce = 2000;

export interface RetentionOptions {
  connection: Connection;
  rows: BlockRows;
  book: SeriesRegistry;
  isInMemory: (tenant: number, id: number) => boolean;
}

// Deletes whole blocks that are older, then series without samples.
export function* pruneBlocks(options: RetentionOptions, tenant: number, beforeMs: number): Generator<undefined, void> {
  const { connection, rows } = options;
  const bands = new Set<number>();
  for (;;) {
    const old = connection.all(
      'SELECT id, band FROM block INDEXED BY block_time WHERE tenant = ? AND t1 < ? LIMIT ?',
      tenant,
      beforeMs,
      blocksAtOnce,
    ) as number[][];
    if (old.length === 0) break;
    connection.writeLoosely(() => rows.remove(old.map(([id = 0]) => id)));
    for (const [, band = 0] of old) bands.add(band);
    yield;
  }
  for (const band of bands) {
    removeDeadSeries(options, tenant, band);
    yield;
  }
}

// In one synchronous step: a push in between could use one of them again.
function removeDeadSeries(
  { connection, rows, book, isInMemory }: RetentionOptions,
  tenant: number,
  band: number,
): void {
  const alive = new Set<number>();
  for (const [id] of connection.all(
    'SELECT id FROM block INDEXED BY block_band WHERE tenant = ? AND band = ?',
    tenant,
    band,
  )) {
    const ids = seriesIn(rows.directory(id as number));
    if (!ids) return; // what can't be read may have any of them
    for (const series of ids) alive.add(series);
  }
  const ids = connection.all(
    'SELECT id FROM series WHERE tenant = ? AND id >= ? AND id < ?',
    tenant,
    band * seriesOfBand,
    (band + 1) * seriesOfBand,
  ) as number[][];
  const dead = ids.map(([id = 0]) => id).filter((id) => !alive.has(id) && !isInMemory(tenant, id));
  if (dead.length === 0) return;
  connection.writeLoosely(() => {
    const statement = connection.prepare('DELETE FROM series WHERE tenant = ? AND id = ?');
    for (const id of dead) statement.run(tenant, id);
    connection
      .prepare('UPDATE tenant SET series = series - ?, epoch = epoch + 1 WHERE number = ?')
      .run(dead.length, tenant);
  });
  book.removed(tenant, new Set(dead));
}

function seriesIn(directory: Uint8Array | undefined): Uint32Array | undefined {
  try {
    return directory && readDirectory(directory).ids;
  } catch (error) {
    if (damage(error)) return undefined;
    throw error;
  }
}

// The name is gone already, so nobody sees the rest.
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
