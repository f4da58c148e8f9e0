// The files of event streaming in `state check`.
import { join } from 'node:path';
import type { StateCheck } from '../../core/state/engine.ts';
import { checkClusters } from '../../streaming/engine/embedded/check.ts';

export async function withClusters<Found extends StateCheck>(found: Found, data: string): Promise<Found> {
  return { ...found, damage: [...found.damage, ...(await checkClusters(join(data, 'streaming')))] };
}
