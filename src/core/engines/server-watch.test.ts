// Calls to servers that are slow, frozen, or dead.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '../../testing/waiting.ts';
import { ServerWatch } from './server-watch.ts';

const limits = { slowMs: 30, probeMs: 200 };

async function serve(t: TestContext, answers: () => boolean): Promise<{ server: Server; url: string }> {
  const server = createServer((_, response) => void (answers() && response.writeHead(404).end()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test('a slow call may continue while the server answers others', async (t) => {
  let probes = 0;
  const { url } = await serve(t, () => ++probes > 0);
  const watch = new ServerWatch(url, limits);
  const slow = async (signal: AbortSignal): Promise<boolean> => {
    await until('the server is probed several times', () => probes > 3);
    return signal.aborted;
  };
  assert.equal(await watch.during(slow), false);
});

test('a call to a frozen server fails, the next one at once, and later ones work again', async (t) => {
  let isFrozen = true;
  const { url } = await serve(t, () => !isFrozen);
  const watch = new ServerWatch(url, limits);
  let signal: AbortSignal | undefined;
  const frozen = watch.during((given) => {
    signal = given;
    return new Promise(() => undefined);
  });
  await assert.rejects(frozen, { kind: 'unavailable', detail: { retryAfterS: 2 } });
  assert.equal(signal?.aborted, true);
  await assert.rejects(
    watch.during(() => assert.fail('it is not called')),
    { kind: 'unavailable' },
  );
  isFrozen = false;
  const works = (): Promise<boolean> => watch.during(async () => true).catch(() => false);
  await until('calls are made again', works);
});

test('a call to a server that has died fails', async (t) => {
  const { url, server } = await serve(t, () => true);
  server.closeAllConnections();
  server.close();
  const hanging = new ServerWatch(url, limits).during(() => new Promise(() => undefined));
  await assert.rejects(hanging, { kind: 'unavailable' });
});
