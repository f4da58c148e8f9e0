// A collection has a limit of chunks, because its vectors are in memory while it is searched.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostChunks } from '../../src/testing/black-box/inference.ts';
import { openState } from '../../src/testing/black-box/state.ts';
import { startRegion } from '../harness/region.ts';
import { urlOf } from '../harness/states.ts';

const sentence = 'Everybody has thirty days of vacation. ';
const document = (name: string, text: string): object => ({
  properties: { name, content: Buffer.from(text).toString('base64') },
});

test('a full collection accepts no more chunks (422), and removals make room', async () => {
  await using region = await startRegion({ args: ['--inference-rate', '10000'] });
  const { body } = await region.call('POST', '/inference/collections', { properties: { name: 'handbook' } });
  const at = `/inference/collections/${body.id}`;
  const put = (...items: object[]) => region.call('PUT', `${at}/documents`, { items });
  assert.equal((await put(document('one', sentence))).status, 200);
  const long = document('long', sentence.repeat(500));
  const { contract } = region;
  await region.halt('SIGTERM');
  const engine = await openState(urlOf(region.data) ?? `sqlite:${region.data}`, Date.now);
  const name = `collection chunks ${body.id}`;
  // Simulates all but one chunk: embedding that many takes minutes.
  await engine.apply([{ op: 'count', contract, name, add: mostChunks - 2 }]);
  await engine.close();
  await region.start();
  const refused = await put(long);
  assert.equal(refused.status, 422, JSON.stringify(refused.body));
  assert.match(JSON.stringify(refused.body), new RegExp(`A collection has at most ${mostChunks} chunks`));
  assert.equal((await region.call('GET', at)).body.properties.documentsCount, 1, 'nothing of it is there');
  const [first, second] = [document('two', 'Parking is free.'), document('three', 'The lift is out of order.')];
  assert.equal((await put(first, second)).status, 422, 'all or none');
  assert.equal((await put(first)).status, 200);
  assert.equal((await put(second)).status, 422);
  assert.equal((await put(document('two', 'Parking costs money.'))).status, 200, 'one may take the place of another');
  const { items } = (await region.call('GET', `${at}/documents`)).body;
  const two = items.find(({ properties }) => properties.name === 'two');
  assert.equal((await region.call('DELETE', `${at}/documents/${two?.id}`)).status, 204);
  assert.equal((await put(second)).status, 200);
});
