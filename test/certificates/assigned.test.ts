// Certificates of the certificate manager that the operator assigns to the hosts of S3 and to the log listener.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { after, before, suite, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { CertificatePair } from '../../src/testing/black-box/certificates.ts';
import { until } from '../../src/testing/waiting.ts';
import { forwardPlace, openForward } from '../harness/forward.ts';
import { addLogPipeline, logPipelines, searchAt, stream } from '../harness/logs.ts';
import { startNodes } from '../harness/nodes.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { leaksBelow, Secrets } from '../harness/secrets-search.ts';
import { secondContract } from '../sweep/world.ts';
import {
  addZone,
  authorityFor,
  callerOn,
  leafOf,
  letsEncrypt,
  made,
  moveClock,
  settled,
  untilCertificate,
} from './certificates.ts';

const domain = 'cloud.example';
const s3Host = `s3.eu-central-3.${domain}`;
const logHost = (contract: number, number: number): string => `${number}-logs.${contract}.logging.de-txl.${domain}`;

interface Place {
  host: string;
  port: number;
}

const secure = (region: Region): Place => ({ host: '127.0.0.1', port: Number(new URL(region.https).port) });

async function dial(place: Place, servername: string): Promise<TLSSocket> {
  const socket = connect({ ...place, servername, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

// The serial number of the certificate that is presented to a client that asks for this name.
async function serialAt(place: Place, servername: string): Promise<string> {
  const socket = await dial(place, servername);
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

const issuerAt = async (place: Place, servername: string): Promise<string> => {
  const socket = await dial(place, servername);
  const { CN } = socket.getPeerCertificate().issuer;
  socket.destroy();
  return String(CN);
};

async function command<T>(region: Region, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await cumulet(['certificate', ...args, '--json', '--data', region.data]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}

const upload = (region: Region, authority: CertificatePair, leaf: CertificatePair): Promise<ResourceBody> =>
  made(region, '/certificates', {
    name: 'assigned',
    certificate: leaf.certificate,
    certificateChain: authority.certificate,
    privateKey: leaf.key,
  });

async function removed(region: Region, path: string): Promise<void> {
  assert.equal((await callerOn(region)('DELETE', path)).status, 202);
  await until(
    `${path} is deleted`,
    () => callerOn(region)('GET', path),
    ({ status }) => status === 404,
  );
}

suite('assigned certificates', () => {
  let region: Region;
  let authority: CertificatePair;
  before(async () => {
    [region, authority] = await Promise.all([startRegion({ args: ['--domain', domain] }), authorityFor('Company CA')]);
  });
  after(() => region.stop());

  test('[OBJ-01] S3 presents the assigned certificate for its hosts, also after a restart, and others keep theirs', async () => {
    const others = [`api.${domain}`, `dns.de-fra.${domain}`, domain, 'localhost', logHost(region.contract, 1)];
    const leaf = await leafOf(authority, [s3Host, `*.${s3Host}`, 'files.example.org', ...others]);
    const { id } = await upload(region, authority, leaf);
    assert.notEqual(await issuerAt(secure(region), s3Host), 'Company CA', 'only an assignment changes something');
    const assigned = await command<{ state: string; to: string }>(region, 'assign', id, '--to', 's3');
    assert.partialDeepStrictEqual(assigned, { id, to: 's3', contract: region.contract, state: 'PRESENTED' });
    const presented = async (): Promise<void> => {
      for (const host of [s3Host, s3Host.toUpperCase(), `some-bucket.${s3Host}`, 'files.example.org'])
        assert.equal(await issuerAt(secure(region), host), 'Company CA', host);
      for (const host of [
        ...others,
        '',
        `s3.eu-central-4.${domain}`,
        's3.eu-central-3.ionoscloud.com',
        'b.example.org',
      ])
        assert.notEqual(await issuerAt(secure(region), host), 'Company CA', host);
      assert.notEqual(await issuerAt(forwardPlace(region), logHost(region.contract, 1)), 'Company CA');
    };
    await presented();

    // A client that trusts only the other CA.
    const key = await makeStorageKey(region);
    const exchange = async (host: string): Promise<void> => {
      const { port } = secure(region);
      const lookup = (_: unknown, __: unknown, done: (error: null, all: object[]) => void): void =>
        done(null, [{ address: '127.0.0.1', family: 4 }]);
      const httpsAgent = new Agent({ ca: authority.certificate, lookup: lookup as never });
      const s3 = s3Client(region, key, { endpoint: `https://${host}:${port}`, requestHandler: { httpsAgent } });
      const Bucket = 'assigned-certificates';
      await s3.send(new CreateBucketCommand({ Bucket })).catch((error: Error) => {
        if (error.name !== 'BucketAlreadyOwnedByYou') throw error;
      });
      await s3.send(new PutObjectCommand({ Bucket, Key: host, Body: 'content' }));
      const got = await s3.send(new GetObjectCommand({ Bucket, Key: host }));
      assert.equal(await got.Body?.transformToString(), 'content');
      s3.destroy();
    };
    await exchange(s3Host);
    await exchange('files.example.org');

    await region.restart();
    await presented();
    const { certificates } = await command<{ certificates: object[] }>(region, 'list');
    assert.partialDeepStrictEqual(certificates, [{ id, to: 's3', state: 'PRESENTED' }]);
    assert.deepEqual(await command(region, 'unassign', id), { unassigned: ['s3'] });
    assert.notEqual(await issuerAt(secure(region), s3Host), 'Company CA', 'the own certificate again');
    await exchangeFails(exchange(s3Host));
  });

  const exchangeFails = (exchange: Promise<void>): Promise<void> =>
    assert.rejects(exchange, { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });

  test('[LOG-06] renewals of an auto-certificate reach new connections to both listeners, and open ones stay open', async () => {
    await addZone(region, domain);
    const pipeline = await addLogPipeline(region, [stream('app'), stream('agent', { protocol: 'tcp' })]);
    const number = Number(String(pipeline.shown.properties.httpAddress).match(/\/\/(\d+)-/)?.[1]);
    const host = logHost(region.contract, number);
    const { id: provider } = await made(region, '/providers', {
      name: 'public',
      email: 'a@example.com',
      server: letsEncrypt,
    });
    const auto = await made(region, '/auto-certificates', {
      name: 'both',
      provider,
      commonName: s3Host,
      subjectAlternativeNames: [host],
      keyAlgorithm: 'rsa2048',
    });
    const first = await settled(region, auto.id);
    for (const to of ['s3', 'logs']) await command(region, 'assign', auto.id, '--to', to);
    const certificate = async (id: unknown): Promise<ResourceBody> =>
      (await callerOn(region)('GET', `/certificates/${id}`)).body;
    const old = await certificate(first.metadata.lastIssuedCertificate);
    const ca = String(old.properties.certificateChain);
    const serials = (): Promise<string[]> =>
      Promise.all([serialAt(secure(region), s3Host), serialAt(forwardPlace(region), host)]);
    const both = (serial: unknown): string[] => [String(serial), String(serial)];
    assert.deepEqual(await serials(), both(old.metadata.serialNumber));

    const agent = await openForward(region, pipeline, { servername: host, ca });
    const kept = await dial(secure(region), s3Host);
    await moveClock(region, 61);
    const renewed = await untilCertificate(
      region,
      auto.id,
      ({ metadata }) => metadata.lastIssuedCertificate !== old.id,
    );
    const fresh = await certificate(renewed.metadata.lastIssuedCertificate);
    assert.deepEqual(await serials(), both(fresh.metadata.serialNumber), 'at once');
    const seconds = Math.floor((Date.now() + 61 * 86_400_000) / 1000);
    await agent.sendAcked(['agent', seconds, { text: 'renewed' }], 'Y2h1bms=');
    agent.close();
    assert.equal((await searchAt(region, `${logPipelines}/${pipeline.id}`, '{tag="agent"} |= "renewed"')).length, 1);
    kept.write(`GET / HTTP/1.1\r\nHost: ${s3Host}\r\nConnection: close\r\n\r\n`);
    assert.match(String((await once(kept, 'data'))[0]), /^HTTP\/1\.1 \d/);
    kept.destroy();
    const agent2 = await openForward(region, pipeline, { servername: host, ca });
    agent2.close();

    await removed(region, `/certificates/${old.id}`);
    assert.deepEqual(await serials(), both(fresh.metadata.serialNumber), 'the earlier one is not needed');
    await removed(region, `/auto-certificates/${auto.id}`);
    const own = await serials();
    assert.ok(!own.includes(String(fresh.metadata.serialNumber)), 'a deleted one is not presented');
    assert.equal((await command<{ certificates: object[] }>(region, 'list')).certificates.length, 0);
  });

  test('another contract can neither read nor replace an assigned certificate; the newest assignment wins', async () => {
    const leaf = await leafOf(authority, [s3Host]);
    const { id } = await upload(region, authority, leaf);
    await command(region, 'assign', id, '--to', 's3');
    const serial = await serialAt(secure(region), s3Host);
    const other = region.as(await secondContract(region));
    const path = `/certificates/${id}`;
    for (const method of ['GET', 'DELETE']) assert.equal((await callerOn(other)(method, path)).status, 404, method);
    assert.equal((await callerOn(other)('PATCH', path, { name: 'taken' })).status, 404);
    const stranger = await authorityFor('Strange CA');
    await upload(other, stranger, await leafOf(stranger, [s3Host]));
    assert.equal(await serialAt(secure(region), s3Host), serial, 'uploads are not presented');

    const next = await upload(region, authority, await leafOf(authority, [s3Host]));
    await command(region, 'assign', next.id, '--to', 's3');
    const nextSerial = await serialAt(secure(region), s3Host);
    assert.notEqual(nextSerial, serial);
    await removed(region, `/certificates/${next.id}`);
    assert.equal(await serialAt(secure(region), s3Host), serial, 'the earlier one remains');
    await removed(region, path);
    assert.notEqual(await issuerAt(secure(region), s3Host), 'Company CA');
  });

  test('what can not be presented is refused with the reason', async () => {
    const run = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await cumulet(['certificate', ...args, '--data', region.data]);
      assert.equal(code, 2);
      return stderr;
    };
    const { id } = await upload(region, authority, await leafOf(authority, [s3Host], -1));
    assert.match(await run('assign', id, '--to', 's3'), /can't be presented, because it has expired/);
    assert.match(await run('assign', id, '--to', 'dns'), /Unknown target 'dns'.* logs, s3\./);
    assert.match(await run('assign', id), /--to is missing/);
    assert.match(
      await run('assign', crypto.randomUUID(), '--to', 's3'),
      /No certificate or auto-certificate has the id/,
    );
    assert.match(await run('unassign', id), /is not assigned/);
    assert.match(await run('assign'), /Name the id of a certificate/);
  });

  test('the private key is sealed in the state, and in no answer or log', async () => {
    const leaf = await leafOf(authority, [s3Host]);
    const { id } = await upload(region, authority, leaf);
    const secrets = new Secrets();
    secrets.know('the key', leaf.key.split('\n')[1] ?? '');
    for (const line of [await command(region, 'assign', id, '--to', 's3'), await command(region, 'list')])
      assert.deepEqual(secrets.foundIn(JSON.stringify(line)), []);
    assert.equal(await issuerAt(secure(region), s3Host), 'Company CA');
    assert.deepEqual([...secrets.foundIn(region.log()), ...leaksBelow(region.data, secrets)], []);
  });
});

test('[OBJ-01] every node presents an assigned certificate, until it is unassigned at any of them', async () => {
  await using nodes = await startNodes(2, ['--domain', domain]);
  const [first, second] = nodes.all as [Region, Region];
  const authority = await authorityFor('Company CA');
  const { id } = await upload(first, authority, await leafOf(authority, [s3Host]));
  assert.notEqual(await issuerAt(secure(second), s3Host), 'Company CA');
  await command(first, 'assign', id, '--to', 's3');
  for (const region of [first, second])
    await until(
      'the node presents it',
      () => issuerAt(secure(region), s3Host),
      (issuer) => issuer === 'Company CA',
    );
  await command(second, 'unassign', id);
  for (const region of [first, second])
    await until(
      'the node presents its own',
      () => issuerAt(secure(region), s3Host),
      (issuer) => issuer !== 'Company CA',
    );
});
