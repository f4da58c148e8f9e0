// 200 clients at once in one datacenter, on their own resources and on each other's: no call hangs, nothing breaks, and
// in the end everything is counted once. Longer with --full.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chance, chanceOf, isFull } from '../../src/testing/seed.ts';
import { drained } from '../crash/checks.ts';
import { assertWhole } from '../harness/invariants.ts';
import {
  addBlock,
  addDatacenter,
  addServer,
  addVolume,
  disk,
  figures,
  publicLan,
  read,
  small,
} from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import {
  type Answer,
  createDone,
  type Region,
  type ResourceBody,
  startRegion,
  waitRequest,
} from '../harness/region.ts';

const clients = 200;
const turns = isFull ? 100 : 12;
const lans = 6;
const few = 20;
const unlimited = ['--rate-burst', '100000000', '--rate-limit', '100000000'];

test(`[GEN-06] [CORE-21] ${clients} clients in one datacenter: no 5xx, no deadlock, exact figures`, async (t) => {
  await using region = await startRegion({ args: [...unlimited, '--pace', '5'] });
  const crowd = new Crowd(region, await addDatacenter(region), chanceOf(t));
  await Promise.all(Array.from({ length: clients }, () => crowd.work()));
  await drained(region);
  t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(crowd.answers))}`);
  assert.deepEqual(crowd.broken, [], 'calls that broke');
  assert.ok((crowd.answers.get(202) ?? 0) > clients, 'too little was done to prove anything');
  await assertNoBug(region);
  await assertWhole(region.data);
  await assertFigures(region, crowd.datacenter);
  await crowd.leave();
  assert.deepEqual(crowd.broken, [], 'calls that broke at the end');
  const left = Object.entries(await figures(region)).filter(([name, value]) => isCounter(name) && value !== 0);
  assert.deepEqual(left, []);
  await assertWhole(region.data);
});

test(`${clients} clients want the same resource: as many win as the limit allows, and all others get the reason`, async (t) => {
  await using region = await startRegion({ args: unlimited });
  const datacenter = await addDatacenter(region);
  const add = async (place: string, properties: object): Promise<string> =>
    `${place}/${(await createDone(region, place, { properties })).id}`;
  const servers = await Promise.all(Array.from({ length: 4 }, () => addServer(region, datacenter)));
  const [one, other, third] = servers as [string, string, string];
  const lan = await publicLan(region, datacenter);
  const ips = await addBlock(region, 1);
  const nic = await add(`${other}/nics`, { lan });
  const group = await add(`${datacenter}/securitygroups`, { name: 'a group' });
  const volume = await addVolume(region, datacenter);
  const nics = { items: [{ properties: { lan: 61 } }, { properties: { lan: 62 } }] };
  const rule = { properties: { protocol: 'TCP' } };
  const scenes: [says: string, winners: number, call: (at: number) => [string, string, object?]][] = [
    ['slots for volumes', 24, () => ['POST', `${one}/volumes`, { properties: disk }]],
    ['slots for NICs, in a LAN that is not there', 24, () => ['POST', `${third}/nics`, { properties: { lan: 60 } }]],
    ['one volume', 1, (at) => ['POST', `${servers[2 + (at % 2)]}/volumes`, { id: idOf(volume) }]],
    ['one address', 1, () => ['POST', `${other}/nics`, { properties: { lan, ips } }]],
    [
      'servers in LANs that are not there',
      clients,
      () => ['POST', `${datacenter}/servers`, { properties: small, entities: { nics } }],
    ],
    ['LANs', clients, () => ['POST', `${datacenter}/lans`, { properties: { ipv6CidrBlock: 'AUTO' } }]],
    ['snapshots', clients, () => ['POST', `${datacenter}/volumes/${idOf(volume)}/create-snapshot`]],
    ['firewall rules', clients, () => ['POST', `${nic}/firewallrules`, rule]],
    ['security groups', 99, () => ['POST', `${datacenter}/securitygroups`, { properties: { name: 'more' } }]],
    ['rules of a security group', 100, () => ['POST', `${group}/rules`, rule]],
    ['changes of a server', 1, (at) => ['PATCH', other, { name: `server ${at}` }]],
    ['a move', 1, () => ['POST', `${datacenter}/lans/60/nics`, { id: idOf(nic) }]],
    ['labels', 50, (at) => ['POST', `${one}/labels`, { properties: { key: `k${at % 50}`, value: 'v' } }]],
    ['the end of it all', 1, () => ['DELETE', datacenter]],
  ];
  for (const [says, winners, call] of scenes) {
    await t.test(says, async () => {
      // Whatever takes time waits until all have asked.
      const stall = { kind: '*', step: '*', mode: 'stall', times: 1_000_000 };
      assert.equal((await region.call('PUT', '/lab/faults', { faults: [stall] })).status, 200);
      const answers = await Promise.all(Array.from({ length: clients }, (_, at) => region.call(...call(at))));
      assert.equal((await region.call('PUT', '/lab/faults', { faults: [] })).status, 200);
      const broken = answers.filter(({ status }) => status >= 500 || status === 429);
      assert.deepEqual(broken.slice(0, 1), [], `${broken.length} broke`);
      assert.equal(answers.filter(({ status }) => status < 300).length, winners);
      await drained(region);
      await assertWhole(region.data);
    });
  }
});

type Work = (crowd: Crowd) => Promise<Answer | undefined>;
type Kind = 'servers' | 'volumes' | 'nics' | 'blocks' | 'snapshots' | 'groups';

// What all of them know of each other: the paths of what was made, some of it gone.
class Crowd {
  readonly region: Region;
  readonly datacenter: string;
  readonly chance: Chance;
  readonly answers = new Map<number, number>();
  readonly broken: string[] = [];
  readonly known: Record<Kind, string[]> = {
    servers: [],
    volumes: [],
    nics: [],
    blocks: [],
    snapshots: [],
    groups: [],
  };
  readonly addresses: string[] = [];

  constructor(region: Region, datacenter: string, chance: Chance) {
    this.region = region;
    this.datacenter = datacenter;
    this.chance = chance;
  }

  async work(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      const answer = await this.chance.one(works)(this);
      if (answer?.headers.location !== undefined && this.chance.often(60))
        await waitRequest(this.region, answer.headers.location);
    }
  }

  one(kind: Kind): string | undefined {
    const all = this.known[kind];
    return all.length === 0 ? undefined : this.chance.one(all);
  }

  async call(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.region.call(method, path, body);
    this.answers.set(answer.status, (this.answers.get(answer.status) ?? 0) + 1);
    if (answer.status >= 500 || ![200, 201, 202, 404, 422].includes(answer.status))
      this.broken.push(
        `${method} ${shape(path)} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    return answer;
  }

  async make(kind: Kind, place: string, body: object, home = place): Promise<Answer> {
    const answer = await this.call('POST', place, body);
    if (answer.status === 202) this.known[kind].push(`${home}/${answer.body.id}`);
    // There are few of a kind, so that many meet at them.
    const oldest = this.known[kind].length > few ? this.known[kind].shift() : undefined;
    if (oldest) await this.call('DELETE', kind === 'servers' ? `${oldest}?deleteVolumes=true` : oldest);
    return answer;
  }

  async leave(): Promise<void> {
    const gone = async (paths: string[]): Promise<void> => {
      const answers = await Promise.all(paths.map((path) => this.call('DELETE', path)));
      await Promise.all(
        answers.map(async ({ status, body, headers }) => {
          assert.equal(status, 202, JSON.stringify(body));
          const { metadata } = await waitRequest(this.region, headers.location);
          assert.equal(metadata.status, 'DONE', String(metadata.message));
        }),
      );
    };
    const all = async (place: string): Promise<string[]> =>
      (await read(this.region, place)).items.map(({ id }) => `${place}/${id}`);
    const servers = await all(`${this.datacenter}/servers`);
    await gone(servers.map((path, at) => (at % 2 === 0 ? path : `${path}?deleteVolumes=true`)));
    await gone(await all(`${this.datacenter}/volumes`));
    await gone(await all(`${this.datacenter}/lans`));
    await gone(await all(`${core}/ipblocks`));
    await gone(await all(`${core}/snapshots`));
    await gone([this.datacenter]);
  }
}

const shape = (path: string): string => path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…');
const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const lanOf = ({ chance }: Crowd): number => 1 + chance.below(lans);
const diskOf = ({ chance }: Crowd): object => ({
  ...disk,
  type: chance.one(['HDD', 'SSD']),
  size: 1 + chance.below(5),
});

const makeServer: Work = (crowd) => {
  const volumes = { items: [{ properties: diskOf(crowd) }, { properties: diskOf(crowd) }] };
  const nics = { items: [{ properties: { lan: lanOf(crowd) } }, { properties: { lan: lanOf(crowd) } }] };
  const properties = { ...small, cores: 1 + crowd.chance.below(4) };
  return crowd.make('servers', `${crowd.datacenter}/servers`, { properties, entities: { volumes, nics } });
};

const changeServer: Work = async (crowd) => {
  const server = crowd.one('servers');
  return server === undefined ? undefined : crowd.call('PATCH', server, { cores: 1 + crowd.chance.below(4) });
};

const power: Work = async (crowd) => {
  const server = crowd.one('servers');
  const verb = crowd.chance.one(['start', 'stop', 'reboot']);
  return server === undefined ? undefined : crowd.call('POST', `${server}/${verb}`);
};

const removeServer: Work = async (crowd) => {
  const server = crowd.one('servers');
  if (server === undefined) return undefined;
  return crowd.call('DELETE', crowd.chance.often(80) ? `${server}?deleteVolumes=true` : server);
};

const makeVolume: Work = async (crowd) => {
  const server = crowd.chance.often(50) ? crowd.one('servers') : undefined;
  const home = `${crowd.datacenter}/volumes`;
  return crowd.make('volumes', server ? `${server}/volumes` : home, { properties: diskOf(crowd) }, home);
};

const attach: Work = async (crowd) => {
  const [server, volume] = [crowd.one('servers'), crowd.one('volumes')];
  return server && volume ? crowd.call('POST', `${server}/volumes`, { id: idOf(volume) }) : undefined;
};

const detach: Work = async (crowd) => {
  const server = crowd.one('servers');
  if (server === undefined) return undefined;
  const { status, body } = await crowd.call('GET', `${server}/volumes`);
  if (status !== 200 || body.items.length === 0) return undefined;
  return crowd.call('DELETE', `${server}/volumes/${crowd.chance.one(body.items).id}`);
};

const changeVolume: Work = async (crowd) => {
  const volume = crowd.one('volumes');
  if (volume === undefined) return undefined;
  return crowd.chance.often(50) ? crowd.call('DELETE', volume) : crowd.call('PATCH', volume, { size: 6 });
};

const makeNic: Work = async (crowd) => {
  const server = crowd.one('servers');
  if (server === undefined) return undefined;
  const ips = crowd.chance.often(40) && crowd.addresses.length ? [crowd.chance.one(crowd.addresses)] : [];
  return crowd.make('nics', `${server}/nics`, { properties: { lan: lanOf(crowd), ips } });
};

const changeNic: Work = async (crowd) => {
  const nic = crowd.one('nics');
  if (nic === undefined) return undefined;
  const move = { id: idOf(nic) };
  return crowd.chance.one([
    () => crowd.call('DELETE', nic),
    () => crowd.call('PATCH', nic, { lan: lanOf(crowd), ips: [] }),
    () => crowd.call('POST', `${crowd.datacenter}/lans/${lanOf(crowd)}/nics`, move),
  ])();
};

const onLans: Work = async (crowd) => {
  const path = `${crowd.datacenter}/lans`;
  const [one, isPublic] = [`${path}/${lanOf(crowd)}`, { public: crowd.chance.often(50) }];
  return crowd.chance.one([
    () => crowd.call('POST', path, { properties: isPublic }),
    () => crowd.call('PATCH', one, isPublic),
    () => crowd.call('DELETE', one),
    () => crowd.call('DELETE', `${path}/${lans + crowd.chance.below(20)}`),
  ])();
};

const onBlocks: Work = async (crowd) => {
  const block = crowd.chance.often(40) ? crowd.one('blocks') : undefined;
  if (block) return crowd.call('DELETE', block);
  const answer = await crowd.make('blocks', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 2 } });
  if (answer.status === 202) crowd.addresses.push(...(answer.body.properties.ips as string[]));
  return answer;
};

const onSnapshots: Work = async (crowd) => {
  const [volume, snapshot] = [crowd.one('volumes'), crowd.one('snapshots')];
  if (volume === undefined) return undefined;
  if (!snapshot || crowd.chance.often(40))
    return crowd.make('snapshots', `${volume}/create-snapshot`, {}, `${core}/snapshots`);
  if (crowd.chance.often(40)) return crowd.call('DELETE', snapshot);
  return crowd.call('POST', `${volume}/restore-snapshot`, { properties: { snapshotId: idOf(snapshot) } });
};

const onGroups: Work = async (crowd) => {
  const [group, server, nic] = [crowd.one('groups'), crowd.one('servers'), crowd.one('nics')];
  if (!group || crowd.chance.often(20))
    return crowd.make('groups', `${crowd.datacenter}/securitygroups`, { properties: { name: 'a group' } });
  if (crowd.chance.often(30)) return crowd.call('DELETE', group);
  const member = crowd.chance.often(50) ? server : nic;
  return member ? crowd.call('PUT', `${member}/securitygroups`, { ids: [idOf(group)] }) : undefined;
};

const look: Work = async (crowd) => {
  await crowd.call('GET', `${crowd.datacenter}?depth=${1 + crowd.chance.below(4)}`);
  return undefined;
};

const works: Work[] = [
  makeServer,
  makeServer,
  changeServer,
  power,
  removeServer,
  makeVolume,
  attach,
  attach,
  detach,
  changeVolume,
  makeNic,
  changeNic,
  onLans,
  onBlocks,
  onSnapshots,
  onGroups,
  look,
];

// A request may fail because others came first, never because something broke.
async function assertNoBug(region: Region): Promise<void> {
  const { items } = await read(region, `${core}/requests?filter.status=FAILED&depth=3&limit=10000`);
  const messages = items.map(({ metadata }) => String((metadata.requestStatus as ResourceBody).metadata.message));
  assert.deepEqual(
    messages.filter((message) => /internal error/i.test(message)),
    [],
  );
  assert.doesNotMatch(region.log(), /"message":"(bug|operation stopped|operations stopped)"/);
}

const isCounter = (name: string): boolean => /Provisioned$|OnContract$|InUse$/.test(name);

// The usage of the contract matches the lists.
async function assertFigures(region: Region, datacenter: string): Promise<void> {
  const sum = async (place: string, of: (one: ResourceBody) => number): Promise<number> =>
    (await read(region, `${place}?depth=1&limit=10000`)).items.reduce((all, one) => all + of(one), 0);
  const number = (name: string) => (one: ResourceBody) => Number(one.properties[name]);
  const megabytes = (isHdd: boolean) => (one: ResourceBody) =>
    (one.properties.type === 'HDD') === isHdd ? number('size')(one) * 1024 : 0;
  const consumers = ({ properties }: ResourceBody): number => (properties.ipConsumers as unknown[]).length;
  const now = await figures(region);
  assert.partialDeepStrictEqual(now, {
    coresProvisioned: await sum(`${datacenter}/servers`, number('cores')),
    ramProvisioned: await sum(`${datacenter}/servers`, number('ram')),
    hddVolumeProvisioned: await sum(`${datacenter}/volumes`, megabytes(true)),
    ssdVolumeProvisioned: await sum(`${datacenter}/volumes`, megabytes(false)),
    reservedIpsOnContract: await sum(`${core}/ipblocks`, number('size')),
    reservedIpsInUse: await sum(`${core}/ipblocks`, consumers),
  });
}
