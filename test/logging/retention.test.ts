// The retention of lines: by stream, with a moved clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addLogPipeline, post, search, stream } from '../harness/logs.ts';
import { startRegion } from '../harness/region.ts';

const dayMs = 86_400_000;

test('[LOG-06] retention removes only lines older than the retention of their stream', async () => {
  await using region = await startRegion();
  const pipeline = await addLogPipeline(region, [
    stream('week', { retentionInDays: 7 }),
    stream('month'),
    stream('ever', { retentionInDays: 'unlimited' }),
  ]);
  const send = async (text: string): Promise<void> => {
    for (const tag of ['week', 'month', 'ever'])
      assert.equal((await post(region, pipeline, `/${tag}`, { text })).status, 200);
  };
  const kept = async (): Promise<string[]> => {
    const found = await search(region, pipeline, '{tag=~".+"}', { since: '29d' });
    return found.map(({ labels, line }) => `${labels.tag} ${(JSON.parse(line) as { text: string }).text}`).sort();
  };
  const pass = (days: number) => region.call('PUT', '/lab/clock', { advanceMs: days * dayMs });
  await send('first');
  assert.equal((await kept()).length, 3);
  await pass(6);
  await send('second');
  assert.equal((await kept()).length, 6);
  await pass(2);
  assert.deepEqual(await kept(), ['ever first', 'ever second', 'month first', 'month second', 'week second']);
  await pass(20); // the first lines are 28 days old
  assert.deepEqual(await kept(), ['ever first', 'ever second', 'month first', 'month second']);
});
