// The work of the crash test's writers on servers: each on its own, and all of them on the same few.

import { disk, small } from '../harness/landscape.ts';
import type { TrackedResource } from './ledger.ts';
import type { Writer } from './writers.ts';

const action = 'vdc.server';

export async function withServers(writer: Writer): Promise<void> {
  const { chance } = writer.round;
  const datacenter = writer.own('datacenter', 1);
  if (!datacenter) {
    const lans = { items: [{ properties: { name: writer.name(), public: true } }] };
    const properties = { name: writer.name(), location: 'de/txl' };
    await writer.create('datacenter', '/datacenters', { properties, entities: { lans } }, 'vdc.datacenter');
    return;
  }
  const server = writer.own('server', 2, datacenter);
  if (!server) return makeServer(writer, datacenter);
  const work = chance.one([onServer, onServer, onNics, onVolumes, onVolumes, onSnapshots]);
  await work(writer, server, datacenter);
  if (chance.often(5)) await writer.remove(datacenter, 'vdc.datacenter');
}

// In the public LAN, or in one that may not be there.
const nicOf = (writer: Writer) => ({ properties: { name: writer.name(), lan: 1 + writer.round.chance.below(3) } });
const diskOf = (writer: Writer) => ({ properties: { ...disk, name: writer.name() } });

async function makeServer(writer: Writer, datacenter: TrackedResource): Promise<void> {
  const entities = {
    volumes: { items: [diskOf(writer), diskOf(writer)] },
    nics: { items: [nicOf(writer), nicOf(writer)] },
  };
  const properties = { ...small, name: writer.name(), type: writer.round.chance.one(['ENTERPRISE', 'VCPU']) };
  const body = writer.round.chance.often(70) ? { properties, entities } : { properties };
  const server = await writer.create('server', `${datacenter.path}/servers`, body, action, { parent: datacenter });
  await writer.learn(server);
}

async function onServer(writer: Writer, server: TrackedResource): Promise<void> {
  const { chance } = writer.round;
  const isOn = server.powers[0] === 'RUNNING';
  if (chance.often(25)) return writer.revise(server, action);
  if (chance.often(25)) return writer.removeServer(server, action, chance.often(50));
  const [verb, next] = chance.often(20) ? ['reboot', 'RUNNING'] : isOn ? ['stop', 'SHUTOFF'] : ['start', 'RUNNING'];
  await writer.act(server, 'powers', next as string, ['POST', `${server.path}/${verb}`], `${action}.${verb}`);
}

async function onNics(writer: Writer, server: TrackedResource): Promise<void> {
  const { chance } = writer.round;
  const nic = writer.own('nic', 3, server);
  if (!nic) await writer.create('nic', `${server.path}/nics`, nicOf(writer), 'net.nic', { parent: server });
  else if (chance.often(50)) await writer.revise(nic, 'net.nic');
  else await writer.remove(nic, 'net.nic');
}

async function onVolumes(writer: Writer, server: TrackedResource, datacenter: TrackedResource): Promise<void> {
  const { chance } = writer.round;
  const parent = datacenter;
  const home = `${datacenter.path}/volumes`;
  const volume = writer.own('volume', 4, datacenter);
  if (!volume) {
    const [place, options] = chance.often(50)
      ? [`${server.path}/volumes`, { parent, home, host: server }]
      : [home, { parent }];
    await writer.create('volume', place, diskOf(writer), 'vdc.volume', options);
    return;
  }
  if (chance.often(20)) return writer.revise(volume, 'vdc.volume');
  if (chance.often(20)) return writer.remove(volume, 'vdc.volume');
  const id = volume.path.slice(home.length + 1);
  if (volume.hosts[0] === '')
    return writer.act(volume, 'hosts', server.name, ['POST', `${server.path}/volumes`, { id }], 'vdc.volume.attach');
  if (volume.hosts[0] !== server.name) return;
  await writer.act(volume, 'hosts', '', ['DELETE', `${server.path}/volumes/${id}`], 'vdc.volume.detach');
}

async function onSnapshots(writer: Writer, _server: TrackedResource, datacenter: TrackedResource): Promise<void> {
  const snapshot = writer.own('snapshot', 2);
  if (snapshot && writer.round.chance.often(30)) return writer.revise(snapshot, 'vdc.snapshot');
  if (snapshot) return writer.remove(snapshot, 'vdc.snapshot');
  const volume = writer.own('volume', 1, datacenter);
  if (!volume) return;
  const body = { properties: { name: writer.name() } };
  await writer.create('snapshot', `${volume.path}/create-snapshot`, body, 'vdc.snapshot', { home: '/snapshots' });
}

// Several at the same few: no promise is kept of these, only the rows tell whether something is half made.
interface Pool {
  datacenter?: string;
  servers: string[];
  volumes: string[];
}

const pools: Pool[] = [];

export async function amongServers(writer: Writer): Promise<void> {
  const { chance, number } = writer.round;
  pools[number] ??= { servers: [], volumes: [] };
  const pool = pools[number];
  if (pool.datacenter === undefined) {
    const { status, body } = await writer.race('POST', '/datacenters', {
      properties: { name: 'shared.0', location: 'de/txl' },
    });
    if (status === 202) pool.datacenter = `/datacenters/${body.id}`;
    return;
  }
  const shared = { ...disk, name: 'shared.0' };
  const nic = { properties: { name: 'shared.0', lan: 1 + chance.below(3) } };
  const make = async (kind: 'servers' | 'volumes', place: string, body: object): Promise<void> => {
    const { status, body: made } = await writer.race('POST', place, body);
    if (status === 202) pool[kind].push(`${pool.datacenter}/${kind}/${made.id}`);
  };
  if (pool.volumes.length < 4) return make('volumes', `${pool.datacenter}/volumes`, { properties: shared });
  const entities = { volumes: { items: [{ properties: shared }] }, nics: { items: [nic] } };
  if (pool.servers.length < 3)
    return make('servers', `${pool.datacenter}/servers`, { properties: { ...small, name: 'shared.0' }, entities });
  const [server, volume] = [chance.one(pool.servers), chance.one(pool.volumes)];
  const id = volume.slice(volume.lastIndexOf('/') + 1);
  const [method, path, body] = chance.one<[string, string, object?]>([
    ['POST', `${server}/volumes`, { id }],
    ['DELETE', `${server}/volumes/${id}`],
    ['POST', `${server}/nics`, nic],
    ['POST', `${server}/${chance.one(['start', 'stop', 'reboot'])}`],
    ['PATCH', server, { cores: 1 + chance.below(3) }],
    ['DELETE', `${server}${chance.one(['', '?deleteVolumes=true'])}`],
    ['DELETE', volume],
    ['DELETE', `${pool.datacenter}/lans/${1 + chance.below(3)}`],
  ]);
  const { status } = await writer.race(method, path, body);
  if (method !== 'DELETE' || status !== 202) return;
  pool.servers = pool.servers.filter((one) => !path.startsWith(one) || path.includes('/volumes/'));
  pool.volumes = pool.volumes.filter((one) => one !== path);
}
