// The name server for clients without rights: its answers, their size, refused clients, and malformed queries.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { after, before, suite, test } from 'node:test';
import dnsPacket from 'dns-packet';
import { isFull, seeded } from '../../src/testing/seed.ts';
import { until } from '../../src/testing/waiting.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { ask, askByTcp, dataOf, exchange, portOf, queryOf } from './query.ts';
import { askValidated } from './validator.ts';

suite('name server', () => {
  let region: Region;
  let port: number;
  let zone: ResourceBody;
  before(async () => {
    region = await startRegion({ args: ['--dns-peers', '127.0.0.1,192.0.2.1#5353'] });
    port = portOf(region);
    zone = (await region.call('POST', '/dns/zones', { properties: { zoneName: 'served.example' } })).body;
    for (const [name, type, content, priority] of [
      ['www', 'A', '192.0.2.1'],
      ['www', 'A', '192.0.2.2'],
      ['alias', 'CNAME', 'www.served.example'],
      ['loop', 'CNAME', 'loop.served.example'],
      ['out', 'CNAME', 'www.elsewhere.example'],
      ['', 'ALIAS', 'www.served.example'],
      ['', 'MX', 'www.served.example', 10],
      ['shop', 'ALIAS', 'www.served.example'],
      ['*.any', 'TXT', 'star'],
      ['deep.below.empty', 'A', '192.0.2.3'],
      ['sub', 'NS', 'ns.sub.served.example'],
      ['ns.sub', 'A', '192.0.2.53'],
    ] as const)
      await record(name, type, content, priority);
    for (let at = 0; at < 30; at++) await record('big', 'TXT', `${at} ${'x'.repeat(60)}`);
  });
  after(() => region.stop());

  async function record(name: string, type: string, content: string, priority?: number): Promise<void> {
    const properties = { name, type, content, ...(priority !== undefined && { priority }) };
    const { status, body } = await region.call('POST', `/dns/zones/${zone.id}/records`, { properties });
    assert.equal(status, 202, JSON.stringify(body));
  }

  test('[TOOLS-05] sets, aliases, wildcards, empty names and delegations are answered correctly', async () => {
    assert.deepEqual(dataOf(await ask(port, 'www.served.example', 'A')).sort(), ['192.0.2.1', '192.0.2.2']);
    assert.deepEqual(dataOf(await ask(port, 'alias.served.example', 'A')).length, 3);
    assert.deepEqual(dataOf(await ask(port, 'served.example', 'A')).sort(), ['192.0.2.1', '192.0.2.2']);
    assert.deepEqual(dataOf(await ask(port, 'out.served.example', 'A')), ['www.elsewhere.example']);
    assert.ok((await ask(port, 'loop.served.example', 'A')).answers?.length);
    assert.equal(String(dataOf(await ask(port, 'what.ever.any.served.example', 'TXT'))[0]), 'star');
    const empty = await ask(port, 'below.empty.served.example', 'A');
    assert.deepEqual([empty.rcode, empty.answers?.length, empty.authorities?.[0]?.type], ['NOERROR', 0, 'SOA']);
    const missing = await ask(port, 'x.empty.served.example', 'A');
    assert.deepEqual([missing.rcode, missing.authorities?.[0]?.type], ['NXDOMAIN', 'SOA']);
    const referral = await ask(port, 'host.sub.served.example', 'A');
    assert.deepEqual([referral.flag_aa, referral.authorities?.[0]?.type], [false, 'NS']);
    assert.equal(referral.additionals?.[0]?.name, 'ns.sub.served.example');
    const mail = await ask(port, 'served.example', 'MX');
    assert.equal(mail.additionals?.length, 2, 'the addresses of the mail server come along');
  });

  for (const nsecMode of ['NSEC', 'NSEC3'])
    test(`[TOOLS-05] signatures and proofs of absence of a zone signed with ${nsecMode} are valid`, async () => {
      const zoneName = `${nsecMode.toLowerCase()}.example`;
      const { body: signed } = await region.call('POST', '/dns/zones', { properties: { zoneName } });
      const post = async (path: string, properties: object): Promise<void> => {
        const { status, body } = await region.call('POST', `/dns/zones/${signed.id}/${path}`, { properties });
        assert.equal(status, 202, JSON.stringify(body));
      };
      for (const content of ['192.0.2.1', '192.0.2.20']) await post('records', { name: 'www', type: 'A', content });
      await post('records', { name: '*.any', type: 'TXT', content: 'star' });
      await post('records', { name: 'shop', type: 'ALIAS', content: `www.${zoneName}` });
      await post('records', { name: 'gone', type: 'ALIAS', content: 'www.elsewhere.example' });
      await post('keys', {
        keyParameters: { algorithm: 'RSASHA256', kskBits: 2048, zskBits: 1024 },
        nsecParameters: { nsecMode, nsec3Iterations: 3, nsec3SaltBits: 64 },
        validity: 90,
      });
      const query = (name: string, type: string) => askValidated(port, zoneName, `${name}${zoneName}`, type);

      assert.equal((await query('', 'DNSKEY')).answers.length, 2);
      assert.equal((await query('www.', 'A')).answers.length, 2);
      const wild = await query('x.any.', 'TXT');
      assert.equal(wild.answers.length, 1);
      assert.ok(wild.proof.denies(`x.any.${zoneName}`), 'no name that is closer than the wildcard');
      const noType = await query('www.', 'MX');
      assert.deepEqual(
        [noType.rcode, noType.proof.typesAt(`www.${zoneName}`)],
        ['NOERROR', nsecMode === 'NSEC' ? ['A', 'RRSIG', 'NSEC'] : ['A', 'RRSIG']],
      );
      const own = nsecMode === 'NSEC' ? ['RRSIG', 'NSEC'] : [];
      assert.equal((await query('shop.', 'A')).answers.length, 2);
      assert.deepEqual(
        (await query('shop.', 'MX')).proof.typesAt(`shop.${zoneName}`),
        noType.proof.typesAt(`www.${zoneName}`),
      );
      const noAddress = await query('gone.', 'A');
      assert.deepEqual([noAddress.rcode, noAddress.proof.typesAt(`gone.${zoneName}`)], ['NOERROR', own]);
      for (const name of ['a', 'nope', 'zzz']) {
        const { rcode, proof } = await query(`deep.${name}.`, 'A');
        assert.equal(rcode, 'NXDOMAIN');
        assert.ok(proof.denies(`${name}.${zoneName}`), `no ${name}`);
        assert.ok(proof.denies(`*.${zoneName}`), 'no wildcard in its place');
        if (nsecMode === 'NSEC3') assert.ok(proof.typesAt(zoneName), 'the zone is the closest name above it');
      }
    });

  test('[TOOLS-05] it answers only for its own zones: it is not an open resolver', async () => {
    for (const name of ['example.com', 'com', '.', 'served.example.com', 'xserved.example']) {
      const { rcode, answers, flag_ra: recursion } = await ask(port, name, 'A');
      assert.deepEqual([rcode, answers?.length, recursion], ['REFUSED', 0, false], name);
    }
  });

  test('[GEN-05] a datagram without EDNS is never longer than 512 bytes, and the whole answer is available by TCP', async () => {
    const cut = await ask(port, 'big.served.example', 'TXT');
    assert.ok(cut.bytes.length <= 512);
    assert.deepEqual([cut.flag_tc, cut.answers?.length], [true, 0]);
    const wider = await ask(port, 'big.served.example', 'TXT', { edns: 65_000 });
    assert.ok(wider.bytes.length <= 1232);
    const any = await ask(port, 'www.served.example', 'ANY');
    assert.ok(any.bytes.length < 200, 'ANY does not amplify');
    const [whole] = await askByTcp(port, queryOf('big.served.example', 'TXT'), (messages) => messages.length === 1);
    assert.equal(dnsPacket.decode(whole as Buffer).answers?.length, 30);
  });

  test('[TOOLS-05] a zone is transferred to peers, whole and between two SOAs', async () => {
    const isDone = (messages: Buffer[]): boolean =>
      messages.flatMap((one) => dnsPacket.decode(one).answers ?? []).filter(({ type }) => type === 'SOA').length === 2;
    const messages = await askByTcp(port, queryOf('served.example', 'AXFR'), isDone);
    const answers = messages.flatMap((one) => dnsPacket.decode(one).answers ?? []);
    assert.equal(answers[0]?.type, 'SOA');
    assert.equal(answers.at(-1)?.type, 'SOA');
    assert.equal(answers.filter(({ type }) => type === 'TXT').length, 31);
    assert.ok(
      answers.some(({ name }) => name === 'ns.sub.served.example'),
      'with glue',
    );
    for (const alias of ['served.example', 'shop.served.example']) {
      const addresses = answers.filter(({ name, type }) => name === alias && type === 'A');
      assert.deepEqual(dataOf({ answers: addresses } as dnsPacket.DecodedPacket).sort(), ['192.0.2.1', '192.0.2.2']);
    }
    const [refused] = await askByTcp(port, queryOf('other.example', 'AXFR'), (all) => all.length === 1);
    assert.equal((dnsPacket.decode(refused as Buffer) as unknown as { rcode: string }).rcode, 'REFUSED');
  });

  test('[TOOLS-05] a zone is transferred only to peers', async () => {
    await using closed = await startRegion();
    await closed.call('POST', '/dns/zones', { properties: { zoneName: 'closed.example' } });
    const [refused] = await askByTcp(portOf(closed), queryOf('closed.example', 'AXFR'), (all) => all.length === 1);
    assert.equal((dnsPacket.decode(refused as Buffer) as unknown as { rcode: string }).rcode, 'REFUSED');
    assert.equal((await ask(portOf(closed), 'closed.example', 'AXFR')).rcode, 'REFUSED');
  });

  test('[TOOLS-05] a secondary zone has the records of its primary, and follows it', async () => {
    await using second = await startRegion();
    const zoneName = 'served.example';
    const nowhere = { zoneName, primaryIps: ['127.0.0.1:1'] };
    const { body } = await second.call('POST', '/dns/secondaryzones', { properties: nowhere });
    const status = async () =>
      (await second.call<{ items: { status: string }[] }>('GET', `/dns/secondaryzones/${body.id}/axfr`)).body.items[0]
        ?.status;
    assert.equal((await ask(portOf(second), 'www.served.example', 'A')).rcode, 'REFUSED', 'before it was transferred');
    const properties = { zoneName, primaryIps: [`127.0.0.1:${port}`] };
    const changed = await second.call('PUT', `/dns/secondaryzones/${body.id}`, { properties });
    assert.ok(changed.status < 300, JSON.stringify(changed.body));
    const transferred = async (): Promise<string | undefined> => {
      await second.call('PUT', `/dns/secondaryzones/${body.id}/axfr`);
      return status();
    };
    await until('the zone is transferred', transferred, (shown) => shown === 'OK');
    assert.deepEqual(dataOf(await ask(portOf(second), 'www.served.example', 'A')).sort(), ['192.0.2.1', '192.0.2.2']);
    const { items } = (await second.call('GET', `/dns/secondaryzones/${body.id}/records?limit=1000`)).body;
    assert.ok(items.some(({ properties: { name, content } }) => name === 'www' && content === '192.0.2.1'));
    await record('later', 'A', '192.0.2.99');
    const notify = dnsPacket.encode({
      type: 'query',
      id: 1,
      flags: 4 << 11,
      questions: [{ type: 'SOA', name: 'served.example' }],
    });
    await exchange(portOf(second), notify);
    for (let code = ''; code !== 'NOERROR'; ) code = (await ask(portOf(second), 'later.served.example', 'A')).rcode;
    await second.restart();
    for (let code = ''; code !== 'NOERROR'; ) code = (await ask(portOf(second), 'later.served.example', 'A')).rcode;
  });

  test('[GEN-05] mutated packets never stop it', async () => {
    const chance = seeded(29);
    const queries = [
      'www.served.example A',
      'big.served.example TXT',
      'x.any.served.example TXT',
      'served.example AXFR',
    ].map((one) => {
      const [name = '', type = ''] = one.split(' ');
      return queryOf(name, type, { edns: 1232, dnssec: true });
    });
    const socket = createSocket('udp4');
    const count = isFull ? 1_000_000 : 100_000;
    for (let sent = 0; sent < count; sent++) {
      const bytes = Buffer.from(chance.one(queries));
      for (let change = 0; change <= chance.below(4); change++) bytes[chance.below(bytes.length)] = chance.below(256);
      const cut = chance.often(20) ? bytes.subarray(0, chance.below(bytes.length)) : bytes;
      socket.send(cut, port, '127.0.0.1');
      // Not faster than they are read, or the kernel drops them.
      if (sent % 100 === 99) await ask(port, 'www.served.example', 'A');
    }
    socket.close();
    assert.deepEqual(dataOf(await ask(port, 'www.served.example', 'A')).length, 2);
    assert.equal((await region.call('GET', '/health', undefined, { token: null })).status, 200);
    assert.ok(!region.log().includes('should not have happened'));
  });
});
