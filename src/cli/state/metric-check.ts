// The files of metrics in `state check`.
import { join } from 'node:path';
import type { StateCheck, StateEngine } from '../../core/state/engine.ts';
import { checkMetrics, type MetricsCheck } from '../../monitoring/engine/embedded/check.ts';
import type { FoldersPlace } from './data-folder.ts';
import { isEmbedded, otherNode } from './engine-place.ts';

// `metrics`: what was found, or why nothing was read.
export const withMetrics = <Found extends StateCheck>(found: Found, metrics: MetricsCheck | string): Found =>
  typeof metrics === 'string'
    ? { ...found, notes: [...found.notes, metrics] }
    : {
        ...found,
        damage: [...found.damage, ...metrics.damage],
        notes: [...found.notes, ...metrics.notes],
      };

export async function checkSamples(
  engine: StateEngine,
  { data, engines }: FoldersPlace,
  isRunning: boolean,
): Promise<MetricsCheck | string> {
  if (!isEmbedded(engines.metrics)) return { rows: 0, damage: [], notes: [] };
  const other = await otherNode(engine, data, 'metrics');
  if (other !== undefined) return `The metrics were not read: they are kept by another node, on ${other}.`;
  return checkMetrics({ folder: join(data, 'metrics'), isRunning });
}
