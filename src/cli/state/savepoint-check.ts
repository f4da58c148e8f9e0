// Save points in `state check`: their state by the checksums that were made with them, and the files of metrics, log
// lines and event streaming as those of the region. The bytes of objects in them are not read.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StateCheck } from '../../core/state/engine.ts';
import { checkSegments } from '../../logging/engine/embedded/check.ts';
import { checkMetrics } from '../../monitoring/engine/embedded/check.ts';
import { checkClusters } from '../../streaming/engine/embedded/check.ts';
import { damagedPart } from '../savepoint/checksums.ts';
import { home } from '../savepoint/restore-files.ts';
import { isSavePointName, listSavePoints, savedData } from '../savepoint/savepoint-files.ts';

export async function withSavePoints<Found extends StateCheck>(found: Found, data: string): Promise<Found> {
  if (!existsSync(home(data))) return found;
  const damage: string[] = [];
  const known = listSavePoints(data).map(({ name }) => name);
  for (const name of readdirSync(home(data)).filter(isSavePointName)) {
    if (known.includes(name)) damage.push(...(await damageOf(savedData(data, name))));
    else damage.push(`${join(home(data), name)}: its description is missing or damaged; remove this save point`);
  }
  return { ...found, damage: [...found.damage, ...damage] };
}

async function damageOf(data: string): Promise<string[]> {
  const part = await damagedPart(dirname(data), data);
  const ofState = part === undefined ? [] : [`${join(data, part)} is damaged or missing: remove this save point`];
  const metrics = await checkMetrics({ folder: join(data, 'metrics'), isRunning: false });
  const logs = join(data, 'logs');
  const lines = existsSync(logs) ? await checkSegments(logs) : { damage: [] };
  return [...ofState, ...metrics.damage, ...lines.damage, ...(await checkClusters(join(data, 'streaming')))];
}
