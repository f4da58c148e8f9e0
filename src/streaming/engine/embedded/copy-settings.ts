// Copies the clusters of a data folder without their records, while no region runs on it: topics and quotas are copied;
// committed offsets, groups and transactions, which refer to records, are not.
import { constants, existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { groupPrefix, memberPrefix } from '../../broker/group/group-store.ts';
import { brokerFile, KeyValueLog } from '../../broker/log/key-value-log.ts';
import type { StoredTopic } from '../../broker/topic/topics.ts';

const aboutRecords = ['offset/', 'transaction/', groupPrefix, memberPrefix];

export async function copySettings(from: string, to: string): Promise<void> {
  for (const cluster of readdirSync(from)) {
    const file = join(from, cluster, brokerFile);
    if (!existsSync(file)) continue;
    const target = join(to, cluster, brokerFile);
    await mkdir(join(to, cluster), { recursive: true, mode: 0o700 });
    await copyFile(file, target, constants.COPYFILE_EXCL);
    await forgetRecords(target);
  }
}

async function forgetRecords(file: string): Promise<void> {
  const log = await KeyValueLog.open(file, 'interval');
  try {
    for (const prefix of aboutRecords)
      await log.put([...log.entries(prefix)].map(([key]) => [`${prefix}${key}`, null]));
    await log.put(
      [...log.entries('topic/')].map(([key, value]) => [`topic/${key}`, withoutState(value as StoredTopic)]),
    );
  } finally {
    await log.close();
  }
}

// The partitions of a copy are empty and have no saved state yet.
const withoutState = ({ withState: _, ...topic }: StoredTopic): StoredTopic => topic;
