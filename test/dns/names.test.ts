// Names inside the zones of other contracts: `victim` has zones, and `other` tries to get their names.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import dnsPacket from 'dns-packet';
import { until } from '../../src/testing/waiting.ts';
import { core } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';
import { stateFor } from '../harness/states.ts';
import { secondContract } from '../sweep/api.ts';
import { ask, askByTcp, dataOf, portOf, queryOf } from './query.ts';
import { Tenant } from './tenant.ts';

const nowhere = ['127.0.0.1:1'];
const good = '192.0.2.7';
const bad = '203.0.113.66';
const server = 'ns.elsewhere.example';

suite('names of other contracts', () => {
  let region: Region;
  let port: number;
  let victim: Tenant;
  let other: Tenant;
  before(async () => {
    region = await startRegion({ args: ['--dns-peers', '127.0.0.1'] });
    port = portOf(region);
    victim = new Tenant(region);
    other = new Tenant(region.as(await secondContract(region)));
  });
  after(() => region.stop());

  const addresses = async (name: string): Promise<unknown[]> => dataOf(await ask(port, name, 'A'));
  const codeOf = async (name: string, type = 'A'): Promise<string> => (await ask(port, name, type)).rcode;
  const addBlock = async ({ region: of }: Tenant): Promise<string[]> =>
    (await createDone(of, `${core}/ipblocks`, { properties: { location: 'de/txl', size: 2 } })).properties
      .ips as string[];

  test('[GEN-07] a zone inside a zone of another contract is refused, and the message does not name that contract', async () => {
    const zone = await victim.addZone('child.test');
    await victim.addRecord(zone, 'www', 'A', good);
    for (const zoneName of ['www.child.test', 'WWW.Child.Test.', 'a.b.child.test']) {
      const message = await other.refused('POST', '/zones', { zoneName });
      assert.match(message, /^The name [a-z.]+ is inside the zone child\.test of another contract\. .*NS record/);
      assert.ok(!message.includes(String(victim.region.contract)), message);
      await other.refused('PUT', `/zones/${crypto.randomUUID()}`, { zoneName });
    }
    assert.deepEqual(await addresses('www.child.test'), [good]);
    await other.addZone('xchild.test'); // it only ends with the same letters
  });

  test('[GEN-07] a zone inside a disabled zone of another contract is refused', async () => {
    const zone = await victim.addZone('off.test');
    await victim.replace(zone, { zoneName: 'off.test', enabled: false });
    await other.refused('POST', '/zones', { zoneName: 'www.off.test' });
  });

  test('[GEN-07] a secondary zone inside a zone of another contract is refused', async () => {
    await victim.addZone('second.test');
    await other.refused('POST', '/secondaryzones', { zoneName: 'www.second.test', primaryIps: nowhere });
  });

  test('[GEN-07] a zone and a secondary zone inside a secondary zone of another contract are refused', async () => {
    await victim.add('/secondaryzones', { zoneName: 'transferred.test', primaryIps: nowhere });
    await other.refused('POST', '/zones', { zoneName: 'www.transferred.test' });
    await other.refused('POST', '/secondaryzones', { zoneName: 'www.transferred.test', primaryIps: nowhere });
  });

  test('[TOOLS-05] a name that a zone delegates with NS records can be a zone of another contract', async () => {
    const zone = await victim.addZone('gives.test');
    await victim.addRecord(zone, 'sub', 'NS', server);
    const sub = await other.addZone('sub.gives.test');
    await other.addRecord(sub, '', 'A', good);
    assert.deepEqual(await addresses('sub.gives.test'), [good]);
    await other.addZone('deep.sub.gives.test');
    await victim.addRecord(zone, 'more', 'NS', server);
    await other.addZone('below.more.gives.test');
    await victim.addRecord(zone, 'third', 'NS', server);
    await other.add('/secondaryzones', { zoneName: 'third.gives.test', primaryIps: nowhere });
  });

  test('[GEN-07] other NS records delegate nothing: disabled, deleted, of the zone itself, below, of siblings, or wildcards', async () => {
    const zone = await victim.addZone('keeps.test');
    await victim.addRecord(zone, 'disabled', 'NS', server, { enabled: false });
    await victim.addRecord(zone, '', 'NS', server);
    await victim.addRecord(zone, 'a.above', 'NS', server);
    await victim.addRecord(zone, '*.wild', 'NS', server);
    await victim.addRecord(zone, 'text', 'TXT', 'NS');
    await victim.remove(await victim.addRecord(zone, 'deleted', 'NS', server));
    for (const name of ['disabled', 'www', 'above', 'b.above', 'x.wild', 'text', 'deleted'])
      await other.refused('POST', '/zones', { zoneName: `${name}.keeps.test` });
  });

  test('[TOOLS-05] the transferred NS records of a secondary zone delegate names', async () => {
    await using otherRegion = await startRegion({ args: ['--dns-peers', '127.0.0.1'] });
    const primary = new Tenant(otherRegion);
    const zone = await primary.addZone('copied.test');
    await primary.addRecord(zone, 'sub', 'NS', server);
    await primary.addRecord(zone, 'www', 'A', good);
    const primaryIps = [`127.0.0.1:${portOf(otherRegion)}`];
    await victim.add('/secondaryzones', { zoneName: 'copied.test', primaryIps });
    await until('it is transferred', async () => (await codeOf('www.copied.test')) === 'NOERROR');
    await other.refused('POST', '/zones', { zoneName: 'www.copied.test' });
    await other.addZone('a.sub.copied.test');
    await other.addZone('sub.copied.test');
  });

  test('[GEN-07] a reverse record with a name inside a zone of another contract is refused, on creation and on change', async () => {
    const zone = await victim.addZone('mail.test');
    const [ip, next] = await addBlock(other);
    await other.refused('POST', '/reverserecords', { name: 'mx.mail.test', ip });
    await other.refused('POST', '/reverserecords', { name: 'mail.test', ip });
    const path = await other.add('/reverserecords', { name: 'mx.nobody.test', ip });
    await other.refused('PUT', path, { name: 'mx.mail.test', ip });
    assert.equal((await other.must('GET', path)).properties.name, 'mx.nobody.test');
    const delegation = await victim.addRecord(zone, 'mx', 'NS', server);
    await other.replace(path, { name: 'mx.mail.test', ip });
    await victim.remove(delegation);
    await other.replace(path, { name: 'mx.mail.test', ip, description: 'it stays' });
    await other.refused('PUT', path, { name: 'mx.mail.test', ip: next });
    const [own] = await addBlock(victim);
    await victim.add('/reverserecords', { name: 'mail.test', ip: own });
  });

  test('[GEN-07] the reverse zones of the region belong to no contract, and nothing hides their records', async () => {
    const [ip = ''] = await addBlock(victim);
    await victim.add('/reverserecords', { name: 'host.reverse.test', ip });
    const name = `${ip.split('.').toReversed().join('.')}.in-addr.arpa`;
    const above = name.split('.').slice(1);
    for (const zoneName of [name, above.join('.'), above.slice(1).join('.'), '8.b.d.0.1.0.0.2.ip6.arpa']) {
      assert.match(await other.refused('POST', '/zones', { zoneName }), /Create reverse records instead/);
      await other.refused('POST', '/secondaryzones', { zoneName, primaryIps: nowhere });
    }
    const parent = await other.addZone('198.in-addr.arpa');
    await other.addRecord(parent, name.replace('.198.in-addr.arpa', ''), 'TXT', 'hidden');
    assert.deepEqual(dataOf(await ask(port, name, 'PTR')), ['host.reverse.test']);
    assert.deepEqual(dataOf(await ask(port, name, 'TXT')), []);
  });

  test('[TOOLS-05] a contract nests its own zones, and the names of a disabled one are answered by the zone above', async () => {
    const parent = await victim.addZone('own.test');
    await victim.addRecord(parent, '*', 'A', '192.0.2.1');
    await victim.addRecord(parent, 'www.sub', 'A', '192.0.2.2');
    const child = await victim.addZone('sub.own.test');
    await victim.addRecord(child, 'www', 'A', good);
    await victim.add('/secondaryzones', { zoneName: 'copy.own.test', primaryIps: nowhere });
    assert.deepEqual(await addresses('www.sub.own.test'), [good]);
    await victim.replace(child, { zoneName: 'sub.own.test', enabled: false });
    assert.deepEqual(await addresses('www.sub.own.test'), ['192.0.2.2']);
    assert.deepEqual(await addresses('copy.own.test'), ['192.0.2.1'], 'it was never transferred');
  });

  test('[GEN-07] a zone that is created above a zone of another contract never answers for its names', async () => {
    const child = await victim.addZone('c.late.test');
    await victim.addRecord(child, 'www', 'A', good);
    await victim.add('/secondaryzones', { zoneName: 'pending.late.test', primaryIps: nowhere });
    const parent = await other.addZone('late.test');
    for (const name of ['*', 'c', 'www.c', '*.c', 'pending', '*.pending'])
      await other.addRecord(parent, name, 'A', bad);
    await other.addRecord(parent, 'alias', 'ALIAS', 'www.c.late.test');
    await other.addRecord(parent, 'mx', 'MX', 'www.c.late.test', { priority: 1 });
    await other.addRecord(parent, 'cname', 'CNAME', 'www.c.late.test');
    await other.addRecord(parent, 'ref', 'NS', 'www.c.late.test');
    assert.deepEqual(await addresses('any.late.test'), [bad]);
    assert.deepEqual(await addresses('www.c.late.test'), [good]);
    assert.deepEqual(await addresses('alias.late.test'), [good]);
    const missing = await ask(port, 'x.c.late.test', 'A');
    assert.deepEqual([missing.rcode, missing.authorities?.[0]?.name], ['NXDOMAIN', 'c.late.test']);
    assert.deepEqual(await addresses('c.late.test'), []);
    assert.equal(await codeOf('x.pending.late.test'), 'REFUSED');

    await victim.replace(child, { zoneName: 'c.late.test', enabled: false });
    for (const name of ['c.late.test', 'www.c.late.test', 'x.c.late.test'])
      assert.equal(await codeOf(name), 'REFUSED', name);
    assert.deepEqual(await addresses('alias.late.test'), []);
    assert.deepEqual(await addresses('cname.late.test'), ['www.c.late.test']);
    for (const [name, type] of [
      ['mx.late.test', 'MX'],
      ['x.ref.late.test', 'A'],
    ] as const)
      assert.deepEqual((await ask(port, name, type)).additionals, [], `${name} brings an address`);
    const transferred = (await transferOf('late.test')).filter(({ type }) => type === 'A').map(({ name }) => name);
    assert.deepEqual(transferred, ['*.late.test']);

    await victim.remove(child);
    assert.deepEqual(await addresses('www.c.late.test'), [bad], 'the name is free');
  });

  test('[GEN-07] a signed zone above a zone of another contract adds no proofs to answers about its names', async () => {
    const child = await victim.addZone('c.signed.test');
    await victim.addRecord(child, 'www', 'A', good);
    const parent = await other.addZone('signed.test');
    await other.addRecord(parent, 'a', 'A', bad);
    const nsecParameters = { nsecMode: 'NSEC', nsec3Iterations: 0, nsec3SaltBits: 64 };
    const keyParameters = { algorithm: 'RSASHA256', kskBits: 1024, zskBits: 1024 };
    await other.must('POST', `${parent}/keys`, { keyParameters, nsecParameters, validity: 90 });
    for (const name of ['c.signed.test', 'x.c.signed.test']) {
      const { authorities = [] } = await ask(port, name, 'A', { edns: 1232, dnssec: true });
      assert.deepEqual([...new Set(authorities.map((one) => one.name))], ['c.signed.test'], name);
    }
    await victim.replace(child, { zoneName: 'c.signed.test', enabled: false });
    const { rcode, authorities } = await ask(port, 'x.c.signed.test', 'A', { edns: 1232, dnssec: true });
    assert.deepEqual([rcode, authorities], ['REFUSED', []]);
  });

  test('[GEN-07] of a zone and a zone above it, created at the same time, the lower one is refused or has its names', async () => {
    for (let round = 0; round < 10; round++) {
      const [above, below] = await Promise.all([
        victim.call('POST', '/zones', { zoneName: `race${round}.test` }),
        other.call('POST', '/zones', { zoneName: `www.race${round}.test` }),
      ]);
      assert.equal(above.status, 202, JSON.stringify(above.body));
      assert.ok([202, 409].includes(below.status), JSON.stringify(below.body));
      const parent = await victim.available(`/zones/${above.body.id}`);
      await victim.addRecord(parent, 'www', 'A', '192.0.2.1');
      if (below.status === 202)
        await other.addRecord(await other.available(`/zones/${below.body.id}`), '', 'A', '192.0.2.2');
      assert.deepEqual(await addresses(`www.race${round}.test`), [below.status === 202 ? '192.0.2.2' : '192.0.2.1']);
    }
  });

  test('[TOOLS-05] zones that are inside zones of another contract already keep working, and state check lists them', async () => {
    const parent = await victim.addZone('old.test');
    const delegation = await victim.addRecord(parent, 'nested', 'NS', server);
    await victim.addRecord(parent, 'allowed', 'NS', server);
    const nested = await other.addZone('nested.old.test');
    await other.addZone('allowed.old.test');
    await victim.remove(delegation);
    await other.addRecord(nested, '', 'A', good);
    await other.replace(nested, { zoneName: 'nested.old.test', description: 'changed' });
    assert.deepEqual(await addresses('nested.old.test'), [good]);
    await other.addZone('deeper.nested.old.test');
    const [inner, outer] = [other, victim].map((one) => one.region.contract);
    const inside = (name: string): string =>
      `Zone ${name}.old.test of contract ${inner} is inside zone old.test of contract ${outer}`;
    const check = async (...place: string[]): Promise<void> => {
      const text = await cumulet(['state', 'check', ...place]);
      assert.equal(text.code, 0, text.stderr);
      assert.ok(text.stdout.includes(`${inside('nested')}, which does not delegate it.\n`), text.stdout);
      assert.ok(text.stdout.includes(`${inside('allowed')}, which delegates it with NS records.\n`), text.stdout);
      assert.ok(!text.stdout.includes('Zone deeper.nested.old.test'), 'its nearest zone is of the same contract');
      const { code, stdout } = await cumulet(['state', 'check', '--json', ...place]);
      const { damage, notes } = JSON.parse(stdout) as { damage: string[]; notes: string[] };
      assert.deepEqual([code, damage], [0, []]);
      assert.ok(notes.includes(`${inside('nested')}, which does not delegate it.`), stdout);
    };
    await check('--data', region.data);
    await region.halt('SIGTERM');
    await check('--data', region.data, ...(await stateFor(region.data)));
    await region.start();
    port = portOf(region);
    await until('zones are loaded', async () => (await codeOf('nested.old.test')) === 'NOERROR');
    assert.deepEqual(await addresses('nested.old.test'), [good]);
  });

  async function transferOf(name: string): Promise<dnsPacket.Answer[]> {
    const answersOf = (all: Buffer[]): dnsPacket.Answer[] => all.flatMap((one) => dnsPacket.decode(one).answers ?? []);
    const isDone = (all: Buffer[]): boolean => answersOf(all).filter(({ type }) => type === 'SOA').length === 2;
    return answersOf(await askByTcp(port, queryOf(name, 'AXFR'), isDone));
  }
});
