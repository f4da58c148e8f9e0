// What /metrics says, and that it says it whatever a part of the region does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counter, gauge } from '../core/figures.ts';
import { Metrics } from './metrics.ts';

const table = { bigWidgets: counter('Widgets that came.'), leftBytes: gauge('Room that is left.'), never: gauge('') };

test('[GEN-10] a figure has its name, type and description; a figure without a value is omitted', async () => {
  const metrics = new Metrics({ version: '1.2.3' });
  metrics.add({ of: 'part', table, read: () => ({ bigWidgets: 3, leftBytes: 0 }) });
  const lines = (await metrics.text()).split('\n');
  assert.ok(lines.includes('cumulet_build_info{version="1.2.3"} 1'));
  assert.deepEqual(lines.slice(lines.indexOf('# HELP part_big_widgets_total Widgets that came.')), [
    '# HELP part_big_widgets_total Widgets that came.',
    '# TYPE part_big_widgets_total counter',
    'part_big_widgets_total 3',
    '# HELP part_left_bytes Room that is left.',
    '# TYPE part_left_bytes gauge',
    'part_left_bytes 0',
    '',
  ]);
});

test('[GEN-10] a part that fails or does not answer takes nothing from the others', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const metrics = new Metrics({});
  const read = (): never => assert.fail('as planned');
  metrics.add({ of: 'broken', table, read });
  metrics.add({ of: 'silent', table, read: () => new Promise<never>(() => {}) });
  metrics.add({ of: 'well', table, read: async () => ({ bigWidgets: 1 }) });
  const text = metrics.text();
  await new Promise(setImmediate);
  t.mock.timers.tick(1000);
  const names = [...(await text).matchAll(/^(\w+) /gm)].map(([, name]) => name);
  assert.deepEqual(names, ['well_big_widgets_total']);
});

test('[GEN-10] counters continue when one source ends and another begins', async () => {
  const metrics = new Metrics({}, { of: 'own', table, read: () => ({ bigWidgets: 5 }) });
  for (const bigWidgets of [3, 4]) {
    metrics.add({ of: 'part', table, read: () => ({ bigWidgets, leftBytes: bigWidgets }) });
    await metrics.settle();
  }
  metrics.add({ of: 'part', table, read: () => ({ bigWidgets: 1, leftBytes: 2 }) });
  const found = [...(await metrics.text()).matchAll(/^((?:part|own)_\w+ \d+)$/gm)].map(([, line]) => line);
  assert.deepEqual(found, ['part_big_widgets_total 8', 'part_left_bytes 2', 'own_big_widgets_total 5']);
});

test('[GEN-10] calls are counted by operation and status, with their duration', async () => {
  const metrics = new Metrics({});
  for (const ms of [0.5, 3, 20_000]) metrics.request('cloudapi', 'datacenter_get', 200, ms);
  metrics.request('cloudapi', 'datacenter_get', 404, 1);
  const text = await metrics.text();
  for (const line of [
    'cumulet_requests_total{service="cloudapi",operation="datacenter_get",status="200"} 3',
    'cumulet_requests_total{service="cloudapi",operation="datacenter_get",status="404"} 1',
    'cumulet_request_seconds_bucket{service="cloudapi",le="0.001"} 2',
    'cumulet_request_seconds_bucket{service="cloudapi",le="0.005"} 3',
    'cumulet_request_seconds_bucket{service="cloudapi",le="10"} 3',
    'cumulet_request_seconds_bucket{service="cloudapi",le="+Inf"} 4',
    'cumulet_request_seconds_count{service="cloudapi"} 4',
  ])
    assert.ok(text.includes(`${line}\n`), line);
});
