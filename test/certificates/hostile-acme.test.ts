// ACME servers that lie: certificates for other keys, proofs for other names, endless or invalid answers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startMetered } from '../harness/turns.ts';
import { addZone, authorityFor, callerOn, leafOf, made, settled } from './certificates.ts';

interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown; // a text or bytes are sent unchanged
}

type Answers = Partial<
  Record<'/dir' | '/account' | '/order' | '/proof' | '/finalize' | '/certificate', (base: string) => ScriptedAnswer>
>;

// An order that is ready at once; each test replaces some answers.
async function serve(answers: Answers, close: (() => void)[]): Promise<string> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const base = `http://${request.headers.host}`;
    const usual: Required<Answers> = {
      '/dir': () => ({ body: { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` } }),
      '/account': () => ({ status: 201, headers: { Location: `${base}/accounts/1` }, body: { status: 'valid' } }),
      '/order': () => ({ status: 201, headers: { Location: `${base}/orders/1` }, body: order(base, 'ready') }),
      '/proof': () => ({ body: { status: 'pending' } }),
      '/finalize': () => ({ body: order(base, 'valid') }),
      '/certificate': () => ({ body: 'none' }),
    };
    const path = (request.url ?? '') as keyof Answers;
    const { status = 200, headers = {}, body } = (answers[path] ?? usual[path] ?? (() => ({ body: {} })))(base);
    response.writeHead(status, { 'Replay-Nonce': 'bm9uY2U', 'Content-Type': 'application/json', ...headers });
    if (request.method === 'HEAD') response.end();
    else if (body instanceof ReadableStream) void flood(response);
    else response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  close.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/dir`;
}

const order = (base: string, status: string) => ({
  status,
  authorizations: [`${base}/proof`],
  finalize: `${base}/finalize`,
  certificate: `${base}/certificate`,
});

const endless = new ReadableStream();

async function flood(response: ServerResponse): Promise<void> {
  const part = Buffer.alloc(65_536, '[');
  while (!response.destroyed)
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
}

test('[TOOLS-05] answers of ACME servers are checked before they are used or shown', async (t) => {
  const metered = await startMetered();
  const { region } = metered;
  const close: (() => void)[] = [];
  t.after(async () => {
    await region.stop();
    for (const one of close) one();
  });
  await addZone(region, 'own.example');
  const authority = await authorityFor('hostile');
  const other = await leafOf(authority, ['www.own.example']);
  const padded = `${other.certificate}${authority.certificate.repeat(50)}`;
  const pending = (authorization: unknown): Answers => ({
    '/order': (base) => ({ status: 201, headers: { Location: `${base}/orders/1` }, body: order(base, 'pending') }),
    '/proof': () => ({ body: authorization }),
  });
  const cases: Record<string, [Answers, RegExp]> = {
    'the key of another certificate': [
      { '/certificate': () => ({ body: other.certificate }) },
      /its certificate is not acceptable: The key does not belong to the certificate/,
    ],
    'no certificate': [{ '/certificate': () => ({ body: 'none' }) }, /its certificate is not acceptable|says/],
    'a private key': [{ '/certificate': () => ({ body: other.key }) }, /its certificate is not acceptable|says/],
    'a chain of 50': [
      { '/certificate': () => ({ body: padded }) },
      /its certificate is not acceptable: Expected at most 10/,
    ],
    'an order without proofs': [
      { '/order': (base) => ({ status: 201, headers: { Location: `${base}/1` }, body: { status: 'pending' } }) },
      /its order has no list of proofs/,
    ],
    'a proof for another name': [
      pending({ status: 'pending', identifier: { type: 'dns', value: 'mail.own.example' }, challenges: [] }),
      /it wants a proof for a name that was not ordered/,
    ],
    'a proof for no name': [pending({ status: 'pending' }), /it wants a proof for a name that was not ordered/],
    'a proof that is null': [pending(null), /ACME server/],
    'proofs of no kind': [
      pending({ status: 'pending', identifier: { value: 'www.own.example' }, challenges: [null] }),
      /it names no ways to prove www\.own\.example/,
    ],
    'a link elsewhere': [
      { '/finalize': () => ({ body: order('https://169.254.169.254', 'valid') }) },
      /can't be reached at https:\/\/169\.254\.169\.254\/certificate: Expected the address of a server/,
    ],
    'an answer without an end': [{ '/dir': () => ({ body: endless }) }, /can not be reached/],
    'a compressed answer of 1 GB': [
      { '/dir': () => ({ headers: { 'Content-Encoding': 'gzip' }, body: bomb() }) },
      /can not be reached/,
    ],
    'headers of 1 MB': [
      { '/dir': () => ({ headers: { 'X-Long': 'x'.repeat(1_000_000) }, body: {} }) },
      /can not be reached/,
    ],
    'a directory of lists': [{ '/dir': () => ({ body: '['.repeat(250_000) }) }, /ACME server/],
    'a text that moves the cursor': [
      {
        '/account': () => ({
          status: 400,
          headers: { 'Content-Type': 'application/problem+json' },
          body: { type: 'urn:ietf:params:acme:error:malformed', detail: `\u001b[2Jgone\u202e${'x'.repeat(10_000)}` },
        }),
      },
      /^The ACME server says: {2}\[2Jgone x+$/,
    ],
    'a nonce that is always wrong': [
      {
        '/account': () => ({
          status: 400,
          headers: { 'Content-Type': 'application/problem+json' },
          body: { type: 'urn:ietf:params:acme:error:badNonce', detail: 'again' },
        }),
      },
      /^The ACME server says: again/,
    ],
  };
  const wrongName = await leafOf(authority, ['elsewhere.example']);
  cases['another name'] = [
    { '/certificate': () => ({ body: wrongName.certificate }) },
    /its certificate is not acceptable|not for www/,
  ];
  for (const [what, [answers, pattern]] of Object.entries(cases))
    await t.test(what, async () => {
      const { id: provider } = await made(region, '/providers', {
        name: 'hostile',
        email: 'admin@example.com',
        server: await serve(answers, close),
      });
      await metered.begin();
      const auto = { name: 'a', provider, commonName: 'www.own.example', keyAlgorithm: 'rsa2048' };
      const { metadata, id } = await settled(region, (await made(region, '/auto-certificates', auto)).id);
      assert.match(String(metadata.message), pattern);
      assert.ok(String(metadata.message).length <= 600);
      const { ms } = await metered.end();
      if (/without an end|1 GB|of lists/.test(what)) assert.ok(ms < 50, `it blocks the main thread for ${ms} ms`);
      const { body } = await callerOn(region)('GET', '/certificates');
      assert.deepEqual(body.items, []);
      await callerOn(region)('DELETE', `/auto-certificates/${id}`);
    });
});

const bomb = (): Buffer => {
  const part = gzipSync(Buffer.alloc(16 * 1024 * 1024, '['));
  return Buffer.concat(Array<Buffer>(64).fill(part));
};
