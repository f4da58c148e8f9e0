// Metrics on two nodes: one of them stores them, the other forwards pushes and queries; and a node that takes them
// over.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { until } from '../../../src/testing/waiting.ts';
import { addPipeline, plainText } from '../../harness/metrics.ts';
import { startNodes } from '../../harness/nodes.ts';
import type { Region, ResourceBody } from '../../harness/region.ts';

test('both nodes accept pushes and queries, and report when the node with the metrics is down', async () => {
  await using nodes = await startNodes(2);
  const [first, second] = nodes.all as [Region, Region];
  const pipeline = await addPipeline(first);
  const headers = { apikey: pipeline.key };
  const push = (region: Region, text: string) =>
    region.call('POST', `${pipeline.path}/api/v1/push`, text, { token: null, headers: { ...headers, ...plainText } });
  const ask = (region: Region, query: string) =>
    region.call('GET', `${pipeline.path}/api/v1/query?query=${query}`, undefined, { token: null, headers });
  assert.equal((await push(first, 'from{node="1"} 1\n')).status, 204);
  assert.equal((await push(second, 'from{node="2"} 2\n')).status, 204);
  for (const region of [first, second]) {
    const { status, body } = await ask(region, 'from');
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((body.data as unknown as { result: ResourceBody[] }).result.length, 2);
  }
  const token = await second.call('GET', `/monitoring/pipelines/${pipeline.id}/api/v1/query?query=sum(from)`);
  assert.match(JSON.stringify(token.body), /"3"/);
  assert.equal((await push(second, 'wrong{ 1\n')).status, 400, 'refusals are forwarded too');

  await first.kill();
  const gone = await push(second, 'from{node="2"} 3\n');
  assert.equal(gone.status, 503);
  assert.match(String(gone.body), /kept by the node at .* --metrics/);
  await first.start();
  assert.equal((await push(second, 'from{node="2"} 3\n')).status, 204, 'on another port');
  assert.equal((await second.call('DELETE', `/monitoring/pipelines/${pipeline.id}`)).status, 202);
});

test('a call is forwarded once: an address that leads back is reported, and clients cannot stop it', async (t) => {
  // The first node announces this address to the others, but it leads to the second.
  const wrong = createServer((socket) => {
    const { hostname, port } = new URL(second?.url ?? '');
    pipeline(socket, connect(Number(port), hostname), socket).catch(() => undefined);
  });
  await once(wrong.listen(0, '127.0.0.1'), 'listening');
  t.after(() => wrong.close());
  await using nodes = await startNodes(0);
  const first = await nodes.add(['--node-url', `http://127.0.0.1:${(wrong.address() as AddressInfo).port}`]);
  const second = await nodes.add();
  const made = await addPipeline(first);
  const push = (region: Region, more: Record<string, string> = {}) =>
    region.call('POST', `${made.path}/api/v1/push`, 'a 1\n', {
      token: null,
      headers: { apikey: made.key, ...more, ...plainText },
    });
  assert.equal((await push(first, { 'x-cumulet-forwarded': 'forged' })).status, 204);
  const { status, body } = await push(second, { 'x-cumulet-forwarded': 'forged' });
  assert.equal(status, 503);
  assert.match(String(body), /leads to this node.*--node-url/);
});

test('a node that is started with --metrics here stores them from then on, and the other forwards to it', async () => {
  await using nodes = await startNodes(1);
  const [first] = nodes.all as [Region];
  const pipeline = await addPipeline(first);
  const call = { token: null, headers: { apikey: pipeline.key, ...plainText } };
  const push = async (region: Region, name = 'taken') =>
    (await region.call('POST', `${pipeline.path}/api/v1/push`, `${name} 1\n`, call)).status;
  const found = async (region: Region, name = 'taken'): Promise<number> => {
    const { body } = await region.call('GET', `${pipeline.path}/api/v1/query?query=${name}`, undefined, call);
    return (body.data as unknown as { result: ResourceBody[] }).result.length;
  };
  assert.equal(await push(first), 204);
  const second = nodes.make(['--metrics', 'here']);
  second.token = first.token;
  await second.start();
  assert.equal(await found(second), 0, 'earlier samples stay on the first node');
  assert.equal(await push(second), 204);
  await until(
    'the first node has noticed',
    () => push(first, 'late'),
    (status) => status === 204,
  );
  assert.deepEqual([await found(second, 'late'), await found(first, 'late')], [1, 1], 'it acknowledges nothing before');
  assert.equal(await found(first), 1);
  await first.kill();
  assert.equal(await push(second), 204);
});
