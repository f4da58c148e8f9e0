// Removes lines that are older than the retention of their stream. Lines of removed streams, and those of central
// logging, have the default retention.
import type { LogStore } from './store.ts';
import { type LogStream, usualDays } from './streams.ts';

const dayMs = 86_400_000;

export async function pruneAll(
  logs: Pick<LogStore, 'prune'>,
  tenant: string,
  streams: readonly LogStream[],
  now: number,
): Promise<void> {
  const before = (days: number): bigint => BigInt(Math.round(now - days * dayMs)) * 1_000_000n;
  for (const { tag, retentionInDays: days } of streams)
    if (days > 0) await logs.prune(tenant, [{ name: 'tag', operator: '=', value: tag }], before(days));
  const known = streams.map(({ tag }) => tag).join('|');
  await logs.prune(tenant, [{ name: 'tag', operator: '!~', value: known }], before(usualDays));
}
