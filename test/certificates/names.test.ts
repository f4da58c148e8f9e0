// Certificates for names inside the zones of other contracts: `victim` has zones, and `other` asks for certificates.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { Tenant } from '../dns/tenant.ts';
import type { Region } from '../harness/region.ts';
import { assertYields, type MeteredRegion, startMetered } from '../harness/turns.ts';
import { secondContract } from '../sweep/api.ts';
import {
  authorityFor,
  callerOn,
  leafOf,
  letsEncrypt,
  made,
  moveClock,
  settled,
  untilCertificate,
} from './certificates.ts';

const server = 'ns.elsewhere.example';

suite('certificates for names of other contracts', () => {
  let metered: MeteredRegion;
  let region: Region;
  let victim: Tenant;
  let other: Tenant;
  const providers = new Map<Tenant, string>();
  before(async () => {
    metered = await startMetered();
    ({ region } = metered);
    victim = new Tenant(region);
    other = new Tenant(region.as(await secondContract(region)));
    const provider = { name: 'public', email: 'a@example.com', server: letsEncrypt };
    for (const one of [victim, other]) providers.set(one, (await made(one.region, '/providers', provider)).id);
  });
  after(() => region.stop());

  const valuesOf = (of: Tenant, [commonName, ...subjectAlternativeNames]: string[]): object => {
    const provider = providers.get(of);
    return { name: 'tried', provider, commonName, subjectAlternativeNames, keyAlgorithm: 'rsa2048' };
  };
  const refusal = async (of: Tenant, ...names: string[]): Promise<string> => {
    const { status, body } = await callerOn(of.region)('POST', '/auto-certificates', valuesOf(of, names));
    assert.equal(status, 409, `${names}: ${JSON.stringify(body)}`);
    return String(body.messages[0]?.message);
  };
  const issue = async (of: Tenant, ...names: string[]): Promise<void> => {
    const { id } = await made(of.region, '/auto-certificates', valuesOf(of, names));
    const { metadata } = await settled(of.region, id);
    assert.equal(metadata.state, 'AVAILABLE', `${names}: ${metadata.message}`);
  };

  test('[GEN-07] an auto-certificate for a name inside a zone of another contract is refused', async () => {
    await victim.addZone('victim.test');
    await other.addZone('other.test');
    const message = await refusal(other, 'www.victim.test');
    assert.match(
      message,
      /^The name www\.victim\.test is inside the zone victim\.test of another contract\. .*NS record/,
    );
    assert.ok(!message.includes(String(victim.region.contract)), message);
    await refusal(other, 'WWW.Victim.Test');
    await refusal(other, 'victim.test');
    await issue(victim, 'www.victim.test', '*.victim.test', 'victim.test');
  });

  test('[GEN-07] nor for one as an alternative name or a wildcard', async () => {
    await refusal(other, 'www.other.test', 'x.other.test', 'www.victim.test');
    await refusal(other, '*.victim.test');
    await refusal(other, '*.deep.victim.test');
    await refusal(other, 'www.other.test', '*.victim.test');
    await issue(other, 'www.other.test', '*.other.test');
  });

  test('[TOOLS-05] a delegated name can have a certificate of the contract that has its zone', async () => {
    const zone = await victim.addZone('gives.test');
    await victim.addRecord(zone, 'sub', 'NS', server);
    await other.addZone('sub.gives.test');
    await issue(other, 'www.sub.gives.test', '*.sub.gives.test', 'sub.gives.test');
    await refusal(other, 'www.gives.test');
    await refusal(victim, 'www.sub.gives.test');
    await issue(victim, '*.gives.test'); // it was there first, and delegates the name to the other contract
  });

  test('[GEN-07] a zone that is created above a zone of another contract gets no certificate for its names', async () => {
    const child = await victim.addZone('c.late.test');
    await other.addZone('late.test');
    await issue(other, 'www.late.test', 'late.test', '*.x.late.test');
    const names = ['c.late.test', 'www.c.late.test', '*.c.late.test'];
    for (const name of names) await refusal(other, name);
    assert.match(await refusal(other, '*.late.test'), /matches c\.late\.test, an older zone of another contract/);
    await victim.replace(child, { zoneName: 'c.late.test', enabled: false });
    for (const name of [...names, '*.late.test']) await refusal(other, name);
    await victim.remove(child);
    await issue(other, ...names, '*.late.test');
  });

  test('[GEN-07] nor for an auto-certificate that is older than the zone', async () => {
    const { id } = await made(other.region, '/auto-certificates', valuesOf(other, ['*.early.test']));
    assert.equal((await settled(other.region, id)).metadata.state, 'FAILED');
    await victim.addZone('c.early.test');
    await other.addZone('early.test');
    await moveClock(region, 0.1);
    const failed = await untilCertificate(other.region, id, ({ metadata }) =>
      String(metadata.message).includes('matches'),
    );
    assert.deepEqual([failed.metadata.state, failed.metadata.lastIssuedCertificate], ['FAILED', undefined]);
  });

  test('[GEN-05] a hundred names of a hundred labels do not block others', async () => {
    const zone = await victim.addZone('long.test');
    await victim.addRecord(zone, 'sub', 'NS', server);
    const names = Array.from({ length: 100 }, (_, at) => `n${at}.${'a.'.repeat(115)}sub.long.test`);
    const { id } = await made(other.region, '/auto-certificates', valuesOf(other, ['www.other.test'])); // loads modules
    await settled(other.region, id);
    await assertYields(metered, 'a certificate with long names', async () => {
      const auto = await made(other.region, '/auto-certificates', valuesOf(other, ['sub.long.test', ...names]));
      assert.equal((await settled(other.region, auto.id)).metadata.state, 'FAILED');
    });
  });

  test('[TOOLS-05] an own certificate can be uploaded for any name', async () => {
    const authority = await authorityFor('Anyone');
    const leaf = await leafOf(authority, ['www.victim.test', '*.victim.test']);
    const { id } = await made(other.region, '/certificates', {
      name: 'uploaded',
      certificate: leaf.certificate,
      certificateChain: authority.certificate,
      privateKey: leaf.key,
    });
    assert.equal((await callerOn(other.region)('GET', `/certificates/${id}`)).status, 200);
  });
});
