// OpenTelemetry's collector receives the traces of a region, and exports them unchanged.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../../src/testing/free-port.ts';
import { OtlpReceiver } from '../../../src/testing/otlp-receiver.ts';
import { until } from '../../../src/testing/waiting.ts';
import { startRegion } from '../../harness/region.ts';
import { workFolder } from '../run.ts';
import { startAgent } from './process.ts';
import { collector } from './programs.ts';
import { tracesSettings } from './settings.ts';

test('OpenTelemetry collector accepts the spans of a region', async (t) => {
  const program = await collector();
  if (!program.path) return t.skip(program.skip);
  await using receiver = await new OtlpReceiver().listen();
  const file = join(workFolder(t), 'collector.yml');
  const address = `127.0.0.1:${await freePort()}`;
  writeFileSync(file, tracesSettings(address, receiver.url));
  await using running = startAgent([program.path, `--config=${file}`]);
  await using region = await startRegion({ args: ['--traces', `http://${address}`] });
  const traceId = 'd'.repeat(32);
  const headers = { traceparent: `00-${traceId}-${'e'.repeat(16)}-01`, tracestate: 'vendor=value' };
  assert.equal((await region.call('GET', '/cloudapi/v6/locations/nowhere/x', undefined, { headers })).status, 404);
  const [span] = await until(
    'the collector exports the span',
    () => receiver.spans.filter((one) => one.traceId === traceId),
    (spans) => spans.length > 0,
  ).catch((error: Error) => assert.fail(`${error.message}\n${running.log()}`));
  const { name, kind, parentSpanId, traceState, attributes, resource } = span ?? assert.fail();
  assert.deepEqual(
    [name, kind, parentSpanId, traceState],
    [`GET ${attributes['http.route']}`, 2, 'e'.repeat(16), 'vendor=value'],
  );
  assert.equal(attributes['http.response.status_code'], '404');
  assert.equal(resource['service.name'], 'cumulet');
});
