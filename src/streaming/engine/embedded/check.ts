// Reads the files of clusters, while they run or not, and reports what is missing or damaged, or was when they were
// started. Nothing is changed.
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noneIfMissing } from '../../../base/missing-file.ts';
import { type PartitionFacts, partitionDamage } from '../../broker/log/check.ts';
import { brokerFile, damagedCopies } from '../../broker/log/key-value-log.ts';
import { type Change, readChanges } from '../../broker/log/key-value-records.ts';
import { logConfigOf } from '../../broker/topic/topic-config.ts';
import type { StoredTopic } from '../../broker/topic/topics.ts';

// Clusters whose list of topics is missing.
export const listDamage = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .map((cluster) => join(folder, cluster))
    .filter((cluster) => existsSync(join(cluster, 'topics')) && !existsSync(join(cluster, brokerFile)))
    .map((cluster) => `${join(cluster, brokerFile)} is missing: all topics of this cluster are lost`);

export async function checkClusters(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const found = listDamage(folder);
  for (const cluster of readdirSync(folder)) {
    const path = join(folder, cluster, brokerFile);
    const topics = join(folder, cluster, 'topics');
    const bytes = await readFile(path).catch(noneIfMissing);
    if (!bytes) continue;
    const { changes, damage } = readChanges(bytes);
    if (damage) found.push(`${path} is damaged at byte ${damage.at}: ${damage.bytes} bytes of changes are lost`);
    for (const name of await damagedCopies(path))
      found.push(`${path} was damaged: it went on without what is lost; ${name} is as it was, delete it when done`);
    if (existsSync(topics)) found.push(...(await damageOfTopics(path, topics, changes)));
  }
  return found;
}

// Files come and go while they are read, so what is wrong is looked at again.
async function damageOfTopics(path: string, folder: string, changes: readonly Change[]): Promise<string[]> {
  const found: string[] = [];
  for (const partition of partitionsIn(folder, changes)) {
    if ((await partitionDamage(partition)).length === 0) continue;
    const now = partitionsIn(folder, readChanges(await readFile(path)).changes);
    const again = now.find((one) => one.folder === partition.folder);
    if (again) found.push(...(await partitionDamage(again)));
  }
  return found;
}

function partitionsIn(folder: string, changes: readonly Change[]): PartitionFacts[] {
  const values = new Map(changes);
  const lastEpoch = Number(values.get('leader-epoch') ?? -1);
  const topics = [...values].flatMap(([key, value]) =>
    key.startsWith('topic/') && value !== null ? [value as StoredTopic] : [],
  );
  return topics.flatMap(({ id, partitions, configs, withState = [] }) =>
    Array.from({ length: partitions }, (_, index) => ({
      folder: join(folder, id, String(index)),
      hasState: withState.includes(index),
      isCompacted: logConfigOf(configs).isCompacted,
      lastEpoch,
    })),
  );
}
