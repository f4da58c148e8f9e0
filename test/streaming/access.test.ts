// Which clients the brokers of a region accept, and what `cumulet streaming access` writes for clients.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import type { Reached } from '../../src/testing/kafkajs.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { filesBelow } from '../harness/secrets-search.ts';
import { addCluster, clusters, reach, untilState } from './clusters.ts';

const has = (program: string, ...words: string[]): boolean => spawnSync(program, words).error === undefined;
const kcat = process.env.CUMULET_KCAT ?? 'kcat';

describe('access to brokers', () => {
  let region: Region;
  let cluster: ResourceBody;
  let reached: Reached;
  let other: Reached;
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-access-'));
  before(async () => {
    region = await startRegion();
    cluster = await addCluster(region, { name: 'orders' });
    reached = await reach(region, cluster);
    other = await reach(region, await addCluster(region, { name: 'other' }));
  });
  after(async () => {
    await region.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  // A request of the Kafka protocol: ApiVersions (key 18), version 0, correlation id 5, client id 'x'.
  const hello = (): Buffer => Buffer.from('0000000b0012000000000005000178', 'hex');
  // Returns the correlation id of the answer; undefined if the connection ended without one.
  const ask = (socket: TLSSocket): Promise<number | undefined> =>
    new Promise((resolve) => {
      socket.once('data', (bytes: Buffer) => resolve(bytes.readInt32BE(4)));
      socket.once('error', () => resolve(undefined));
      socket.once('close', () => resolve(undefined));
      socket.write(hello());
    });
  const place = (): { host: string; port: number } => {
    const [host = '', port] = (reached.addresses[0] ?? '').split(':');
    return { host, port: Number(port) };
  };
  const dial = (pair?: { certificate: string; key: string }): TLSSocket =>
    connect({
      ...place(),
      ca: reached.certificates.authority,
      ...(pair && { cert: pair.certificate, key: pair.key }),
    });

  it('[STREAM-05] accepts clients with a certificate of the cluster, and proves its own name', async () => {
    const socket = dial(reached.certificates.client); // also checks the host name
    assert.equal(await ask(socket), 5);
    assert.ok(socket.authorized);
    socket.destroy();
  });

  it('[STREAM-05] refuses clients without a certificate, with one of another cluster, and plain text', async () => {
    assert.equal(await ask(dial()), undefined);
    assert.equal(await ask(dial(other.certificates.client)), undefined);
    const plain = connectPlain(place());
    const received: Buffer[] = [];
    plain.on('data', (bytes: Buffer) => received.push(bytes));
    plain.write(hello());
    await new Promise((resolve) => plain.once('close', resolve).once('error', resolve));
    const [first = Buffer.alloc(0)] = received;
    assert.notEqual(first.length >= 8 ? first.readInt32BE(4) : -1, 5);
    const { body } = await region.call<string>('GET', '/metrics', undefined, { token: null });
    assert.match(body, /cumulet_streaming_refused_handshakes_total [3-9]/);
  });

  it('[STREAM-04] keeps private keys sealed: no file and no line of the log has one', async () => {
    const { key } = reached.certificates.client;
    const lines = key.split('\n').filter((line) => line.length > 40 && !line.startsWith('-----'));
    assert.ok(lines.length > 0);
    const leaks = filesBelow(region.data).filter((file) => lines.some((line) => readFileSync(file).includes(line)));
    assert.deepEqual(leaks, []);
    assert.ok(!lines.some((line) => region.log().includes(line)));
    assert.ok(!filesBelow(region.data).some((file) => readFileSync(file).includes('BEGIN PRIVATE KEY')));
  });

  it('[STREAM-05] reports to openssl that a certificate is required', {
    skip: !has('openssl', 'version') && 'openssl is not installed',
  }, () => {
    const { host, port } = place();
    const handshake = spawnSync('openssl', ['s_client', '-connect', `${host}:${port}`, '-ign_eof', '-brief'], {
      input: '',
      encoding: 'utf8',
      timeout: 10_000,
    });
    assert.match(handshake.stderr, /certificate required/);
  });

  it('[STREAM-04] `streaming access --write` writes files that only the user can read', async () => {
    const to = join(folder, 'orders');
    const { stdout } = await cumulet(['streaming', 'access', 'orders', '--write', to, '--json', '--data', region.data]);
    const report = JSON.parse(stdout) as { files: string[]; password: string; brokers: string[] };
    assert.deepEqual(report.brokers, reached.addresses);
    assert.deepEqual(readdirSync(to).sort(), report.files.toSorted());
    for (const name of report.files) assert.equal(statSync(join(to, name)).mode & 0o777, 0o600, name);
    const read = (name: string): string => readFileSync(join(to, name), 'utf8');
    assert.equal(await ask(dial({ certificate: read('cert.pem'), key: read('key.pem') })), 5);
    const { pfx, passphrase } = { pfx: readFileSync(join(to, 'keystore.p12')), passphrase: report.password };
    const socket = connect({ ...place(), ca: read('ca.pem'), pfx, passphrase });
    assert.equal(await ask(socket), 5);
    socket.destroy();
    assert.match(read('client.properties'), /^security.protocol=SSL$/m);
    if (!has(kcat, '-V')) return;
    const listed = spawnSync(kcat, ['-F', join(to, 'kcat.conf'), '-L'], { encoding: 'utf8' });
    assert.match(listed.stdout, /3 brokers/, listed.stderr);
  });

  it('[STREAM-04] `streaming access` reports a cluster that is not ready or has failed, or waits for it', async () => {
    const access = (...words: string[]) => cumulet(['streaming', 'access', ...words, '--data', region.data]);
    const plant = (mode: string) =>
      region.call('PUT', '/lab/faults', {
        faults: [{ kind: 'cluster', step: 'create.start', mode, message: 'no brokers today' }],
      });
    const post = (name: string) => region.call('POST', clusters, { properties: { name, size: 'S' } });
    await plant('stall');
    const late = await post('late');
    const unready = await access('late');
    assert.equal(unready.code, 2);
    assert.match(unready.stderr, /Cluster late is DEPLOYING: its brokers do not answer yet\. Pass --wait/);
    const waiting = access('late', '--wait');
    await region.call('PUT', '/lab/faults', { faults: [] });
    const waited = await waiting;
    assert.equal(waited.code, 0, waited.stderr);
    assert.match(waited.stdout, /^brokers 127/);
    await plant('fail');
    const failed = await post('failed');
    await untilState(region, `${clusters}/${failed.body.id}`, 'FAILED');
    const refused = await access('failed', '--wait');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /Cluster failed is FAILED: no brokers today/);
    for (const { body } of [late, failed]) await region.call('DELETE', `${clusters}/${body.id}`);
  });

  it('[STREAM-04] Java reads the key store', { skip: !has('keytool', '-help') && 'keytool is not installed' }, () => {
    const to = join(folder, 'orders');
    const password = /ssl.keystore.password=(.*)/.exec(readFileSync(join(to, 'client.properties'), 'utf8'))?.[1] ?? '';
    const list = ['-list', '-keystore', join(to, 'keystore.p12'), '-storetype', 'PKCS12', '-storepass', password];
    assert.match(spawnSync('keytool', list, { encoding: 'utf8' }).stdout, /admin, .*PrivateKeyEntry/);
  });
});
