// Topics through the Kafka protocol: the limits of one request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silent } from '../../../base/log.ts';
import { errorCodes, ProtocolError } from '../wire/errors.ts';
import type { Call } from './handler.ts';
import { handleCreateTopics } from './topics.ts';

test('a request with very many topics is answered at once, and a repeated name is refused', async () => {
  const check = (): never => {
    throw new ProtocolError('TOPIC_ALREADY_EXISTS');
  };
  const call = { cluster: { topics: { check }, log: silent } } as unknown as Call;
  const names = [...Array(20_000).keys(), 7].map(String);
  const topics = names.map((name) => ({
    name,
    numPartitions: 1,
    replicationFactor: 1,
    assignments: [],
    configs: [],
  }));
  const begin = process.cpuUsage();
  const answer = await handleCreateTopics({ topics, timeoutMs: 0, validateOnly: true }, call);
  assert.ok(process.cpuUsage(begin).user < 3_000_000, 'it blocks all clusters of its thread');
  const refused = answer?.topics?.filter(({ errorCode }) => errorCode === errorCodes.INVALID_REQUEST);
  assert.deepEqual(
    refused?.map(({ name }) => name),
    ['7', '7'],
  );
});
