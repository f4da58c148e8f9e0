// Reads the files of clusters, running or not, and reports missing and damaged files, also damage that was found at the
// start. It changes nothing.
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noneIfMissing } from '../../../base/missing-file.ts';
import { damageOfLog } from '../../../core/record-log/record-reader.ts';
import { type PartitionFacts, partitionDamage } from '../../broker/log/check.ts';
import { brokerFile, damagedCopies } from '../../broker/log/key-value-log.ts';
import { type Change, changesIn, readChanges } from '../../broker/log/key-value-records.ts';
import { type Configs, logConfigOf } from '../../broker/topic/topic-config.ts';
import type { StoredTopic } from '../../broker/topic/topics.ts';

// Finds clusters whose list of topics is missing.
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
    const { changes } = readChanges(bytes);
    for (const { at, bytes: lost } of damageOfLog(path, changesIn) ?? [])
      found.push(`${path} is damaged at byte ${at}: ${lost} bytes of changes are lost`);
    for (const name of await damagedCopies(path))
      found.push(
        `${path} was damaged and continues without the lost changes. ${name} is a copy of the damaged file: ` +
          'delete it when you no longer need it',
      );
    if (existsSync(topics)) found.push(...(await damageOfTopics(path, topics, changes)));
  }
  return found;
}

// Files are created and deleted during the check, so suspicious files are checked again.
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
  const defaults = [...values].flatMap(([key, value]) =>
    key.startsWith('config/broker/') && value !== null ? [String((value as Configs)['log.cleanup.policy'])] : [],
  );
  const isCompacted = (configs: Configs): boolean =>
    logConfigOf(configs).isCompacted || (!('cleanup.policy' in configs) && defaults.some((one) => /compact/.test(one)));
  return topics.flatMap(({ id, partitions, configs, withState = [] }) =>
    Array.from({ length: partitions }, (_, index) => ({
      folder: join(folder, id, String(index)),
      hasState: withState.includes(index),
      isCompacted: isCompacted(configs),
      lastEpoch,
    })),
  );
}
