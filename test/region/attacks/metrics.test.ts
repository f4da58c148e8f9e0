// Hostile pushes and queries of metrics.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addPipeline, plainText } from '../../harness/metrics.ts';
import { startRegion } from '../../harness/region.ts';

test('metrics and labels with the names of what every object has can be pushed and asked for', async () => {
  await using region = await startRegion();
  const pipeline = await addPipeline(region);
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
  const lines = names.map((name) => `${name}{constructor="a",__proto__="b"} 1\n`);
  assert.equal((await pipeline.push(lines.join(''), plainText)).status, 204);
  for (const name of names) {
    for (const query of [name, `${name}{constructor="a",__proto__="b"}`, `sum by (constructor, __proto__) (${name})`]) {
      const [found, ...others] = await pipeline.vector(query);
      assert.deepEqual(others, []);
      assert.equal(found?.value[1], '1', query);
      const { metric = {} } = found ?? {};
      assert.deepEqual([metric.constructor, Object.getOwnPropertyDescriptor(metric, '__proto__')?.value], ['a', 'b']);
    }
  }
});

test('the error for a damaged file of the metrics does not contain its path', async () => {
  await using region = await startRegion();
  const pipeline = await addPipeline(region);
  assert.equal((await pipeline.push('up 1\n', plainText)).status, 204);
  await region.halt('SIGTERM');
  writeFileSync(join(region.data, 'metrics', 'metrics.db'), 'not a database at all '.repeat(1000));
  await region.start();
  for (const { status, body } of [
    await pipeline.ask('query', { query: 'up' }),
    await pipeline.push('up 1\n', plainText),
  ]) {
    assert.equal(status, 503, JSON.stringify(body));
    assert.match(JSON.stringify(body), /metrics/);
    assert.ok(!JSON.stringify(body).includes(region.data), JSON.stringify(body));
  }
});

test('the OpenAPI document of a push has the 400', async () => {
  await using region = await startRegion();
  const { body } = await region.call<{ paths: Record<string, { post?: { operationId: string; responses: object } }> }>(
    'GET',
    '/docs/metrics.json',
  );
  const pushes = Object.values(body.paths).flatMap(({ post }) => (post?.operationId.includes('push') ? [post] : []));
  assert.equal(pushes.length, 5);
  for (const { responses } of pushes) assert.ok('400' in responses, JSON.stringify(Object.keys(responses)));
});
