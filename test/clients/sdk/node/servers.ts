// Servers, and their devices.
import { accepted, all, answered, client, filters, idOf, read, refused, report, tag } from './client.ts';
import { createDatacenter } from './infrastructure.ts';
import { life } from './life.ts';

const { servers: api, volumes, snapshots, images, templates, nics, rules, flowLogs, labels } = client;
const imagePassword = 'APasswordOfTests1';
// As in a file, with the end of its line.
const sshKeys = ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK5n8TScrJLYYt9RspypbYVVjAvQbbXmvnmxQvKMDhlR test@example.com\n'];

const oneImage = (imageAliases: string, imageType: string) =>
  read(images.imagesGet({ depth: 1, filters: filters({ imageAliases, imageType, location: 'de/txl' }) }));
const oneTemplate = (name: string) => read(templates.templatesGet({ depth: 1, filters: filters({ name }) }));
const firstIn = (list: { items?: { id?: string }[] }): string => idOf({ body: list.items?.[0] ?? {} });

export async function servers(): Promise<void> {
  const catalogue = lookUp();
  const datacenterId = idOf(await createDatacenter(`${tag}-servers`));
  const [web, cube] = await Promise.all([composite(datacenterId), kinds(datacenterId)]);
  await lists(datacenterId, cube);
  await changes(datacenterId, web);
  await power(datacenterId, web, cube);
  await cdromChecks(datacenterId, web); // it changes the server itself
  await Promise.all([volumeChecks(datacenterId, web), nicChecks(datacenterId, web), labelChecks(datacenterId, web)]);
  await snapshotChecks(datacenterId, web);
  await ends(datacenterId, web, cube);
  await catalogue;
}

async function lookUp(): Promise<void> {
  const [found, none, template] = await Promise.all([
    oneImage('debian:latest', 'HDD'),
    oneImage('debian:latest', 'UNKNOWN'),
    oneTemplate('Basic Cube XS'),
  ]);
  report('image_list', { found, none });
  report('template_list', { found: template });
}

export const getServer = (datacenterId: string, serverId: string, depth = 0) =>
  read(api.datacentersServersFindById({ datacenterId, serverId, depth }));

async function composite(datacenterId: string): Promise<string> {
  const rule = { name: 'http', protocol: 'TCP', portRangeStart: 80, portRangeEnd: 80 } as const;
  const nic = {
    properties: { name: 'first', lan: 1, dhcp: true, firewallActive: true },
    entities: { firewallrules: { items: [{ properties: rule }] } },
  };
  const image = { imageAlias: 'ubuntu:latest', imagePassword, sshKeys };
  const volume = { name: 'system', size: 10, type: 'HDD', ...image };
  const server = {
    properties: { name: 'web', cores: 2, ram: 2048, availabilityZone: 'ZONE_1' },
    entities: { volumes: { items: [{ properties: volume }] }, nics: { items: [nic] } },
  };
  const created = await accepted(api.datacentersServersPost({ datacenterId, server } as never));
  const id = idOf(created);
  report('server_composite', created, { after: await getServer(datacenterId, id, 4) });
  return id;
}

async function kinds(datacenterId: string): Promise<string> {
  const vcpu = { properties: { name: 'shared', type: 'VCPU', cores: 1, ram: 1024 } };
  const shared = accepted(api.datacentersServersPost({ datacenterId, server: vcpu } as never));
  const templateUuid = firstIn(await oneTemplate('Basic Cube XS'));
  const das = { name: 'das', type: 'DAS', imageAlias: 'debian:latest', imagePassword };
  const server = {
    properties: { name: 'cube', type: 'CUBE', templateUuid },
    entities: { volumes: { items: [{ properties: das }] } },
  };
  const cube = idOf(await accepted(api.datacentersServersPost({ datacenterId, server } as never)));
  const seen = all({
    shared: getServer(datacenterId, idOf(await shared)),
    cube: getServer(datacenterId, cube, 2),
  });
  report('server_kinds', await seen);
  return cube;
}

async function lists(datacenterId: string, cube: string): Promise<void> {
  const get = (depth: number, wanted: Record<string, string> = {}) =>
    read(api.datacentersServersGet({ datacenterId, depth, filters: filters(wanted) }));
  const seen = await all({ references: get(0), cubes: get(1, { type: 'cube' }), deep: get(3, { name: 'WEB' }) });
  report('server_list', { cube }, seen);
}

async function changes(datacenterId: string, serverId: string): Promise<void> {
  const patch = { cores: 3, ram: 3072 };
  const patched = await accepted(
    api.datacentersServersPatch({ datacenterId, serverId, server: patch as never, depth: 0 }),
  );
  report('server_patch', patched, { after: await getServer(datacenterId, serverId) });
  const properties = { name: 'site', cores: 4, ram: 4096, availabilityZone: 'ZONE_1' };
  const put = await accepted(
    api.datacentersServersPut({ datacenterId, serverId, server: { properties } as never, depth: 0 }),
  );
  report('server_put', put, { after: await getServer(datacenterId, serverId) });
}

async function power(datacenterId: string, web: string, cube: string): Promise<void> {
  const [server, other] = [
    { datacenterId, serverId: web },
    { datacenterId, serverId: cube },
  ];
  const acts = {
    stop: () => api.datacentersServersStopPost(server),
    start: () => api.datacentersServersStartPost(server),
    reboot: () => api.datacentersServersRebootPost(server),
    suspend: () => api.datacentersServersSuspendPost(other),
    resume: () => api.datacentersServersResumePost(other),
  };
  const perform = async (act: keyof typeof acts, serverId: string) => {
    const { status } = await accepted(acts[act]());
    const { properties } = await getServer(datacenterId, serverId);
    return { act, status, vmState: properties?.vmState };
  };
  const [ofServer, ofCube] = await Promise.all([
    inTurn(['stop', 'start', 'reboot'] as const, (act) => perform(act, web)),
    inTurn(['suspend', 'resume'] as const, (act) => perform(act, cube)),
  ]);
  report('server_power', { acts: [...ofServer, ...ofCube] });
  const seen = all({
    console: read(api.datacentersServersRemoteConsoleGet(server)),
    token: read(api.datacentersServersTokenGet(server)),
  });
  report('server_console', await seen);
}

async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const one of all) done.push(await work(one));
  return done;
}

async function volumeChecks(datacenterId: string, serverId: string): Promise<void> {
  const properties = { name: 'data', size: 5, type: 'SSD Standard', licenceType: 'OTHER' };
  const whole = { properties: { ...properties, name: 'more', size: 8 } };
  await life('volume_life', {
    name: 'data',
    create: () => volumes.datacentersVolumesPost({ datacenterId, volume: { properties } as never }),
    list: (found) => volumes.datacentersVolumesGet({ datacenterId, ...found }),
    change: (volumeId) => volumes.datacentersVolumesPatch({ datacenterId, volumeId, volume: { size: 7 } as never }),
    put: (volumeId) => volumes.datacentersVolumesPut({ datacenterId, volumeId, volume: whole as never }),
    get: (volumeId) => volumes.datacentersVolumesFindById({ datacenterId, volumeId }),
    remove: (volumeId) => volumes.datacentersVolumesDelete({ datacenterId, volumeId }),
    inside: async (volumeId) => {
      const at = { datacenterId, serverId };
      const attached = await accepted(api.datacentersServersVolumesPost({ ...at, volume: { id: volumeId } as never }));
      const seen = await read(api.datacentersServersVolumesGet({ ...at, depth: 1 }));
      const ended = await accepted(api.datacentersServersVolumesDelete({ ...at, volumeId }));
      const gone = await refused(api.datacentersServersVolumesFindById({ ...at, volumeId }));
      report('volume_attach', { id: volumeId, attached, seen, ended, gone });
    },
  });
}

async function cdromChecks(datacenterId: string, serverId: string): Promise<void> {
  const at = { datacenterId, serverId };
  const cdromId = firstIn(await oneImage('ubuntu:latest', 'CDROM'));
  await bootChecks(datacenterId, serverId, cdromId);
  const attached = await accepted(api.datacentersServersCdromsPost({ ...at, cdrom: { id: cdromId } as never }));
  const seen = await read(api.datacentersServersCdromsGet({ ...at, depth: 1 }));
  const ended = await accepted(api.datacentersServersCdromsDelete({ ...at, cdromId }));
  const gone = await refused(api.datacentersServersCdromsFindById({ ...at, cdromId }));
  report('cdrom_attach', { id: cdromId, attached, seen, ended, gone });
}

async function bootChecks(datacenterId: string, serverId: string, iso: string): Promise<void> {
  const at = { datacenterId, serverId };
  const boot = async (device: object) => {
    await accepted(api.datacentersServersPatch({ ...at, server: device as never }));
    return getServer(datacenterId, serverId, 1);
  };
  const system = firstIn(await read(api.datacentersServersVolumesGet(at)));
  const booted = await boot({ bootCdrom: { id: iso } });
  report('server_boot', { iso, system, booted, after: await boot({ bootVolume: { id: system } }) });
  await accepted(api.datacentersServersCdromsDelete({ ...at, cdromId: iso }));
}

async function snapshotChecks(datacenterId: string, serverId: string): Promise<void> {
  const name = `${tag}-copy`;
  const volumeId = firstIn(await read(api.datacentersServersVolumesGet({ datacenterId, serverId })));
  const at = { datacenterId, volumeId };
  const wish = { properties: { name, description: 'first' } };
  const created = await accepted(volumes.datacentersVolumesCreateSnapshotPost({ ...at, snapshot: wish }));
  const snapshotId = idOf(created);
  const listed = await read(snapshots.snapshotsGet({ depth: 1, filters: filters({ name: name.toUpperCase() }) }));
  const changed = await accepted(snapshots.snapshotsPatch({ snapshotId, snapshot: { description: 'second' } }));
  const after = await read(snapshots.snapshotsFindById({ snapshotId }));
  const back = { properties: { snapshotId } };
  const restored = await accepted(volumes.datacentersVolumesRestoreSnapshotPost({ ...at, restoreSnapshot: back }));
  const volume = { properties: { name: 'seeded', size: 12, type: 'HDD', image: snapshotId } };
  const seeded = await accepted(volumes.datacentersVolumesPost({ datacenterId, volume: volume as never }));
  const ended = await accepted(snapshots.snapshotsDelete({ snapshotId }));
  const gone = await refused(snapshots.snapshotsFindById({ snapshotId }));
  report('snapshot_life', { created, listed, changed, after, restored, seeded, ended, gone });
}

async function nicChecks(datacenterId: string, serverId: string): Promise<void> {
  const at = { datacenterId, serverId };
  const properties = { name: 'second', lan: 2, dhcp: true };
  await life('nic_life', {
    name: 'second',
    create: () => nics.datacentersServersNicsPost({ ...at, nic: { properties } }),
    list: (found) => nics.datacentersServersNicsGet({ ...at, ...found }),
    change: (nicId) => nics.datacentersServersNicsPatch({ ...at, nicId, nic: { firewallActive: true } as never }),
    put: (nicId) =>
      nics.datacentersServersNicsPut({ ...at, nicId, nic: { properties: { name: 'put', lan: 2, dhcp: false } } }),
    get: (nicId) => nics.datacentersServersNicsFindById({ ...at, nicId }),
    remove: (nicId) => nics.datacentersServersNicsDelete({ ...at, nicId }),
    inside: (nicId) => Promise.all([ruleChecks({ ...at, nicId }), logChecks({ ...at, nicId })]),
  });
}

interface AtNic {
  datacenterId: string;
  serverId: string;
  nicId: string;
}

function ruleChecks(at: AtNic): Promise<void> {
  const properties = { name: 'ssh', protocol: 'TCP', portRangeStart: 22, portRangeEnd: 22 };
  const whole = { properties: { name: 'any', protocol: 'TCP', sourceIp: '10.1.2.3' } };
  return life('firewallrule_life', {
    name: 'ssh',
    create: () => rules.datacentersServersNicsFirewallrulesPost({ ...at, firewallrule: { properties } as never }),
    list: (found) => rules.datacentersServersNicsFirewallrulesGet({ ...at, ...found }),
    change: (firewallruleId) =>
      rules.datacentersServersNicsFirewallrulesPatch({
        ...at,
        firewallruleId,
        firewallrule: { portRangeEnd: 23 } as never,
      }),
    put: (firewallruleId) =>
      rules.datacentersServersNicsFirewallrulesPut({ ...at, firewallruleId, firewallrule: whole as never }),
    get: (firewallruleId) => rules.datacentersServersNicsFirewallrulesFindById({ ...at, firewallruleId }),
    remove: (firewallruleId) => rules.datacentersServersNicsFirewallrulesDelete({ ...at, firewallruleId }),
  });
}

export const flowLogOf = (name: string) =>
  ({ properties: { name, action: 'ALL', direction: 'INGRESS', bucket: `${tag}-logs` } }) as never;

function logChecks(at: AtNic): Promise<void> {
  return life('flowlog_life', {
    name: 'log',
    create: () => flowLogs.datacentersServersNicsFlowlogsPost({ ...at, flowlog: flowLogOf('log') }),
    list: (found) => flowLogs.datacentersServersNicsFlowlogsGet({ ...at, ...found }),
    change: (flowlogId) =>
      flowLogs.datacentersServersNicsFlowlogsPatch({ ...at, flowlogId, flowlog: { name: 'other' } as never }),
    put: (flowlogId) => flowLogs.datacentersServersNicsFlowlogsPut({ ...at, flowlogId, flowlog: flowLogOf('put') }),
    get: (flowlogId) => flowLogs.datacentersServersNicsFlowlogsFindById({ ...at, flowlogId }),
    remove: (flowlogId) => flowLogs.datacentersServersNicsFlowlogsDelete({ ...at, flowlogId }),
  });
}

async function labelChecks(datacenterId: string, serverId: string): Promise<void> {
  const at = { datacenterId, serverId };
  const label = (value: string) => ({ properties: { key: 'stage', value } });
  const created = await answered(labels.datacentersServersLabelsPost({ ...at, label: label('test') }));
  const changed = await answered(labels.datacentersServersLabelsPut({ ...at, key: 'stage', label: label('live') }));
  const seen = await read(labels.datacentersServersLabelsGet({ ...at, depth: 1 }));
  const ended = await answered(labels.datacentersServersLabelsDelete({ ...at, key: 'stage' }));
  const gone = await refused(labels.datacentersServersLabelsFindByKey({ ...at, key: 'stage' }));
  report('server_label', { created, changed, seen, ended, gone });
}

async function ends(datacenterId: string, web: string, cube: string): Promise<void> {
  const volumeOf = async (serverId: string): Promise<string> =>
    firstIn(await read(api.datacentersServersVolumesGet({ datacenterId, serverId })));
  const [das, system] = await Promise.all([volumeOf(cube), volumeOf(web)]);
  const kept = await refused(volumes.datacentersVolumesDelete({ datacenterId, volumeId: das }));
  const [ended] = await Promise.all([
    accepted(api.datacentersServersDelete({ datacenterId, serverId: web, deleteVolumes: true })),
    accepted(api.datacentersServersDelete({ datacenterId, serverId: cube })),
  ]);
  const goneVolume = (volumeId: string) => refused(volumes.datacentersVolumesFindById({ datacenterId, volumeId }));
  const gone = await all({
    gone: refused(api.datacentersServersFindById({ datacenterId, serverId: web })),
    volumes: Promise.all([goneVolume(das), goneVolume(system)]),
  });
  report('server_delete', ended, { das: kept }, gone);
}
