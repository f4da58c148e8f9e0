// Servers: Dedicated Core (ENTERPRISE), vCPU and Cube. Their NICs stand in them, their volumes beside them.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { after, type Soon } from '../../base/soon.ts';
import { busy } from '../../core/busy.ts';
import { changeOf, removalOf } from '../../core/draft.ts';
import { type Desk, type Draft, type Href, pathOf, resource, step, type Task } from '../../core/resource.ts';
import { flag, integer, shape, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Looking } from '../../core/tree.ts';
import { cpuFamiliesAt, templateById } from '../catalogue/catalogue.ts';
import { datacenter } from '../datacenter.ts';
import { joinDefaultGroup } from '../firewall/default-group.ts';
import { securityGroup } from '../firewall/security-group.ts';
import { refused } from '../lan/addressing.ts';
import { demandNoFailover } from '../lan/failover.ts';
import { isDas, volume, volumePath } from '../storage/volume.ts';
import type { ComputeTools } from '../tools.ts';
import { attach, attached, attachedVolumes, bootOf, detach, isAttached } from './attachment.ts';
import { insertToBoot } from './cdrom-image.ts';
import { gpu } from './gpu.ts';
import { boot, bootFirst, operate } from './machines.ts';
import { serverActs } from './server-acts.ts';
import { serverRules } from './server-rules.ts';
import { takeSlot } from './slots.ts';

const reference = () =>
  shape({ id: text({ required: true, max: 64 }), type: text(), href: text() }, { derived: true, settable: true });

export const server = resource<ComputeTools>({
  name: 'server',
  plural: 'servers',
  parents: [datacenter],
  actions: 'vdc.server',
  flags: ['deleteVolumes'],
  properties: {
    templateUuid: text({ immutable: true, max: 64, description: 'Of a Cube: what it has' }),
    name: text({ max: 255, example: 'example' }),
    hostname: text({
      max: 63,
      pattern: /^[a-z0-9][a-z0-9-]*$/,
      says: 'Expected at most 63 of a-z 0-9 -, not beginning with -',
    }),
    cores: integer({ min: 1, max: 62, example: 1 }),
    ram: integer({ min: 256, max: 235_520, step: 256, example: 1024, description: 'MB' }),
    availabilityZone: text({ oneOf: ['AUTO', 'ZONE_1', 'ZONE_2'], default: 'AUTO' }),
    vmState: text({ serverFilled: true, default: 'RUNNING' }),
    bootCdrom: reference(),
    bootVolume: reference(),
    cpuFamily: text({ max: 64, description: 'Of Dedicated Core servers only; where it is absent, one is chosen' }),
    type: text({ immutable: true, oneOf: ['ENTERPRISE', 'VCPU', 'CUBE'], anyCase: true, default: 'ENTERPRISE' }),
    placementGroupId: text({ max: 64 }),
    nicMultiQueue: flag({ default: false }),
  },
  entities: [
    { name: 'volumes', of: () => volume, reach: true, composite: true, members: attachedVolumes },
    {
      name: 'securitygroups',
      of: () => securityGroup,
      members: (row, store) => store.linkedRows(row.contract, pathOf(row), '>', 'securitygroup'),
    },
    { name: 'gpus', of: () => gpu, reach: true, members: () => Promise.resolve([]) },
  ],
  create: [step('allocate'), { name: 'boot', late: true }],
  change: [step('reconfigure')],
  remove: [step('halt', stillAttached), step('release')],
  acts: serverActs,
  meter: (values) => metered(values),
  rules: serverRules,
  async decide(draft, desk) {
    if (draft.way === 'create') return decideCreation(draft, desk);
    if (draft.way === 'remove') return decideRemoval(draft, desk);
    return decideChange(draft, desk);
  },
  conclude: (draft, desk) => (draft.way === 'create' ? bootFirst(draft, desk) : undefined),
  derive: (row, _values, { store }, href) => bootDevices(row, store, href),
});

function bootDevices(row: Row, store: Looking, href: Href): Soon<Values> {
  const boot = bootOf(row);
  const shown = (id: string, type: string, at: string): Values => ({ id, type, href: href(at) });
  if (!boot) return { bootCdrom: null, bootVolume: null };
  if ('volume' in boot) {
    const at = volumePath(pathOf(row).split('/').slice(0, 2).join('/'), boot.volume);
    return after(isAttached(store, row, boot.volume), (isThere) => ({
      bootCdrom: null,
      bootVolume: isThere ? shown(boot.volume, 'volume', at) : null,
    }));
  }
  return after(store.get(row.contract, `${pathOf(row)}/cdroms`, boot.cdrom), (inserted) => ({
    bootCdrom: inserted ? shown(boot.cdrom, 'image', `images/${boot.cdrom}`) : null,
    bootVolume: null,
  }));
}

// A Cube is paid for until it is deleted, others only while they have cores.
function metered({ type, cores, ram, templateUuid, vmState }: Values): Record<string, number> {
  if (type === 'CUBE') return { [`cube ${templateUuid}`]: 1 };
  const runs = vmState === 'SHUTOFF' ? 0 : 1;
  return { [type === 'VCPU' ? 'vcpus' : 'cores']: runs * Number(cores), ramMb: runs * Number(ram) };
}

async function decideCreation(draft: Draft, desk: Desk<ComputeTools>): Promise<void> {
  const { values, hidden } = draft;
  values.hostname ??= hostnameOf(values.name);
  values.vmState = 'RUNNING';
  const template = values.type === 'CUBE' ? templateById(String(values.templateUuid)) : undefined;
  if (template) Object.assign(values, { cores: template.cores, ram: template.ram, cpuFamily: 'AMD_EPYC' });
  else chooseFamily(draft);
  await holdSize(draft, desk);
  await joinDefaultGroup(draft, desk);
  const volumes = draft.beside.filter(({ resource: { name } }) => name === 'volume');
  const machine = { path: pathOf(draft), isCube: values.type === 'CUBE', isNew: true };
  const taken = new Set<number>();
  for (const one of volumes) {
    if (template && one.values.type === 'DAS') one.values.size = template.storageSize;
    await attach(one, desk.store, machine, taken);
  }
  const nics = draft.children.filter(({ resource: { name } }) => name === 'nic');
  for (const nic of nics) nic.values.pciSlot = await takeSlot(nic, desk.store, machine, 'nic', taken);
  await attachGiven(draft, desk, machine, taken);
  const first = [...draft.beside].find((one) => one.resource.name === 'volume' && one.values.bootOrder !== 'NONE');
  if (first) {
    first.id ||= volume.ids.make?.(first, desk as never) as string;
    hidden.boot = { volume: first.id };
  }
  const bootCdrom = draft.sealed.bootCdrom as { id: string } | null | undefined;
  if (bootCdrom) {
    insertToBoot(draft, desk, bootCdrom.id);
    hidden.boot = { cdrom: bootCdrom.id };
  }
}

// A volume that stands already can be what the new server boots from.
async function attachGiven(
  draft: Draft,
  desk: Desk<ComputeTools>,
  machine: { path: string; isCube: boolean; isNew: boolean },
  taken: Set<number>,
): Promise<void> {
  const id = (draft.sealed.bootVolume as { id?: string } | null | undefined)?.id;
  if (id === undefined) return;
  const top = draft.parents[0] as Row;
  const row = await desk.store.at(draft.contract, volumePath(pathOf(top), id));
  if (row?.state !== 'AVAILABLE')
    throw refused(draft, 'bootVolume', `There is no volume ${id} in this datacenter`, '100');
  const change = changeOf(desk.resource('volume'), draft.caller, draft.parents, row, 'attach');
  if (change.holds.links.length > 0)
    throw refused(draft, 'bootVolume', `The volume ${id} is attached to another server`);
  await attach(change, desk.store, machine, taken);
  draft.beside.unshift(change);
}

async function decideChange(draft: Draft, desk: Desk<ComputeTools>): Promise<void> {
  const { values, stood, sealed, hidden } = draft;
  for (const name of ['cores', 'ram', 'cpuFamily', 'hostname']) values[name] ??= stood[name] ?? null;
  if (values.cpuFamily !== stood.cpuFamily) chooseFamily(draft);
  const isResized = values.cores !== stood.cores || values.ram !== stood.ram;
  if (isResized) await holdSize(draft, desk);
  const row = draft.before as Row;
  const [bootVolume, bootCdrom] = [sealed.bootVolume, sealed.bootCdrom] as ({ id: string } | null | undefined)[];
  if (bootVolume) {
    if (!(await isAttached(desk.store, row, bootVolume.id)))
      throw refused(draft, 'bootVolume', `The volume ${bootVolume.id} is not attached to this server`);
    hidden.boot = { volume: bootVolume.id };
  } else if (bootCdrom) {
    const isInserted = await desk.store.get(row.contract, `${pathOf(row)}/cdroms`, bootCdrom.id);
    if (!isInserted) insertToBoot(draft, desk, bootCdrom.id);
    hidden.boot = { cdrom: bootCdrom.id };
  } else if (draft.way === 'change' && (bootVolume === null || bootCdrom === null)) hidden.boot = null;
  if (isResized || values.hostname !== stood.hostname || values.cpuFamily !== stood.cpuFamily)
    await resize(draft, desk);
}

// What the system on the boot volume can take while it runs is taken so; for anything else the machine boots anew.
async function resize(draft: Draft, desk: Desk<ComputeTools>): Promise<void> {
  const { values, stood, before } = draft;
  const { machines } = desk.tools;
  const size = { cores: Number(values.cores), ram: Number(values.ram), hostname: String(values.hostname ?? '') };
  const isRunning = values.vmState === 'RUNNING';
  if (!isRunning || (await isHotPlugged(draft, desk.store, before as Row)))
    return operate(draft, (machine) => machines.resize(machine, size));
  const isOnlyNamed = values.cores === stood.cores && values.ram === stood.ram && values.cpuFamily === stood.cpuFamily;
  if (isOnlyNamed) return operate(draft, (machine) => machines.resize(machine, size));
  return boot(draft, desk, async (machine) => machines.reset(await machines.resize(machine, size)));
}

async function isHotPlugged({ values, stood, hidden }: Draft, store: Store, row: Row): Promise<boolean> {
  const chosen = (hidden.boot as { volume?: string } | null | undefined)?.volume;
  const volumes = await attachedVolumes(row, store);
  const found = volumes.find(({ id }) => id === chosen);
  const can = (found ? JSON.parse(found.body) : {}) as Values;
  if (values.cpuFamily !== stood.cpuFamily) return false;
  if (Number(values.cores) < Number(stood.cores) || Number(values.ram) < Number(stood.ram)) return false;
  if (values.cores !== stood.cores && can.cpuHotPlug !== true) return false;
  return values.ram === stood.ram || can.ramHotPlug === true;
}

// What the location offers; the families differ in how much a server can have.
function chooseFamily(draft: Draft): void {
  const { values } = draft;
  const { location } = JSON.parse((draft.parents[0] as Row).body) as { location: string };
  const families = cpuFamiliesAt(location);
  const family = values.cpuFamily
    ? families.find(({ cpuFamily }) => cpuFamily === values.cpuFamily)
    : families.find(({ maxCores, maxRam }) => Number(values.cores) <= maxCores && Number(values.ram) <= maxRam);
  if (!family) {
    const names = families.map(({ cpuFamily }) => cpuFamily).join(', ');
    throw refused(
      draft,
      'cpuFamily',
      `Attribute value '${values.cpuFamily}' not allowed. Expected one of [${names}]`,
      '109',
    );
  }
  values.cpuFamily = family.cpuFamily;
  if (Number(values.cores) > family.maxCores)
    throw refused(draft, 'cores', `${family.cpuFamily} has at most ${family.maxCores} cores`, '100');
  if (Number(values.ram) > family.maxRam)
    throw refused(draft, 'ram', `${family.cpuFamily} has at most ${family.maxRam} MB`, '100');
}

async function holdSize(draft: Draft, { tools }: Desk<ComputeTools>): Promise<void> {
  const { values, holds } = draft;
  const limits = await tools.limits(draft.contract);
  const [cores, ram] = [Number(values.cores), Number(values.ram)];
  if (cores > (limits.coresPerServer ?? cores))
    throw refused(draft, 'cores', `The limit coresPerServer of the contract is ${limits.coresPerServer}`);
  if (ram > (limits.ramPerServer ?? ram))
    throw refused(draft, 'ram', `The limit ramPerServer of the contract is ${limits.ramPerServer} MB`);
  holds.counts.coresProvisioned = cores;
  holds.counts.ramProvisioned = ram;
}

// NICs, CD-ROMs and labels stand in the server and go with it. Volumes are let go, or go as well.
async function decideRemoval(draft: Draft, desk: Desk<ComputeTools>): Promise<void> {
  const row = draft.before as Row;
  for (const nic of await desk.store.children(row.contract, `${pathOf(row)}/nics`))
    await demandNoFailover(desk.store, nic);
  for (const one of await attachedVolumes(row, desk.store)) {
    if (one.state !== 'AVAILABLE') throw busy(one);
    if (isDas(one) || draft.flags.has('deleteVolumes')) {
      draft.beside.push(removalOf(desk.resource('volume'), draft.caller, draft.parents, one));
      continue;
    }
    const change = changeOf(desk.resource('volume'), draft.caller, draft.parents, one, 'detach');
    detach(change, pathOf(row));
    draft.beside.push(change);
  }
}

// One that was attached at the very moment of the removal is not known to it.
async function stillAttached({ contract, path, parts, desk: { store } }: Task<ComputeTools>): Promise<void> {
  for (const one of await store.linkedRows(contract, path, '<', attached))
    if (!parts.includes(pathOf(one))) throw new Fault('refused', `The volume ${one.id} was attached meanwhile.`);
}

function hostnameOf(name: Values[string] | undefined): string | null {
  if (typeof name !== 'string') return null;
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 63)
    .replace(/-+$/, '');
  return plain || null;
}
