// What `state check` reads in addition to the rows, product by product.
import type { StateCheck, StateEngine } from '../../core/state/engine.ts';
import { Store } from '../../core/store.ts';
import type { BackupPlace } from './backup.ts';
import { withClusters } from './cluster-check.ts';
import { type CheckedLogs, checkLines, withLogs } from './log-check.ts';
import { checkSamples, withMetrics } from './metric-check.ts';
import { withRegion } from './region-check.ts';
import { withSavePoints } from './savepoint-check.ts';
import { withNestedZones } from './zone-check.ts';

export async function withFiles(
  rows: StateCheck,
  engine: StateEngine,
  place: BackupPlace,
  isRunning: boolean,
): Promise<CheckedLogs> {
  const zones = await withNestedZones(rows, new Store(engine));
  const region = await withRegion(zones, engine, place, isRunning);
  const metrics = withMetrics(region, await checkSamples(engine, place, isRunning));
  const logs = withLogs(metrics, await checkLines(engine, place));
  return withSavePoints(await withClusters(logs, place.data), place.data);
}
