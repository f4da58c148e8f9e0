// Pairs of concurrent calls: a resource is created in, attached to or linked with another one while that is deleted. In
// either order no row, link or claim may be left without its other end, and no call gets a 5xx.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { chanceOf, isFull } from '../../src/testing/seed.ts';
import { drained } from '../crash/checks.ts';
import { assertWhole } from '../harness/invariants.ts';
import { addDatacenter, addServer, addVolume, disk, small } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';

const rounds = isFull ? 90 : 12; // a datacenter has at most 100 security groups
const several = 5; // are put there

type Call = [method: string, path: string, body?: object];

interface Scene {
  goes: string; // the path of what goes
  calls: Call[]; // what is put there
}

const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const many = <T>(make: (at: number) => Promise<T> | T): Promise<T[]> =>
  Promise.all(Array.from({ length: several }, (_, at) => make(at)));

// What most of them need.
async function landOf(region: Region) {
  const datacenter = await addDatacenter(region);
  const add = async (place: string, properties: object = {}): Promise<string> =>
    `${place}/${(await createDone(region, place, { properties })).id}`;
  const host = () => addServer(region, datacenter);
  return {
    region,
    datacenter,
    add,
    host,
    lan: (properties?: object) => add(`${datacenter}/lans`, properties),
    volume: () => addVolume(region, datacenter),
    nics: () => many(async () => add(`${await host()}/nics`, { lan: 1 })),
    group: () => add(`${datacenter}/securitygroups`, { name: 'a group' }),
    servers: await many(host),
  };
}

type Land = Awaited<ReturnType<typeof landOf>>;

const scenes: Record<string, (land: Land) => Promise<Scene>> = {
  'volumes are attached to a server': async ({ host, volume }) => {
    const goes = await host();
    return { goes, calls: await many(async () => ['POST', `${goes}/volumes`, { id: await volume() }]) };
  },
  'volumes are made at a server that boots from another one': async ({ region, datacenter }) => {
    const goes = await addServer(region, datacenter, {}, { volumes: { items: [{ properties: disk }] } });
    return { goes, calls: await many(() => ['POST', `${goes}/volumes`, { properties: disk }]) };
  },
  'a volume is attached': async ({ datacenter, volume, servers }) => {
    const id = await volume();
    const calls = servers.map((one): Call => ['POST', `${one}/volumes`, { id }]);
    return { goes: `${datacenter}/volumes/${id}`, calls };
  },
  'a volume is copied': async ({ datacenter, volume }) => {
    const goes = `${datacenter}/volumes/${await volume()}`;
    return { goes, calls: await many(() => ['POST', `${goes}/create-snapshot`]) };
  },
  'NICs come into a LAN': async ({ lan, host }) => {
    const goes = await lan();
    const body = { properties: { lan: Number(idOf(goes)) } };
    return { goes, calls: await many(async () => ['POST', `${await host()}/nics`, body]) };
  },
  'NICs are moved into a LAN': async ({ lan, nics }) => {
    const goes = await lan();
    return { goes, calls: (await nics()).map((nic) => ['POST', `${goes}/nics`, { id: idOf(nic) }]) };
  },
  'addresses of a block are used': async ({ region, lan, nics }) => {
    const properties = { location: 'de/txl', size: several };
    const block = await createDone(region, `${core}/ipblocks`, { properties });
    const ips = block.properties.ips as string[];
    const to = Number(idOf(await lan({ public: true })));
    const calls = (await nics()).map((nic, at): Call => ['PATCH', nic, { lan: to, ips: [ips[at]] }]);
    return { goes: `${core}/ipblocks/${block.id}`, calls };
  },
  'a security group is given to servers': async ({ group, servers }) => {
    const goes = await group();
    return { goes, calls: servers.map((one) => ['PUT', `${one}/securitygroups`, { ids: [idOf(goes)] }]) };
  },
  'a security group is given to NICs': async ({ group, nics }) => {
    const goes = await group();
    return { goes, calls: (await nics()).map((nic) => ['PUT', `${nic}/securitygroups`, { ids: [idOf(goes)] }]) };
  },
  'NICs are balanced': async ({ add, datacenter, nics }) => {
    const goes = await add(`${datacenter}/loadbalancers`);
    return { goes, calls: (await nics()).map((nic) => ['POST', `${goes}/balancednics`, { id: idOf(nic) }]) };
  },
  'a NIC is balanced, and has rules and another LAN': async ({ add, datacenter, host }) => {
    const balancer = await add(`${datacenter}/loadbalancers`);
    const goes = await add(`${await host()}/nics`, { lan: 1 });
    const calls: Call[] = [
      ['POST', `${balancer}/balancednics`, { id: idOf(goes) }],
      ['POST', `${goes}/firewallrules`, { properties: { protocol: 'TCP' } }],
      ['PUT', `${goes}/securitygroups`, { ids: [] }],
      ['PATCH', goes, { lan: 2 }],
    ];
    return { goes, calls };
  },
  'LANs join a cross connect': async ({ add, lan }) => {
    const goes = await add(`${core}/pccs`, { name: 'a cross connect' });
    return { goes, calls: await many(async () => ['PATCH', await lan(), { pcc: idOf(goes) }]) };
  },
  'rules forward to a target group': async ({ add, lan, datacenter }) => {
    const [listenerLan, targetLan] = [Number(idOf(await lan())), Number(idOf(await lan()))];
    const listenerIp = '10.200.0.5';
    const between = { name: 'a balancer', listenerLan, targetLan, ips: [listenerIp] };
    const balancer = await add(`${datacenter}/applicationloadbalancers`, between);
    const goes = await add(`${core}/targetgroups`, { name: 'a group', algorithm: 'RANDOM', protocol: 'HTTP' });
    const httpRules = [{ name: 'all', type: 'FORWARD', targetGroup: idOf(goes) }];
    const calls = await many((at): Call => {
      const properties = { name: 'a rule', protocol: 'HTTP', listenerIp, listenerPort: 1 + at, httpRules };
      return ['POST', `${balancer}/forwardingrules`, { properties }];
    });
    return { goes, calls };
  },
  'a datacenter is shared': async ({ region, add }) => {
    const goes = await addDatacenter(region);
    const groups = await many(() => add(`${core}/um/groups`, { name: 'a group' }));
    return { goes, calls: groups.map((group) => ['POST', `${group}/shares/${idOf(goes)}`, { properties: {} }]) };
  },
  'servers come into a datacenter': async ({ region }) => {
    const goes = await addDatacenter(region);
    const nics = { items: [{ properties: { lan: 1 } }] };
    const body = { properties: small, entities: { volumes: { items: [{ properties: disk }] }, nics } };
    return { goes, calls: await many(() => ['POST', `${goes}/servers`, body]) };
  },
};

suite('[GEN-06] a resource that is linked with one that is deleted at the same moment', () => {
  for (const says of Object.keys(scenes)) {
    test(says, async (t) => {
      const chance = chanceOf(t);
      await using region = await startRegion({ args: ['--rate-burst', '1000000', '--pace', '1'] });
      const make = (scenes[says] as (land: Land) => Promise<Scene>).bind(undefined, await landOf(region));
      for (let round = 0; round < rounds; round++) {
        const { goes, calls } = await make();
        calls.splice(chance.below(calls.length + 1), 0, ['DELETE', goes]);
        const answers = await Promise.all(calls.map((call) => region.call(...call)));
        const broken = answers.filter(({ status }) => ![200, 202, 404, 422].includes(status));
        assert.deepEqual(broken, []);
      }
      await drained(region);
      await assertWhole(region.data);
      assert.doesNotMatch(region.log(), /"message":"(bug|operation stopped)"/);
    });
  }
});
