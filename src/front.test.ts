// A product plugged in from outside: what docs/adding-a-product.md shows, run on a real state.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { machineTime } from './base/clock.ts';
import { silent } from './base/log.ts';
import { defaults } from './config/sections.ts';
import { openContext } from './context.ts';
import { openState } from './core/state/open.ts';
import { type Front, openFront, servicesOf } from './front.ts';
import { openIdentity } from './identity/product.ts';
import { json } from './surface/http/exchange.ts';
import type { Gateway } from './surface/http/gateway.ts';
import { renderPlatformFault } from './surface/http/payload.ts';
import { RequestFeed } from './surface/http/request-feed.ts';
import { Ports, port } from './surface/ports.ts';
import { openMetrics } from './surface/process-figures.ts';
import type { Context, Product } from './surface/product.ts';

interface Words {
  say(): string;
}
const words = port<Words>('words');

function openEcho(_context: Context, ports: Ports): Product {
  return {
    name: 'echo',
    resources: [],
    services: () => [
      {
        name: 'echo',
        title: 'Echo',
        description: 'Says what it is told.',
        prefixes: ['/echo'],
        hosts: [],
        takesBasic: false,
        routes: [
          {
            method: 'GET',
            path: '/{rest*}',
            operation: 'echo_get',
            summary: 'Say it again',
            open: true,
            call: (x) => json(200, { word: ports.use(words).say(), path: x.path }),
          },
        ],
        renderFault: (fault) => renderPlatformFault(fault),
      },
    ],
    listeners: [
      { name: 'echo', scheme: 'http', defaultPort: 7099, option: '--echo-port', open: (_, http) => http('echo') },
      {
        name: 'rawecho',
        scheme: 'tcp',
        defaultPort: 7098,
        option: '--raw-echo-port',
        open: () => ({ servers: [createServer((socket) => socket.pipe(socket))] }),
      },
    ],
  };
}

const openSpeaker = (_context: Context, ports: Ports): Product => {
  ports.fill(words, { say: () => 'hello' });
  return { name: 'speaker', resources: [], services: () => [] };
};

async function open(t: TestContext, openers: readonly ((context: Context, ports: Ports) => Product)[]): Promise<Front> {
  const data = mkdtempSync(join(tmpdir(), 'cumulet-front-'));
  const config = {
    ...defaults,
    data,
    key: join(data, 'region.key'),
    gateway: { ...defaults.gateway, port: 0, securePort: 0 },
  };
  const engine = await openState(`sqlite:${data}`, machineTime);
  const ports = new Ports();
  let gateway: Gateway | undefined;
  const regions = { all: ['de-txl'], home: 'de-txl' };
  const about = { config, version: '0', log: silent, engine, regions, ports, gateway: () => gateway };
  const context = await openContext(about);
  const products: Product[] = [await openIdentity(context, ports)];
  for (const one of openers) products.push(one(context, ports));
  // Identity's routes are for the core API, which is not there.
  const services = servicesOf(products.filter(({ name }) => name !== 'identity'));
  const listeners = products.flatMap((product) => product.listeners ?? []);
  const metrics = openMetrics('0');
  const front = await openFront({
    ...{ config, context, ports, metrics, feed: new RequestFeed(), services, listeners },
    hint: '',
    unready: () => undefined,
  });
  gateway = front.gateway;
  t.after(async () => {
    await front.close({ politeMs: 0, graceMs: 0 });
    for (const product of products) await product.close?.();
    await engine.close();
    rmSync(data, { recursive: true, force: true });
  });
  return front;
}

test('a product has a service at the gateway and on a port of its own, and uses the port of another', async (t) => {
  const { gateway, listening } = await open(t, [openEcho, openSpeaker]);
  const [http, raw] = listening;
  assert.deepEqual([http?.name, raw?.name], ['echo', 'rawecho']);
  for (const url of [`http://127.0.0.1:${gateway.port}/echo/a/b`, `${http?.url}/a/b`]) {
    const answer = await fetch(url);
    assert.deepEqual(await answer.json(), { word: 'hello', path: '/a/b' }, url);
    assert.ok(answer.headers.get('x-request-id'), 'the same pipeline serves both');
  }
});

test('a port that no product fills fails by its name, and as a bug of that call alone', async (t) => {
  const { gateway } = await open(t, [openEcho]);
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/echo/a`);
  assert.equal(answer.status, 500);
  assert.throws(() => new Ports().use(words), /no product fills the port words/);
  const twice = new Ports();
  twice.fill(words, { say: () => '' });
  assert.throws(() => twice.fill(words, { say: () => '' }), /two products fill the port words/);
});
