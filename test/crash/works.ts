// The work of the crash test's writers: all kinds, assigned to them in turn.
import type { TrackedResource } from './ledger.ts';
import { amongServers, withServers } from './works-servers.ts';
import { Gone, Lost, type Round, Writer, writersOfAKind } from './writers.ts';

const works = [
  inDatacenters,
  withAddresses,
  amongOthers,
  withPeople,
  withTokens,
  withServers,
  withServers,
  amongServers,
];

export const writers = works.length * writersOfAKind;

export async function write(round: Round, index: number): Promise<void> {
  const work = works[index % works.length] as (writer: Writer) => Promise<void>;
  const writer = new Writer(round, index, Math.floor(index / works.length));
  while (!round.over) {
    try {
      await work(writer);
    } catch (error) {
      if (error instanceof Gone) return;
      if (!(error instanceof Lost)) throw error;
    }
  }
}

async function inDatacenters(writer: Writer): Promise<void> {
  const { chance } = writer.round;
  const datacenter = writer.own('datacenter', 3);
  if (!datacenter) {
    const properties = { name: writer.name(), location: chance.one(['de/txl', 'de/fra', 'us/las']) };
    const lans = [writer.name(), writer.name()];
    const entities = { lans: { items: lans.map((name) => ({ properties: { name } })) } };
    await writer.create(
      'datacenter',
      '/datacenters',
      { properties, ...(chance.often(30) && { entities }) },
      'vdc.datacenter',
    );
    return;
  }
  const lan = writer.own('lan', 2, datacenter);
  const lans = `${datacenter.path}/lans`;
  if (!lan || chance.often(20)) {
    await writer.create(
      'lan',
      lans,
      {
        properties: {
          name: writer.name(),
          public: chance.often(50),
          ...(chance.often(50) && { ipv6CidrBlock: 'AUTO' }),
        },
      },
      'net.lan',
      { parent: datacenter },
    );
  } else if (chance.often(30)) await writer.revise(lan, 'net.lan');
  else if (chance.often(25)) await writer.remove(lan, 'net.lan');
  else await onLabels(writer, datacenter);
  if (chance.often(15)) await writer.revise(datacenter, 'vdc.datacenter');
  // Not waited for: the removal meets a creation that is under way below it.
  if (chance.often(8)) {
    const below = { properties: { name: writer.name() } };
    await writer.create('lan', lans, below, 'net.lan', { parent: datacenter, wait: false });
    await writer.remove(datacenter, 'vdc.datacenter');
  }
}

async function withAddresses(writer: Writer): Promise<void> {
  const { chance } = writer.round;
  const block = writer.own('ipblock', 4);
  if (!block) {
    const size = 1 + chance.below(4);
    const properties = { name: writer.name(), location: chance.one(['de/txl', 'us/las']), size };
    const hasty = chance.often(20); // removed while it is still being made
    const made = await writer.create('ipblock', '/ipblocks', { properties }, 'ip.ipblock', { wait: !hasty });
    if (hasty) await writer.remove(made, 'ip.ipblock');
  } else if (chance.often(40)) await writer.revise(block, 'ip.ipblock');
  else if (chance.often(45)) await onLabels(writer, block);
  else await writer.remove(block, 'ip.ipblock');
}

async function onLabels(writer: Writer, parent: TrackedResource): Promise<void> {
  const label = writer.own('label', 2, parent);
  if (label && writer.round.chance.often(40)) return writer.revise(label, 'label.label');
  if (label && writer.round.chance.often(40)) return writer.remove(label, 'label.label');
  const key = writer.name().slice(0, -2);
  const body = { properties: { key, value: '0' } };
  await writer.create('label', `${parent.path}/labels`, body, 'label.label', { parent });
}

async function withPeople(writer: Writer): Promise<void> {
  const { chance } = writer.round;
  const group = writer.own('group', 2);
  if (!group) {
    await writer.create(
      'group',
      '/um/groups',
      { properties: { name: writer.name(), createDataCenter: true } },
      'sec.group',
    );
    return;
  }
  const user = writer.own('user', 2);
  if (!user) {
    const properties = {
      firstname: 'A',
      lastname: '0',
      email: `${writer.name()}@example.com`,
      password: 'Crash-Test-1',
      administrator: true, // may have S3 keys, whatever becomes of the groups
    };
    await writer.create('user', '/um/users', { properties }, 'sec.user');
    return;
  }
  const member = writer.own('member', 1, group);
  if (!member) await writer.join(group, user);
  else if (chance.often(30)) await writer.remove(member, 'sec.group.removeUser', true);
  const key = writer.own('s3key', 2, user);
  if (!key)
    await writer.create('s3key', `${user.path}/s3keys`, { properties: { active: true } }, 'sec.s3key', {
      parent: user,
    });
  else if (chance.often(30)) await writer.remove(key, 'sec.s3key');
  if (chance.often(30)) await writer.revise(user, 'sec.user');
  if (chance.often(30)) await writer.revise(group, 'sec.group');
  if (chance.often(10)) await writer.remove(user, 'sec.user');
  if (chance.often(10)) await writer.remove(group, 'sec.group');
}

async function withTokens(writer: Writer): Promise<void> {
  const token = writer.own('token', 3);
  if (!token) return writer.generate();
  await writer.remove(token, 'sec.token');
}

// Several writers at the same few resources: any may come too early or too late, and only the rows tell whether
// they have left something half made. No promise is kept of these.
async function amongOthers(writer: Writer): Promise<void> {
  const { chance, number } = writer.round;
  pools[number] ??= { datacenters: [], groups: [], users: [], ipblocks: [] };
  const pool = pools[number];
  const [place, body] = chance.one([
    ['datacenters', { properties: { name: 'shared.0', location: 'de/txl' } }],
    ['ipblocks', { properties: { name: 'shared.0', location: 'de/fra', size: 2 } }],
    ['groups', { properties: { name: 'shared.0' } }],
    [
      'users',
      {
        properties: {
          firstname: 'A',
          lastname: 'B',
          email: `shared-${writer.name()}@example.com`,
          password: 'Crash-Test-1',
          administrator: true,
        },
      },
    ],
  ] as const);
  const root = place === 'groups' || place === 'users' ? `/um/${place}` : `/${place}`;
  const known = pool[place];
  if (known.length < 2) {
    const { status, body: made } = await writer.race('POST', root, body);
    if (status === 202) known.push(made.id);
    return;
  }
  const path = `${root}/${chance.one(known)}`;
  const shared = `${path}/shares/${chance.one(pool.datacenters.length ? pool.datacenters : ['none'])}`;
  const [method, at, sent] = chance.one<[string, string, object?]>([
    ['DELETE', path],
    ['PATCH', path, { name: 'shared.0' }],
    ['POST', `${path}/lans`, { properties: { name: 'shared.0' } }],
    ['DELETE', `${path}/lans/1`],
    ['POST', `${path}/labels`, { properties: { key: `shared-${chance.below(3)}`, value: 'x' } }],
    ['DELETE', `${path}/labels/shared-${chance.below(3)}`],
    ['POST', `${path}/users`, { id: pool.users[0] ?? 'none' }],
    ['POST', `${path}/s3keys`, { properties: { active: true } }],
    ['POST', shared, { properties: { editPrivilege: true } }],
    ['DELETE', shared],
  ]);
  const { status } = await writer.race(method, at, sent);
  if (method === 'DELETE' && at === path && status === 202) known.splice(known.indexOf(path.slice(root.length + 1)), 1);
}

const pools: Record<'datacenters' | 'groups' | 'users' | 'ipblocks', string[]>[] = [];
