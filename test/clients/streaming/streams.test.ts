// Kafka's Java client and Kafka Streams while the brokers are killed and started again.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { workFolder } from '../run.ts';
import { restartExpected } from './administration.ts';
import { runWithRestarts } from './conversation.ts';
import { placeOf } from './journey.ts';
import { javaClient, javaCommand, streamsClient, streamsCommand } from './programs.ts';
import { openTarget, type Target } from './target.ts';

const [java, streams] = [await javaClient(), await streamsClient()];
const restarts = 2;

describe('Java clients whose brokers are killed', () => {
  let target: Target;
  before(async () => {
    if (java.path || streams.path) target = await openTarget('embedded');
  });
  after(() => target?.close());
  const run = async (t: { after(done: () => void): void }, name: string, command: string[]) => {
    const folder = workFolder(t);
    const place = { ...placeOf(folder, name, target), folder, restarts };
    const restart = (): Promise<void> => target.restart();
    return runWithRestarts([...command, JSON.stringify(place)], folder, restart, limits.clientSuite);
  };

  it('[STREAM-06] transactions commit offsets of a group over a restart, in both group protocols', {
    skip: java.skip ?? false,
  }, async (t) => {
    assert.deepEqual(await run(t, 'restart', await javaCommand('Restart')), restartExpected);
  });

  it('[STREAM-06] Kafka Streams counts each record exactly once over restarts and a change of instances', {
    skip: streams.skip ?? false,
  }, async (t) => {
    const saw = await run(t, 'streams', await streamsCommand('Counting'));
    assert.deepEqual(saw, { keys: 10, exact: 10, results: 3000, failures: [] });
  });
});
