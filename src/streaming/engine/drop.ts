// Removes all clusters of a data folder while no region runs on it: their data, and the processes that outlived the
// region.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endNodes } from './apache/jvm/nodes.ts';

export async function dropClusters(folder: string): Promise<void> {
  for (const id of foldersIn(folder)) await endNodes(join(folder, id), [1, 2, 3], 0);
  rmSync(folder, { recursive: true, force: true });
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the region never had a cluster
  }
}
