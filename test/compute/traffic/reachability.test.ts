// `GET /reachability`, black box: the same verdict as a packet of the lab, and nothing is sent or recorded.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, assertRefused, done } from '../../harness/landscape.ts';
import { addGroup, addPerson, core } from '../../harness/people.ts';
import { type CallOptions, createDone, type Region, startRegion } from '../../harness/region.ts';
import { secondContract, type World } from '../../sweep/api.ts';
import { addBlock, addLan, addNic, idOf, type NicOfTest, outside, type PacketOutcome, send } from './packets.ts';

suite('reachability', () => {
  let region: Region;
  let other: World['other'];
  let datacenter: string;
  let web: NicOfTest;
  before(async () => {
    region = await startRegion();
    other = await secondContract(region);
    datacenter = await addDatacenter(region);
    const lan = await addLan(region, datacenter, { public: true });
    web = await addNic(region, datacenter, { lan, ips: await addBlock(region, 1), firewallActive: true });
    await createDone(region, `${web.path}/firewallrules`, {
      properties: { name: 'only ssh', protocol: 'TCP', portRangeStart: 22, portRangeEnd: 22 },
    });
  });
  after(() => region.stop());

  const ask = (query: Record<string, string | number>, options?: CallOptions) =>
    region.call<PacketOutcome>('GET', `/reachability?${new URLSearchParams(query as never)}`, undefined, options);
  const flowCount = async (): Promise<unknown> =>
    (await region.call('GET', `/lab/flows/${idOf(datacenter)}`)).body.next;

  test('[TOOLS-02] it returns the verdict that a packet of the lab would get, and records no flow', async () => {
    const flows = await flowCount();
    const outcomes: PacketOutcome[] = [];
    for (const port of [22, 80])
      for (const to of [web.ip, web.id]) {
        const { status, body } = await ask({ from: outside.address, to, port });
        assert.equal(status, 200, JSON.stringify(body));
        outcomes.push(body);
      }
    assert.equal(await flowCount(), flows);
    assert.deepEqual(
      outcomes.map(({ verdict, reason, rule }) => [verdict, reason, rule?.name ?? null]),
      [
        ...Array(2).fill(['ACCEPTED', 'firewall rule', 'only ssh']),
        ...Array(2).fill(['REJECTED', 'firewall default deny', null]),
      ],
    );
    assert.deepEqual(outcomes[0], await send(region, outside, web.ip, { to: { address: web.ip, port: 22 } }));
    assert.notEqual(await flowCount(), flows, 'a packet that is sent does leave one');
  });

  test('[GEN-07] it is for every user who may see both ends, administrators or not', async () => {
    const query = { from: outside.address, to: web.ip, port: 22 };
    const stranger = await addPerson(region);
    const reader = await addPerson(region);
    const group = await addGroup(region, [], [reader.user]);
    await done(region, 'POST', `${core}/um/groups/${group.id}/shares/${idOf(datacenter)}`, { properties: {} });
    assert.equal((await ask(query, { token: reader.token })).body.verdict, 'ACCEPTED');
    for (const token of [stranger.token, other.token])
      for (const ends of [query, { ...query, to: web.id }, { from: web.id, to: '203.0.113.9', port: 80 }]) {
        const { status, body } = await ask(ends, { token });
        assert.equal(status, 404, JSON.stringify(body));
        assert.ok(!JSON.stringify(body).includes('ssh'));
      }
    assert.equal((await ask(query, { token: null })).status, 401);
  });

  test('[GEN-05] all problems of the query are reported together', async () => {
    const wrong = await region.call('GET', '/reachability?from=x&port=0&protocol=IGMP&icmpType=300');
    assertRefused(
      wrong,
      "[(query).from] 'x' is not the ID of a NIC or an address",
      '[(query).to] Attribute is required',
      '[(query).port] Expected a whole number from 1 to 65535',
      '[(query).protocol] Expected one of [TCP',
      '[(query).icmpType]',
    );
    assertRefused(
      await region.call('GET', `/reachability?from=${web.id}&to=10.0.0.1`),
      'Attribute is required for protocol TCP',
    );
  });

  test('[TOOLS-02] it is there without the lab', async () => {
    await using plain = await startRegion({ args: ['--no-lab'] });
    const { status, body } = await plain.call('GET', '/reachability?from=203.0.113.7&to=198.18.0.1&port=80');
    assert.deepEqual([status, body.verdict, body.reason], [200, 'REJECTED', 'no such address']);
  });
});
