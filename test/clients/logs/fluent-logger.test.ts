// @fluent-org/logger, a client of the forward protocol from npm: all modes by TLS, with acknowledgements, and a restart
// of the region in the middle. Each sent line is found once.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type EventModes, FluentClient, FluentSocketEvent } from '@fluent-org/logger';
import { forwardPlace } from '../../harness/forward.ts';
import { addLogPipeline, search, stream } from '../../harness/logs.ts';
import { type Region, startRegion } from '../../harness/region.ts';

const modes: EventModes[] = ['Message', 'Forward', 'PackedForward', 'CompressedPackedForward'];
const each = 200; // records of a mode, half of them before the restart

function clientOf(region: Region, eventMode: EventModes, sharedKey: string): FluentClient {
  const { host, port } = forwardPlace(region);
  return new FluentClient(null, {
    eventMode,
    ack: { ackTimeout: 5000 },
    flushInterval: 5,
    eventRetry: { attempts: 200, minDelay: 50, maxDelay: 500, backoff: 1.5 },
    security: { clientHostname: 'tests', sharedKey },
    socket: {
      host,
      port,
      timeout: 5000,
      tls: { ca: readFileSync(join(region.data, 'ca.pem')), servername: 'localhost' },
    },
  });
}

test('[LOG-04] @fluent-org/logger: each record of each mode is found once, across a restart of the region', async (t) => {
  const args: string[] = [];
  await using region = await startRegion({ args });
  const pipeline = await addLogPipeline(region, [stream('agent', { protocol: 'tcp' })]);
  args.push('--logs-port', String(forwardPlace(region).port)); // the same after the restart
  const clients = modes.map((mode) => [mode, clientOf(region, mode, pipeline.key)] as const);
  t.after(() => clients.forEach(([, client]) => void client.disconnect().catch(() => {})));
  const half = (from: number): Promise<void>[] =>
    clients.flatMap(([mode, client]) =>
      Array.from({ length: each / 2 }, (_, at) =>
        client.emit('agent', { mode, number: from + at, text: 'x'.repeat(50) }),
      ),
    );
  await Promise.all(half(0));
  const second = half(each / 2); // in progress while it restarts
  await region.restart();
  await Promise.all(second);
  for (const [mode] of clients) {
    const found = await search(region, pipeline, `{tag="agent"} | json | mode="${mode}"`);
    const numbers = found.map(({ line }) => (JSON.parse(line) as { number: number }).number).sort((a, b) => a - b);
    assert.deepEqual(
      numbers,
      Array.from({ length: each }, (_, at) => at),
      mode,
    );
  }
});

test("[LOG-04] @fluent-org/logger with a wrong key can't send anything", async (t) => {
  await using region = await startRegion();
  const pipeline = await addLogPipeline(region, [stream('agent', { protocol: 'tcp' })]);
  const client = clientOf(region, 'Forward', 'not the key');
  t.after(() => client.disconnect().catch(() => {}));
  const { promise, resolve } = Promise.withResolvers<Error>();
  client.socketOn(FluentSocketEvent.ERROR, resolve as never);
  client.emit('agent', { n: 1 }).catch(() => {});
  assert.match(String(await promise), /shared_?key|auth/i);
  assert.deepEqual(await search(region, pipeline, '{tag="agent"}'), []);
});
