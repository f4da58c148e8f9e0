// Users choose the ACME servers of providers: slow and odd ones delay neither other contracts nor the region.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { secondContract } from '../sweep/world.ts';
import { addZone, made, settled } from './certificates.ts';

const email = 'admin@example.com';
const proofs = 5000;
const tries = 13; // more than run at once

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// As much of ACME as an order needs; the order demands many proofs.
function greedy(urls: string[]): RequestListener {
  return ({ url = '', headers }: IncomingMessage, res: ServerResponse) => {
    const base = `http://${headers.host}`;
    urls.push(url);
    res.setHeader('Replay-Nonce', 'bm9uY2U').setHeader('Content-Type', 'application/json');
    const send = (status: number, body: object, location = ''): void => {
      if (location !== '') res.setHeader('Location', base + location);
      res.writeHead(status).end(JSON.stringify(body));
    };
    if (url === '/dir')
      send(200, { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` });
    else if (url === '/account') send(201, { status: 'valid' }, '/accounts/1');
    else if (url === '/order') {
      const authorizations = Array.from({ length: proofs }, (_, at) => `${base}/proof/${at}`);
      send(201, { status: 'pending', authorizations, finalize: `${base}/finalize` }, '/orders/1');
    } else send(200, { status: 'pending', challenges: [] });
  };
}

// It sends its answers byte by byte, endlessly.
function dripping(urls: string[], open: Set<ServerResponse>): RequestListener {
  return ({ url = '' }, res) => {
    urls.push(url);
    open.add(res.writeHead(200, { 'Content-Type': 'application/json' }));
    const drip = setInterval(() => res.write(' '), 50);
    res.once('close', () => {
      clearInterval(drip);
      open.delete(res);
    });
  };
}

const refuses: RequestListener = (_req, res) => void res.writeHead(400).end('{}');

test('odd and slow ACME servers', async (t) => {
  await using region = await startRegion();
  const providerOf = async (one: Region, server: string): Promise<string> =>
    (await made(one, '/providers', { name: 'its own', email, server: `${server}/dir` })).id;
  const ask = async (one: Region, provider: string, commonName: string): Promise<string> =>
    (await made(one, '/auto-certificates', { name: commonName, provider, commonName, keyAlgorithm: 'rsa2048' })).id;
  await addZone(region, 'own.example');

  await t.test(
    '[TOOLS-05] an order that wants more proofs than names is refused before any proof is requested',
    async () => {
      const urls: string[] = [];
      const provider = await providerOf(region, await serve(t, greedy(urls)));
      const { metadata } = await settled(region, await ask(region, provider, 'greedy.own.example'));
      assert.equal(metadata.message, `The ACME server says: it wants ${proofs} proofs for 1 names`);
      assert.ok(urls.includes('/order'));
      assert.ok(!urls.some((url) => url.startsWith('/proof')));
    },
  );

  await t.test("[TOOLS-05] a server can't make the region call other addresses, or show their answers", async () => {
    const secret = JSON.stringify({ error: 'secret', detail: 'secret', status: 'secret' });
    const serving = (answer: (base: string) => [status: number, headers: OutgoingHttpHeaders, body: string]) =>
      serve(t, ({ headers }, res) => {
        const [status, more, body] = answer(`http://${headers.host}`);
        res.writeHead(status, { 'Replay-Nonce': 'bm9uY2U', 'Content-Type': 'application/json', ...more }).end(body);
      });
    const metadataService = 'http://169.254.169.254/latest';
    const directory = (newNonce: string, newAccount: string) => JSON.stringify({ newNonce, newAccount });
    const answers = {
      'linked.own.example': await serving(() => [200, {}, directory(metadataService, metadataService)]),
      'redirected.own.example': await serving((base) => [302, { Location: `${base}/elsewhere` }, secret]),
      'secret.own.example': await serve(t, ({ url, headers }, res) => {
        const base = `http://${headers.host}`;
        res.setHeader('Replay-Nonce', 'bm9uY2U').setHeader('Content-Type', 'application/json');
        if (url === '/dir') res.end(directory(`${base}/nonce`, `${base}/account`));
        else res.writeHead(url === '/nonce' ? 200 : 403).end(secret);
      }),
    };
    const messages: string[] = [];
    for (const [name, server] of Object.entries(answers)) {
      const { metadata } = await settled(region, await ask(region, await providerOf(region, server), name));
      messages.push(String(metadata.message));
    }
    assert.deepEqual(messages, [
      `The ACME server can't be reached at ${metadataService}: Expected https: plain http is for servers on this machine`,
      'The ACME server says: it answers 302, and redirects are not followed',
      'The ACME server says: it answers 403',
    ]);
  });

  const [urls, open] = [[] as string[], new Set<ServerResponse>()];
  const isOpen = (): Promise<boolean> => until('the region asks the slow server', () => open.size > 0);
  const slow = await providerOf(region, await serve(t, dripping(urls, open)));

  await t.test('[TOOLS-05] a contract with a slow server delays no other contract', async () => {
    const other = region.as(await secondContract(region));
    await addZone(other, 'other.example');
    const quick = await providerOf(other, await serve(t, refuses));
    for (let count = 0; count < tries; count++) await ask(region, slow, `slow-${count}.own.example`);
    await isOpen();
    const { metadata } = await settled(other, await ask(other, quick, 'www.other.example'));
    assert.match(String(metadata.message), /^The ACME server says: /);
    assert.ok(urls.length < tries, 'the other contract had its turn before all orders of the slow server');
  });

  await t.test('[TOOLS-05] a slow server does not delay the stop of the region', async () => {
    await isOpen();
    assert.equal(await region.stop(), 0);
  });
});
