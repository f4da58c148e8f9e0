// Certificates as others read them: Node, OpenSSL and real handshakes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as tls from 'node:tls';
import {
  type CertificatePair,
  createAuthority,
  createRequest,
  issueCertificate,
  type LeafRequest,
} from './certificate.ts';
import { createClock } from './clock.ts';

const now = createClock().real;
const dayMs = 86_400_000;
const authority = await createAuthority({ commonName: 'Test authority', days: 3650, now });
const other = await createAuthority({ commonName: 'Test authority', days: 3650, now });
const leaf = (request: Partial<LeafRequest> = {}): Promise<CertificatePair> =>
  issueCertificate(authority, { commonName: 'leaf', hosts: ['localhost'], days: 365, now, ...request });
const read = (pair: CertificatePair): X509Certificate => new X509Certificate(pair.certificate);

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'certificate-'));
});
after(() => rmSync(folder, { recursive: true }));

test('an authority is a CA that signs itself', () => {
  const root = read(authority);
  assert.equal(root.ca, true);
  assert.equal(root.subject, 'CN=Test authority');
  assert.ok(root.checkIssued(root) && root.verify(root.publicKey));
  assert.ok(root.checkPrivateKey(createPrivateKey(authority.key)));
});

test('a leaf is no CA, is signed by its authority and by no other of the same name', async () => {
  const certificate = read(await leaf());
  assert.equal(certificate.ca, false);
  assert.ok(certificate.checkIssued(read(authority)));
  assert.ok(certificate.verify(read(authority).publicKey));
  assert.equal(certificate.verify(read(other).publicKey), false);
  assert.equal(certificate.checkIssued(read(other)), false, 'the key id distinguishes the two');
});

test('hosts match as names, by one wildcard label and as addresses', async () => {
  const addresses = ['127.0.0.1', '::1', 'fe80::1:2', '1:2:3:4:5:6:7:8', '::ffff:192.0.2.1'];
  const names = ['api.example.com', '*.region.example.com', '*.bücher.example'];
  const certificate = read(await leaf({ hosts: [...names, ...addresses] }));
  for (const host of ['api.example.com', 'API.example.com', 'x.region.example.com', 'a.xn--bcher-kva.example']) {
    assert.ok(certificate.checkHost(host), host);
  }
  for (const host of ['region.example.com', 'a.b.region.example.com', 'leaf', 'example.com']) {
    assert.equal(certificate.checkHost(host), undefined, host);
  }
  for (const address of addresses) assert.ok(certificate.checkIP(address), address);
  assert.equal(certificate.checkIP('127.0.0.2'), undefined);
});

test('OpenSSL reads and verifies a request for a certificate', async () => {
  for (const keys of [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  ]) {
    const input = await createRequest(['www.example.com', '*.example.com'], keys);
    const args = ['req', '-inform', 'DER', '-noout', '-verify', '-text'];
    const { stdout, stderr, status } = spawnSync('openssl', args, { input, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /Subject: CN ?= ?www\.example\.com/);
    assert.match(stdout, /DNS:www\.example\.com, DNS:\*\.example\.com/);
  }
});

test('long lists of hosts fit', async () => {
  const hosts = Array.from({ length: 3000 }, (_, at) => `host-${at}.a-rather-long-name.example.com`);
  const certificate = read(await leaf({ hosts }));
  assert.ok(certificate.raw.length > 0x10000);
  assert.ok(certificate.checkHost(hosts.at(-1) ?? ''));
});

test('invalid host names are refused', async () => {
  for (const host of ['', 'a b', 'fe80::1%eth0', 'user@host']) await assert.rejects(leaf({ hosts: [host] }), TypeError);
});

test('purposes: server by default, client where asked, both where both', async () => {
  const serverAuth = '1.3.6.1.5.5.7.3.1';
  const clientAuth = '1.3.6.1.5.5.7.3.2';
  assert.deepEqual(read(await leaf()).keyUsage, [serverAuth]);
  assert.deepEqual(read(await leaf({ client: true, hosts: [] })).keyUsage, [clientAuth]);
  assert.deepEqual(read(await leaf({ client: true, server: true })).keyUsage, [serverAuth, clientAuth]);
});

test('a certificate begins a day back and ends after its days, beyond 2050 too', async () => {
  const at = Date.UTC(2026, 1, 28, 23, 59, 59);
  const dates = async (days: number): Promise<number[]> => {
    const certificate = read(await leaf({ days, now: () => at + 789 })); // whole seconds are all that RFC 5280 allows
    return [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  };
  assert.deepEqual(await dates(365), [at - dayMs, at + 365 * dayMs]);
  assert.deepEqual(await dates(20_000), [at - dayMs, at + 20_000 * dayMs]);
});

test('serial numbers are positive, of 128 bits and never the same', async () => {
  const serials = await Promise.all(Array.from({ length: 50 }, async () => read(await leaf()).serialNumber));
  assert.equal(new Set(serials).size, 50);
  for (const serial of serials) assert.match(serial, /^[0-9A-F]{26,32}$/);
});

test('names are UTF-8', async () => {
  const root = await createAuthority({ commonName: 'Prüfstelle 権威 🏛', days: 10, now });
  const made = await issueCertificate(root, { commonName: 'Jürgen, "Ω"', hosts: [], days: 5, now, client: true });
  assert.ok(read(made).checkIssued(read(root)));
  assert.equal(read(made).toLegacyObject().subject.CN, 'Jürgen, "Ω"');
  assert.equal(read(made).toLegacyObject().issuer.CN, 'Prüfstelle 権威 🏛');
});

const openssl = (...args: string[]) => spawnSync('openssl', args, { encoding: 'utf8' });
const without = openssl('version').status === 0 ? false : 'openssl is not installed';

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('openssl accepts a leaf by the strict rules and refuses one of another authority', { skip: without }, async () => {
  const root = file('root.pem', authority.certificate);
  const stranger = file('stranger.pem', other.certificate);
  const made = file('leaf.pem', (await leaf({ client: true, server: true })).certificate);
  for (const purpose of ['sslserver', 'sslclient']) {
    const accepted = openssl('verify', '-x509_strict', '-purpose', purpose, '-CAfile', root, made);
    assert.equal(accepted.status, 0, accepted.stderr);
  }
  assert.notEqual(openssl('verify', '-CAfile', stranger, made).status, 0);
  const text = openssl('x509', '-in', root, '-noout', '-text').stdout;
  assert.match(text, /CA:TRUE[\s\S]*Certificate Sign, CRL Sign[\s\S]*Subject Key Identifier/);
});

test('an authority of some domains is accepted for these and for addresses, and for nothing else', {
  skip: without,
}, async () => {
  const domains = [
    'localhost',
    'cloud.example',
    'bücher.example',
    ...Array.from({ length: 40 }, (_, at) => `d${at}.example`),
  ];
  const bound = await createAuthority({ commonName: 'Bound', days: 30, now }, domains);
  const root = file('bound.pem', bound.certificate);
  const verified = async (...hosts: string[]): Promise<boolean> => {
    const { certificate } = await issueCertificate(bound, { commonName: 'leaf', hosts, days: 5, now });
    const { status, stdout, stderr } = openssl(
      'verify',
      '-x509_strict',
      '-CAfile',
      root,
      file('bound-leaf.pem', certificate),
    );
    if (status !== 0) assert.match(stdout + stderr, /permitted subtree violation/);
    return status === 0;
  };
  assert.ok(await verified('localhost', '127.0.0.1', '::1', '10.1.2.3'));
  assert.ok(await verified('cloud.example', '*.cloud.example', 'a.b.cloud.example', '*.bücher.example', 'd39.example'));
  assert.equal(await verified('cloud.example', 'other.example'), false);
  assert.equal(await verified('notcloud.example'), false);
  assert.equal(await verified('*.example'), false);
  assert.match(
    openssl('x509', '-in', root, '-noout', '-text').stdout,
    /Name Constraints: critical\s+Permitted:\s+DNS:localhost/,
  );
});

test('an authority that openssl created, with another key id, issues as well', { skip: without }, async () => {
  const [key, root] = [join(folder, 'foreign.key'), join(folder, 'foreign.pem')];
  const sections = ['[req]', 'distinguished_name=name', 'x509_extensions=ca', '[name]', '[ca]'];
  const extensions = [
    'basicConstraints=critical,CA:TRUE',
    'keyUsage=critical,keyCertSign',
    'subjectKeyIdentifier=010203',
  ];
  const made = openssl(
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
    ...['-config', file('foreign.cnf', [...sections, ...extensions, ''].join('\n'))],
    ...['-subj', '/C=DE/O=Example/CN=Root', '-keyout', key, '-out', root],
  );
  assert.equal(made.status, 0, made.stderr);
  const foreign = { certificate: openssl('x509', '-in', root).stdout, key: openssl('pkey', '-in', key).stdout };
  const { certificate } = await issueCertificate(foreign, { commonName: 'x', hosts: ['x.example'], days: 5, now });
  const verified = openssl('verify', '-x509_strict', '-CAfile', root, file('of-foreign.pem', certificate));
  assert.equal(verified.status, 0, verified.stderr);
});

async function handshake(server: tls.TlsOptions, client: tls.ConnectionOptions) {
  const listener = tls.createServer({ ...server, minVersion: 'TLSv1.3' }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const failed = once(listener, 'tlsClientError').then(([error]) => Promise.reject(error));
  const socket = tls.connect({ host: '127.0.0.1', port, servername: 'localhost', ...client });
  try {
    const accepted = Promise.race([once(listener, 'secureConnection'), failed]);
    const [[accept]] = await Promise.all([accepted, once(socket, 'secureConnect')]);
    const peer = accept as tls.TLSSocket;
    const seen = { protocol: socket.getProtocol(), client: peer.getPeerCertificate().subject?.CN };
    peer.destroy();
    return seen;
  } finally {
    socket.on('error', () => {}).destroy();
    listener.close();
  }
}

const tlsOptions = (pair: CertificatePair) => ({ cert: pair.certificate, key: pair.key });

test('TLS 1.3: the client accepts the leaf, and not that of another authority', async () => {
  const server = tlsOptions(await leaf());
  const seen = await handshake(server, { ca: authority.certificate });
  assert.equal(seen.protocol, 'TLSv1.3');
  await assert.rejects(handshake(server, { ca: other.certificate }));
  await assert.rejects(handshake(server, { ca: authority.certificate, servername: 'elsewhere' }));
});

test('mutual TLS 1.3: the server reads the name of the client and refuses a stranger', async () => {
  const server = {
    ...tlsOptions(await leaf()),
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  };
  const ca = authority.certificate;
  const user = await leaf({ commonName: 'user1', hosts: [], client: true });
  assert.equal((await handshake(server, { ca, ...tlsOptions(user) })).client, 'user1');
  const stranger = await issueCertificate(other, { commonName: 'user1', hosts: [], days: 365, now, client: true });
  await assert.rejects(handshake(server, { ca, ...tlsOptions(stranger) }));
  await assert.rejects(
    handshake(server, { ca, ...tlsOptions(await leaf()) }),
    'a server certificate is not a client certificate',
  );
  await assert.rejects(handshake(server, { ca }));
});
