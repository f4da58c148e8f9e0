// Certificates by the name a client asks for.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, connect as dial } from 'node:net';
import { afterEach, test } from 'node:test';
import * as tls from 'node:tls';
import { type CertificatePair, createAuthority } from '../../base/certificate.ts';
import { createClock } from '../../base/clock.ts';
import { until } from '../../testing/waiting.ts';
import { namesIn } from './testing.ts';
import { createTlsContexts, type TlsContexts, type TlsContextsOptions } from './tls.ts';

const dayMs = 86_400_000;
const realTime = createClock().real;
const authority = await createAuthority({ commonName: 'Test authority', days: 3650, now: realTime });
const names = namesIn('ionos.com', 'cumulet.local');

function createShelf(pairs = new Map<string, CertificatePair>()) {
  const calls: string[] = [];
  const defaults: CertificatePair[] = []; // the default certificate is loaded at each start, apart from the others
  const keep: TlsContextsOptions['keep'] = {
    async load(suffix) {
      if (suffix === 'localhost') return defaults.at(-1);
      calls.push(`load ${suffix}`);
      return pairs.get(suffix);
    },
    async save(suffix, pair) {
      if (suffix === 'localhost') return void defaults.push(pair);
      calls.push(`save ${suffix}`);
      pairs.set(suffix, pair);
    },
  };
  return { pairs, defaults, calls, keep };
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(contexts: TlsContexts): Promise<number> {
  const server = createServer(contexts.options, (_request, response) => response.end('here'));
  contexts.attach(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

interface Shake extends tls.ConnectionOptions {
  port: number;
}

async function shake(options: Shake): Promise<{ certificate: X509Certificate; alpn: string | false | null }> {
  const socket = tls.connect({ host: '127.0.0.1', ca: authority.certificate, ...options });
  try {
    await once(socket, 'secureConnect');
    const certificate = socket.getPeerX509Certificate();
    assert.ok(certificate);
    return { certificate, alpn: socket.alpnProtocol };
  } finally {
    socket.on('error', () => {}).destroy();
  }
}

test('the first handshake of a suffix makes its certificate, and all of its siblings share it', async () => {
  const { keep, calls } = createShelf();
  const port = await serve(await createTlsContexts({ authority, now: realTime, names, keep }));
  assert.deepEqual(calls, []);
  const hosts = ['api.ionos.com', 's3.ionos.com', 'API.ionos.com'];
  const seen = await Promise.all(hosts.map((servername) => shake({ port, servername })));
  assert.equal(new Set(seen.map(({ certificate }) => certificate.fingerprint256)).size, 1);
  assert.deepEqual(calls, ['load ionos.com', 'save ionos.com']);
});

test('the deep names of pipelines and buckets are covered', async () => {
  const { keep, pairs } = createShelf();
  const port = await serve(await createTlsContexts({ authority, now: realTime, names, keep }));
  const hosts = [
    'monitoring.de-fra.ionos.com',
    'openai.inference.de-txl.ionos.com',
    '7-metrics.42.monitoring.de-fra.cumulet.local',
    'bucket.s3.eu-central-3.ionoscloud.com',
    'dotted.bucket.s3.eu-central-3.ionoscloud.com',
  ];
  for (const servername of hosts) await shake({ port, servername });
  assert.equal(pairs.size, hosts.length);
});

test('localhost, addresses, the own domain and no name at all get the default certificate', async () => {
  const { keep, calls } = createShelf();
  const hosts = ['cumulet.local', '10.1.2.3'];
  const port = await serve(await createTlsContexts({ authority, now: realTime, names, hosts, keep }));
  const named = await Promise.all(['localhost', 'cumulet.local'].map((servername) => shake({ port, servername })));
  const nameless = await shake({ port, checkServerIdentity: () => undefined, servername: '' });
  const byAddress = await shake({ port });
  const prints = [...named, nameless, byAddress].map(({ certificate }) => certificate.fingerprint256);
  assert.equal(new Set(prints).size, 1);
  const { certificate } = nameless;
  assert.ok(certificate.checkHost('x.cumulet.local'));
  for (const address of ['127.0.0.1', '::1', '10.1.2.3']) assert.ok(certificate.checkIP(address), address);
  assert.deepEqual(calls, []);
  await assert.rejects(shake({ port, servername: 'evil.example' }), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('the default certificate is stored too, and renewed for other names or before it expires', async () => {
  const { keep, defaults } = createShelf();
  let time = realTime();
  const start = async (hosts: string[]) =>
    serve(await createTlsContexts({ authority, now: () => time, names, hosts, keep }));
  await start(['10.1.2.3']);
  const port = await start(['10.1.2.3']);
  assert.equal(defaults.length, 1);
  await start(['10.1.2.4']);
  assert.equal(defaults.length, 2);
  time += 336 * dayMs;
  await shake({ port }); // the old one serves while the new one is made
  await until('the new certificate is made', () => defaults.length >= 3);
});

test('HTTP/1.1 is agreed on, and nothing else', async () => {
  const port = await serve(await createTlsContexts({ authority, now: realTime, names, keep: createShelf().keep }));
  const servername = 'api.ionos.com';
  assert.equal((await shake({ port, servername, ALPNProtocols: ['h2', 'http/1.1'] })).alpn, 'http/1.1');
  assert.equal((await shake({ port, servername })).alpn, false);
  await assert.rejects(shake({ port, servername, ALPNProtocols: ['h2'] }));
  await assert.rejects(shake({ port, servername, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }));
});

test('a kept certificate is used again, by a new process too, until 30 days are left', async () => {
  const shelf = createShelf();
  let time = realTime();
  const start = async () => serve(await createTlsContexts({ authority, now: () => time, names, keep: shelf.keep }));
  const print = async (port: number) => (await shake({ port, servername: 'api.ionos.com' })).certificate.fingerprint256;
  const port = await start();
  const first = await print(port);
  assert.equal(await print(await start()), first);
  time += 334 * dayMs;
  assert.equal(await print(port), first);
  time += 2 * dayMs;
  // The certificate of the future is not valid yet for this process's own clock.
  await assert.rejects(print(port), { code: 'CERT_NOT_YET_VALID' });
  const renewed = shelf.pairs.get('ionos.com');
  assert.ok(renewed);
  assert.notEqual(new X509Certificate(renewed.certificate).fingerprint256, first);
  assert.equal(shelf.calls.filter((call) => call.startsWith('save')).length, 2);
});

test('a stored certificate that does not match is replaced', async () => {
  const stranger = await createAuthority({ commonName: 'Test authority', days: 3650, now: realTime });
  const otherShelf = createShelf();
  const strange = await createTlsContexts({ authority: stranger, now: realTime, names, keep: otherShelf.keep });
  await strange.contextFor('api.ionos.com');
  const ofStranger = otherShelf.pairs.get('ionos.com');
  assert.ok(ofStranger);
  for (const pair of [ofStranger, { certificate: 'garbage', key: '' }]) {
    const shelf = createShelf(new Map([['ionos.com', pair]]));
    const port = await serve(await createTlsContexts({ authority, now: realTime, names, keep: shelf.keep }));
    await shake({ port, servername: 'api.ionos.com' });
    assert.deepEqual(shelf.calls, ['load ionos.com', 'save ionos.com']);
  }
});

test('a store that fails breaks one handshake, and the next one tries again', async () => {
  const shelf = createShelf();
  let broken = false;
  const load = (suffix: string) => (broken ? Promise.reject(new Error('disk')) : shelf.keep.load(suffix));
  const port = await serve(await createTlsContexts({ authority, now: realTime, names, keep: { ...shelf.keep, load } }));
  broken = true;
  await assert.rejects(shake({ port, servername: 'api.ionos.com' }));
  broken = false;
  await shake({ port, servername: 'api.ionos.com' });
});

test('a client that disconnects while its certificate is issued does no harm', async () => {
  const shelf = createShelf();
  const requested = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const load = async (suffix: string) => {
    if (suffix === 'localhost') return undefined;
    requested.resolve();
    await answer.promise;
    return undefined;
  };
  const port = await serve(await createTlsContexts({ authority, now: realTime, names, keep: { ...shelf.keep, load } }));
  const raw = dial(port, '127.0.0.1');
  const leaving = tls.connect({ socket: raw, servername: 'api.ionos.com' }).on('error', () => {});
  await requested.promise;
  raw.resetAndDestroy();
  leaving.destroy();
  answer.resolve();
  await shake({ port, servername: 'api.ionos.com' });
});

test('any number of names may be asked for, but only so many are kept', async () => {
  const { keep, pairs } = createShelf();
  const contexts = await createTlsContexts({ authority, now: realTime, names, keep });
  for (let at = 0; at < 300; at += 1) await contexts.contextFor(`x.b${at}.s3.eu-central-3.ionoscloud.com`);
  assert.equal(pairs.size, 256);
});
