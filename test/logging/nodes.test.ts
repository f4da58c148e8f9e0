// Log lines on two nodes: one of them stores the lines, the other forwards pushes, connections and queries.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { simpleRules } from '../harness/alerts.ts';
import { openForward } from '../harness/forward.ts';
import { addLogPipeline, logPipelines, post, search, searchAt } from '../harness/logs.ts';
import { startNodes } from '../harness/nodes.ts';
import type { Region } from '../harness/region.ts';

const seconds = (): number => Math.floor(Date.now() / 1000);

test('[LOG-06] both nodes accept and find lines, and report when the node with the lines is down', async () => {
  await using nodes = await startNodes(2);
  const [first, second] = nodes.all as [Region, Region];
  const pipeline = await addLogPipeline(first);
  assert.equal((await post(first, pipeline, '/app', { node: 1 })).status, 200);
  assert.equal((await post(second, pipeline, '/app', { node: 2 })).status, 200);
  const forward = await openForward(second, pipeline);
  await forward.sendAcked(['agent', seconds(), { node: 2, by: 'forward' }], 'Y2h1bms=');
  for (const region of [first, second]) {
    assert.equal((await search(region, pipeline, '{tag=~".+"} | json')).length, 3);
    assert.equal((await searchAt(region, `${logPipelines}/${pipeline.id}`, '{tag="agent"}')).length, 1);
  }
  assert.equal((await post(second, pipeline, '/app', 'no JSON')).status, 400, 'refusals are forwarded too');

  // A query can be followed at either node: the WebSocket is forwarded too.
  const tail = `${second.url.replace(/^http/, 'ws')}${pipeline.path}/loki/api/v1/tail?query=%7Btag%3D%22app%22%7D`;
  const socket = new WebSocket(tail, { headers: { apikey: pipeline.key } });
  const [shown] = (await once(socket, 'message', { signal: AbortSignal.timeout(limits.request) })) as [Buffer]; // deadline
  assert.match(String(shown), /"tag":"app"/);
  socket.terminate();
  const leaving = new WebSocket(tail, { headers: { apikey: pipeline.key } });
  await once(leaving, 'message', { signal: AbortSignal.timeout(limits.request) }); // deadline
  const closed = once(leaving, 'close');
  await second.restart();
  assert.equal((await closed)[0], 1001, 'the node in between says that it stops');

  // The node with the lines evaluates rules; any node returns the state.
  const expression = 'sum(count_over_time({tag="app"}[1h]))';
  const properties = { name: 'Lines', pipeline: pipeline.id, expression, comparison: '>', threshold: 1 };
  const made = await second.call('POST', simpleRules, { properties });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal((await second.call('PUT', '/lab/clock', { advanceMs: 120_000 })).status, 200);
  await until(
    'the rule fires',
    () => second.call('GET', `${simpleRules}/${made.body.id}`),
    ({ body }) => body.metadata.state === 'firing',
  );

  await first.kill();
  const gone = await post(second, pipeline, '/app', { node: 2 });
  assert.equal(gone.status, 503);
  assert.match(gone.body, /kept by the node at .* --logs/);
  forward.send(['agent', seconds(), { lost: true }, { chunk: 'bG9zdA==' }]);
  assert.equal(await forward.next(), undefined, 'it is not acknowledged, so the agent sends it again');
  await first.start();
  assert.equal((await post(second, pipeline, '/app', { node: 2 })).status, 200, 'on another port');
  const again = await openForward(second, pipeline);
  await again.sendAcked(['agent', seconds(), { lost: false }], 'bG9zdA==');
  again.close();
  assert.equal((await search(second, pipeline, '{tag=~".+"}')).length, 5);
});
