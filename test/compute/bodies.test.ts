// Composite bodies: the order of their keys has no meaning, and unique values may be requested only once.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, done, publicLan, read, small } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';

const properties = { name: 'composite', location: 'de/txl' };
const serverWith = (...nics: object[]) => ({
  properties: small,
  entities: { nics: { items: nics.map((one) => ({ properties: one })) } },
});

suite('composite bodies', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  test('[CORE-25] servers and balancers before the LANs that they name', async () => {
    const lans = {
      items: [{ properties: { public: true, name: 'first' } }, { properties: { name: 'second' } }, { properties: {} }],
    };
    const servers = { items: [serverWith({ lan: 1 }), serverWith({ lan: 2 }, { lan: 7 })] };
    const balancer = { name: 'b', listenerLan: 2, targetLan: 3, ips: ['10.1.2.3'] };
    const applicationloadbalancers = { items: [{ properties: balancer }] };
    const entities = { applicationloadbalancers, servers, lans };
    const { body } = await done(region, 'POST', `${core}/datacenters`, { properties, entities });
    const made = await read(region, `${core}/datacenters/${body.id}/lans?depth=2`);
    assert.deepEqual(
      made.items.map(({ id, properties: { name, public: isPublic }, entities: { nics } }) => [
        [id, name, isPublic],
        nics?.items.length,
      ]),
      [
        [['1', 'first', true], 1],
        [['2', 'second', false], 1],
        [['3', null, false], 0],
        [['7', null, false], 1],
      ],
    );
  });

  test('[CORE-16, CORE-25] a value that two parts request is refused, with its place', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await publicLan(region, datacenter);
    const six = await createDone(region, `${datacenter}/lans`, { properties: { ipv6CidrBlock: 'AUTO' } });
    const block = await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } });
    const [address] = block.properties.ips as string[];
    const network = String(six.properties.ipv6CidrBlock).replace('::/64', ':7:0:0:0/80');
    const at = '[(root).entities.nics.items.[1].properties';
    for (const [nic, name] of [
      [{ lan: 50, ips: ['10.9.9.9'] }, 'ips.[0]'],
      [{ lan: Number(six.id), ips: ['10.9.9.9'] }, 'ips.[0]'],
      [{ lan, ips: [address] }, 'ips.[0]'],
      [{ lan: 50, mac: '02:01:00:00:00:77' }, 'mac'],
      [{ lan: Number(six.id), ipv6CidrBlock: network }, 'ipv6CidrBlock'],
    ] as const) {
      const refused = await region.call('POST', `${datacenter}/servers`, serverWith(nic, nic));
      assertRefused(refused, `${at}.${name}]`, 'occurs twice in this request');
      assert.equal(refused.body.messages.length, 1, JSON.stringify(refused.body));
    }
    const servers = { items: [serverWith({ lan: 1, ips: ['10.9.9.9'] }), serverWith({ lan: 1, ips: ['10.9.9.9'] })] };
    assertRefused(
      await region.call('POST', `${core}/datacenters`, { properties, entities: { servers } }),
      '[(root).entities.servers.items.[1].entities.nics.items.[0].properties.ips.[0]]',
    );
    assert.equal((await read(region, `${datacenter}/servers`)).items.length, 0);
  });

  test('a chosen address and a requested one are never the same', async () => {
    const datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter);
    const first = await createDone(region, `${server}/nics`, { properties: { lan: 1 } });
    const [chosen = ''] = first.properties.ips as string[];
    const next = chosen.replace(/\d+$/, (last) => String(Number(last) + 1));
    const { body } = await done(
      region,
      'POST',
      `${datacenter}/servers`,
      serverWith({ lan: 1 }, { lan: 1, ips: [next] }),
    );
    const nics = (await read(region, `${datacenter}/servers/${body.id}/nics?depth=1`)).items;
    const ips = nics.map(({ properties: { ips } }) => String(ips));
    assert.equal(new Set([...ips, chosen]).size, 3, ips.join());
  });
});
