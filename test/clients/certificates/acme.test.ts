// Auto-certificates by an ACME server: Pebble looks proofs up at the region's own name server. OpenSSL verifies the
// certificates of both CAs.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../../src/testing/waiting.ts';
import {
  addZone,
  callerOn,
  letsEncrypt,
  made,
  moveClock,
  settled,
  untilCertificate,
} from '../../certificates/certificates.ts';
import { type Region, type ResourceBody, startRegion } from '../../harness/region.ts';
import { mustRun, workFolder } from '../run.ts';
import { type Pebble, preparePebble, startPebble } from './pebble.ts';
import { openssl, pebble } from './programs.ts';

const email = 'admin@example.com';

test('certificates by ACME', async (t) => {
  const program = await pebble();
  if (!program.path) return t.skip(program.skip);
  const host = await preparePebble(t);
  const region = await startRegion({ args: ['--acme-ca', host.caFile, '--dns-port', String(host.dnsPort)] });
  t.after(() => region.stop());
  const server = await startPebble(t, program.path, host);
  const zone = await addZone(region, 'acme.example');
  const { id: provider } = await made(region, '/providers', { name: 'pebble', email, server: server.directory });
  const ask = (commonName: string, more: object = {}): Promise<ResourceBody> =>
    made(region, '/auto-certificates', { name: commonName, provider, commonName, keyAlgorithm: 'rsa2048', ...more });
  const count = async ({ id }: ResourceBody): Promise<number> =>
    (await callerOn(region)('GET', `/certificates?filter.autoCertificate=${id}`)).body.items.length;
  const challenges = async (): Promise<unknown[]> =>
    (await region.call('GET', `/dns/zones/${zone}/records`)).body.items;

  await t.test('[TOOLS-05] names, wildcards too, are proven by records that are deleted afterwards', async (inner) => {
    const names = ['*.acme.example', 'acme.example'];
    const auto = await settled(region, (await ask('www.acme.example', { subjectAlternativeNames: names })).id);
    assert.equal(auto.metadata.state, 'AVAILABLE', String(auto.metadata.message));
    assert.deepEqual(await challenges(), []);
    assert.equal(await count(auto), 1);
    await verify(inner, region, auto, await rootOf(server, host.caFile));
  });

  await t.test('[TOOLS-05] it is renewed once when the clock was moved', async () => {
    const auto = await settled(region, (await ask('renewed.acme.example')).id);
    const first = auto.metadata.lastIssuedCertificate;
    await moveClock(region, 61);
    await untilCertificate(region, auto.id, ({ metadata }) => metadata.lastIssuedCertificate !== first);
    await moveClock(region, 1);
    assert.equal(await count(auto), 2);
  });

  await t.test('[TOOLS-05] an order continues after a crash: one certificate, and no record remains', async () => {
    // Killed as soon as the proof is published, in the middle of the order.
    const auto = await ask('crashed.acme.example');
    await until(
      'the proof is published',
      async () => (await challenges()).length > 0 || (await settledNow(region, auto)) !== 'PROVISIONING',
      undefined,
      { everyMs: 2 }, // it is there for a moment
    );
    await region.kill();
    await region.start();
    const after = await settled(region, auto.id);
    assert.equal(after.metadata.state, 'AVAILABLE', String(after.metadata.message));
    assert.deepEqual(await challenges(), []);
    assert.equal(await count(auto), 1);
  });

  await t.test('[TOOLS-05] refusals of the server, and its absence, are reported', async () => {
    const refused = await settled(region, (await ask('blocked-domain.example')).id);
    assert.match(String(refused.metadata.message), /in no enabled DNS zone/);
    const nowhere = { name: 'nowhere', email, server: 'https://127.0.0.1:1/dir' };
    const { id } = await made(region, '/providers', nowhere);
    const absent = await settled(region, (await ask('x.acme.example', { provider: id })).id);
    assert.equal(absent.metadata.state, 'FAILED');
    assert.match(String(absent.metadata.message), /^The ACME server can not be reached.*ECONNREFUSED/);
    const wrong = { name: 'wrong', email, server: `${server.directory}/nothing` };
    const stranger = await made(region, '/providers', wrong);
    const lost = await settled(region, (await ask('y.acme.example', { provider: stranger.id })).id);
    assert.match(String(lost.metadata.message), /^The ACME server says: /);
  });

  await t.test("[TOOLS-05] OpenSSL agrees with certificates of the region's own CA", async (inner) => {
    const own = await made(region, '/providers', { name: 'own', email, server: letsEncrypt });
    const auto = await settled(region, (await ask('own.acme.example', { provider: own.id })).id);
    await verify(inner, region, auto);
  });
});

const settledNow = async (region: Region, { id }: ResourceBody): Promise<unknown> =>
  (await callerOn(region)('GET', `/auto-certificates/${id}`)).body.metadata.state;

// `root`: PEM; absent: the last of the chain.
async function verify(t: TestContext, region: Region, auto: ResourceBody, root?: string): Promise<void> {
  const program = await openssl();
  if (!program.path) return t.skip(program.skip);
  const { body } = await callerOn(region)('GET', `/certificates/${auto.metadata.lastIssuedCertificate}`);
  const { certificate, certificateChain } = body.properties as Record<string, string>;
  const folder = workFolder(t);
  const file = (name: string, text = ''): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [chain, leaf] = [file('chain.pem', certificateChain), file('leaf.pem', certificate)];
  const trusted = root === undefined ? chain : file('root.pem', root);
  const command = [
    program.path,
    'verify',
    '-purpose',
    'sslserver',
    '-verify_hostname',
    String(auto.properties.commonName),
  ];
  const { stdout } = await mustRun([...command, '-CAfile', trusted, '-untrusted', chain, leaf]);
  assert.match(stdout, /: OK/);
}

async function rootOf({ rootAddress }: Pebble, caFile: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(rootAddress, { ca: readFileSync(caFile) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
}
