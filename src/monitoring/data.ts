// The data hooks of metrics: save points, backups, checks and resets.
import { rm } from 'node:fs/promises';
import { Fault } from '../base/fault.ts';
import { withoutPassword } from '../config/setting-values.ts';
import type { StateEngine } from '../core/state/engine.ts';
import { type DataHooks, isEmbedded, type ResetPlace } from '../surface/product-data.ts';
import { checkMetrics } from './engine/embedded/check.ts';
import { isSnapshotFile, snapshotOf } from './engine/embedded/snapshot.ts';
import { dropAll } from './engine/remote/remote.ts';
import { central, pipeline } from './index.ts';

export const monitoringData: DataHooks = {
  async check({ path, isRunning }) {
    const { damage, notes } = await checkMetrics({ folder: path, isRunning });
    return { damage, notes };
  },
  snapshot: { pieces: snapshotOf },
  restore: { fileOf: (piece) => (isSnapshotFile(piece) ? piece : undefined) },
  reset: { claims: ['metric-drop'], empty: dropMetrics },
};

async function dropMetrics({ path, address, engine, otherNode }: ResetPlace): Promise<string> {
  if (isEmbedded(address)) {
    await rm(path, { recursive: true, force: true });
    return otherNode === undefined
      ? 'Deleted its metrics.'
      : `Its metrics remain with a node on ${otherNode}: remove the folder metrics in its data folder.`;
  }
  const shown = withoutPassword(address);
  try {
    const refused = await dropAll(address, await tenantsIn(engine));
    if (refused === undefined) return `Deleted its metrics at ${shown}.`;
    return `Its metrics at ${shown} were not deleted: ${refused}.`;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `Its metrics at ${shown} were not deleted: ${error.message}.`;
  }
}

const hasMetrics = new Set([pipeline.name, central.name]);

async function tenantsIn(engine: StateEngine): Promise<string[]> {
  const tenants: string[] = [];
  for await (const { table, rows } of engine.dump())
    if (table === 'resource')
      for (const [, , id, kind] of rows) if (hasMetrics.has(String(kind))) tenants.push(String(id));
  return tenants;
}
