// Reads what clusters keep besides their records, while they run or not, and tells what is damaged, or was when they
// were started. Nothing is changed.
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noneIfMissing } from '../../../base/missing-file.ts';
import { brokerFile, damagedCopies } from '../../broker/log/key-value-log.ts';
import { readChanges } from '../../broker/log/key-value-records.ts';

export async function checkClusters(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const found: string[] = [];
  for (const cluster of readdirSync(folder)) {
    const path = join(folder, cluster, brokerFile);
    const bytes = await readFile(path).catch(noneIfMissing);
    if (!bytes) continue;
    const { damage } = readChanges(bytes);
    if (damage) found.push(`${path} is damaged at byte ${damage.at}: ${damage.bytes} bytes of changes are lost`);
    for (const name of await damagedCopies(path))
      found.push(`${path} was damaged: it went on without what is lost; ${name} is as it was, delete it when done`);
  }
  return found;
}
