// The example product in a whole region.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import { connect } from 'node:tls';
import { silent } from './base/log.ts';
import { configOf } from './config/config.ts';
import { sampleProperties } from './core/sample.ts';
import { type Region, startPlatform } from './platform.ts';
import { products } from './products.ts';
import type { Declaration } from './surface/product.ts';
import { echo } from './testing/echo/declaration.ts';
import { note, words } from './testing/echo/product.ts';

// Another product, which fills the port.
const speaker: Declaration = {
  name: 'speaker',
  async open(_context, ports) {
    ports.fill(words, { say: () => 'hello' });
    return { resources: [], services: () => [] };
  },
};

suite('a product from outside', () => {
  const data = mkdtempSync(join(tmpdir(), 'cumulet-echo-'));
  const all = [...products, echo, speaker];
  let region: Region;
  before(async () => {
    const options = { data, port: '0', 'echo-port': '0' };
    const config = configOf(new Map(Object.entries(options)), all);
    region = await startPlatform(config, { version: '0', log: silent, products: all });
  });
  after(async () => {
    await region.stop();
    rmSync(data, { recursive: true, force: true });
  });

  const repeated = { word: 'hello', path: '/a/b' };

  test('is reached at the gateway', async () => {
    const answer = await fetch(`http://127.0.0.1:${region.gateway.port}/echo/a/b`);
    assert.deepEqual(await answer.json(), repeated);
    assert.ok(answer.headers.get('x-request-id'), 'the stages of every call serve it');
  });

  test('is reached on its own port', async () => {
    const own = region.listening.find(({ name }) => name === 'echo');
    assert.deepEqual(await (await fetch(`${own?.url}/a/b`)).json(), repeated);
  });

  test('is reached through the proxy by its host name, with a certificate for it', async () => {
    const host = `echo.${region.regions.home}.ionos.com`;
    const tunnel = request({ port: region.gateway.port, method: 'CONNECT', path: `${host}:443` }).end();
    const socket = await new Promise<import('node:net').Socket>((resolve, reject) => {
      tunnel.once('error', reject);
      tunnel.once('connect', (answer, opened) =>
        answer.statusCode === 200
          ? resolve(opened as import('node:net').Socket)
          : reject(new Error(`${answer.statusCode}`)),
      );
    });
    const secure = connect({ socket, servername: host, ca: region.authority.certificate });
    const call = request({
      createConnection: () => secure,
      path: '/a/b',
      headers: { host, connection: 'close' },
    }).end();
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      call.once('error', reject);
      call.once('response', resolve);
    });
    assert.deepEqual(await readJson(answer), repeated);
  });

  interface Part {
    title: string;
    url: string;
  }
  const call = async <T>(path: string): Promise<T> =>
    (await (await fetch(`http://127.0.0.1:${region.gateway.port}${path}`)).json()) as T;

  test('has its resource in the navigation and model of the console, though no list names it', async () => {
    const { groups } = await call<{ groups: { parts: Part[] }[] }>('/console/navigation');
    const notes = groups.flatMap(({ parts }) => parts).find(({ title }) => title === 'Echo notes');
    assert.equal(notes?.url, '/console/resources/echo/echonotes');
    const { resources } = await call<{ resources: { name: string; title: string; columns: string[] }[] }>(
      '/console/model',
    );
    const model = resources.find(({ name }) => name === note.name);
    assert.deepEqual([model?.title, model?.columns], ['Echo note', ['name']]);
  });

  test('has its resource among the operations and samples that the sweeps try', async () => {
    const { services } = await call<{ services: { name: string; openapi: string }[] }>('/');
    const address = services.find(({ name }) => name === 'echo')?.openapi ?? '';
    const { paths } = await call<{ paths: Record<string, object> }>(new URL(address).pathname);
    assert.deepEqual(Object.keys(paths['/echonotes'] ?? {}).sort(), ['get', 'post']);
    assert.deepEqual(Object.keys(paths['/echonotes/{echonoteId}'] ?? {}).sort(), ['delete', 'get', 'patch', 'put']);
    const declared = await echo.resources?.();
    assert.deepEqual(
      declared?.map((one) => sampleProperties(one, () => assert.fail('it needs none'), 'x')),
      [{ name: 'example' }],
    );
  });

  test('has its settings, API document and metrics like any other', async () => {
    assert.ok(region.services().some(({ name }) => name === 'echo'));
    const metrics = await (await fetch(`http://127.0.0.1:${region.gateway.port}/metrics`)).text();
    assert.match(metrics, /operation="echo_get"/);
  });
});
