// Servers: Dedicated Core (ENTERPRISE), vCPU, Cube and GPU. NICs are their children, volumes are linked to them.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { busy } from '../../core/operation/busy.ts';
import { changeOf, removalOf } from '../../core/operation/draft.ts';
import { type DecisionContext, type Draft, type Href, pathOf, resource, step, type Task } from '../../core/resource.ts';
import { flag, integer, shape, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Reader } from '../../core/tree.ts';
import { templateById } from '../catalogue/catalogue.ts';
import { demandUnusedId } from '../copied-id.ts';
import { datacenter } from '../datacenter.ts';
import { joinDefaultGroup, shownGroups } from '../firewall/default-group.ts';
import { securityGroup } from '../firewall/security-group.ts';
import { refused } from '../lan/address-claims.ts';
import { refuseFailoverAddress } from '../lan/failover.ts';
import { isDas, volume, volumePath } from '../storage/volume.ts';
import type { ComputeTools } from '../tools.ts';
import { attach, attached, attachedVolumes, bootOf, detach, isAttached } from './attachment.ts';
import { checkBootOrders, chooseBootVolume, refuseOtherPrimary } from './boot-order.ts';
import { cdromClaim, insertToBoot, maxCdroms } from './cdrom-image.ts';
import { chooseFamily } from './cpu-family.ts';
import { existingVolume } from './existing-volume.ts';
import { gpu, installedGpus, installGpus } from './gpu.ts';
import { destroyStep, machineStep } from './machine-steps.ts';
import { claimSlot } from './pci-slots.ts';
import { serverActions } from './server-actions.ts';
import { boot, bootFirst, operate } from './server-machine.ts';
import { isTemplated, mostCores, mostRam, mostVcpus, serverRules } from './server-rules.ts';

const reference = () =>
  shape(
    { id: text({ required: true, max: 64 }), type: text(), href: text() },
    {
      derived: true,
      settable: true,
      late: true,
    },
  );

export const server = resource<ComputeTools>({
  name: 'server',
  plural: 'servers',
  ownCreation: true,
  relations: [
    { name: 'cdroms', by: 'add' },
    { name: 'securitygroups', by: 'set' },
  ],
  seededState: { property: 'vmState', acts: { SHUTOFF: 'stop', SUSPENDED: 'suspend' }, nearest: copiedState },
  determined: ({ type }) => (isTemplated(type) ? ['cores', 'ram', 'cpuFamily'] : type === 'VCPU' ? ['cpuFamily'] : []),
  usage: { counted: { coresProvisioned: 'cores', ramProvisioned: 'ram' }, meter: (values) => metered(values) },
  parents: [datacenter],
  rights: { create: 'none' },
  verbs: ['list', 'get', 'replace', 'change', 'remove'], // its creation has a separate route
  actions: 'vdc.server',
  lifecycle: {
    flags: ['deleteVolumes'],
    create: [step('allocate'), machineStep('boot', true)],
    change: [machineStep('reconfigure')],
    remove: [step('halt', stillAttached), destroyStep],
    acts: serverActions,
    can: { reboot: ['RUNNING', 'SHUTOFF'] }, // of its vmState
  },
  properties: {
    templateUuid: text({
      title: 'Template',
      immutable: true,
      max: 64,
      description: 'Template of a Cube or a GPU server',
    }),
    name: text({ max: 255, example: 'example' }),
    hostname: text({
      max: 63,
      pattern: /^[a-z0-9][a-z0-9-]*$/,
      says: 'Expected at most 63 of a-z 0-9 -, not beginning with -',
    }),
    cores: integer({ min: 1, example: 1, description: `At most ${mostCores}; at most ${mostVcpus} for a vCPU server` }),
    ram: integer({ min: 256, step: 256, example: 1024, unit: 'MB', description: `At most ${mostRam}` }),
    availabilityZone: text({ oneOf: ['AUTO', 'ZONE_1', 'ZONE_2'], default: 'AUTO' }),
    vmState: text({ serverFilled: true, default: 'RUNNING' }),
    bootCdrom: reference(),
    bootVolume: reference(),
    cpuFamily: text({ max: 64, description: 'Only for Dedicated Core servers. Chosen by the region if absent' }),
    type: text({ immutable: true, oneOf: ['ENTERPRISE', 'VCPU', 'CUBE', 'GPU'], anyCase: true, default: 'ENTERPRISE' }),
    placementGroupId: text({ title: 'Placement group', inForms: 'never', max: 64 }),
    nicMultiQueue: flag({
      default: false,
      description: 'Not for Cubes and GPU servers. A change restarts the server',
    }),
  },
  shown: { columns: ['name', 'type', 'cores', 'ram', 'vmState'] },
  sample: { change: { name: 'changed', cores: 3, ram: 2048 } },
  entities: [
    { name: 'volumes', of: () => volume, reach: true, composite: true, members: attachedVolumes },
    {
      name: 'securitygroups',
      of: () => securityGroup,
      reach: true,
      members: shownGroups,
    },
    { name: 'gpus', of: () => gpu, reach: true, members: installedGpus },
  ],
  rules: serverRules,
  async decide(draft, context) {
    if (draft.way === 'create') return decideCreation(draft, context);
    if (draft.way === 'remove') return decideRemoval(draft, context);
    return decideChange(draft, context);
  },
  conclude: (draft, context) => (draft.way === 'create' ? bootFirst(draft, context) : undefined),
  derive: (row, _values, { store }, href) => bootDevices(row, store, href),
});

// A server also crashes, or is switched off from inside. Those with a template can only be suspended.
function copiedState({ type, vmState }: Values): string {
  if (vmState === 'RUNNING' || vmState === 'BLOCKED') return 'RUNNING'; // blocked: it waits for a device
  return isTemplated(type) ? 'SUSPENDED' : 'SHUTOFF';
}

async function bootDevices(row: Row, store: Reader, href: Href): Promise<Values> {
  const boot = bootOf(row);
  const shown = (id: string, type: string, at: string): Values => ({ id, type, href: href(at) });
  if (!boot) return { bootCdrom: null, bootVolume: null };
  if ('volume' in boot) {
    const at = volumePath(pathOf(row).split('/').slice(0, 2).join('/'), boot.volume);
    const isThere = await isAttached(store, row, boot.volume);
    return { bootCdrom: null, bootVolume: isThere ? shown(boot.volume, 'volume', at) : null };
  }
  const inserted = await store.get(row.contract, `${pathOf(row)}/cdroms`, boot.cdrom);
  return { bootCdrom: inserted ? shown(boot.cdrom, 'image', `images/${boot.cdrom}`) : null, bootVolume: null };
}

// A Cube or a GPU server is billed while it exists; other servers only while they run.
function metered({ type, cores, ram, cpuFamily, templateUuid, vmState }: Values): Record<string, number> {
  if (isTemplated(type))
    return { [`${String(type).toLowerCase()} ${templateById(String(templateUuid))?.name ?? templateUuid}`]: 1 };
  const runs = vmState === 'SHUTOFF' ? 0 : 1;
  return { [type === 'VCPU' ? 'vcpus' : `cores ${cpuFamily}`]: runs * Number(cores), ramMb: runs * Number(ram) };
}

async function decideCreation(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const { values, hidden } = draft;
  await demandUnusedId(draft, context);
  values.hostname ??= hostnameOf(values.name);
  values.vmState = 'RUNNING';
  const template = isTemplated(values.type) ? templateById(String(values.templateUuid)) : undefined;
  if (template) Object.assign(values, { cores: template.cores, ram: template.ram, cpuFamily: familyOf(values.type) });
  else chooseFamily(draft);
  if (template && values.type === 'GPU') installGpus(draft, template);
  await holdSize(draft, context);
  await joinDefaultGroup(draft, context);
  const chosen = await bootGiven(draft, context);
  const volumes = draft.related.filter(({ resource: { name } }) => name === 'volume');
  if (template) demandOneOfTemplate(draft, volumes);
  checkBootOrders(volumes);
  const machine = { path: pathOf(draft), isCube: values.type === 'CUBE', isNew: true };
  const taken = new Set<number>();
  for (const one of volumes) {
    if (template && one.values.type === 'DAS') one.values.size = template.storageSize;
    await attach(one, context.store, machine, taken);
  }
  const nics = draft.children.filter(({ resource: { name } }) => name === 'nic');
  for (const nic of nics) nic.values.pciSlot = await claimSlot(nic, context.store, machine, 'nic', taken);
  // In the order of the body, which is that of the list.
  for (const one of volumes) one.id ||= volume.ids.make?.(one, context as never) as string;
  const first = chooseBootVolume(volumes, chosen);
  if (first) hidden.boot = { volume: first.id };
  const bootCdrom = draft.sealed.bootCdrom as { id: string } | null | undefined;
  if (bootCdrom) {
    if (!draft.children.some(({ resource, id }) => resource.name === 'cdrom' && id === bootCdrom.id))
      insertToBoot(draft, context, bootCdrom.id);
    hidden.boot = { cdrom: bootCdrom.id };
  }
  insertAll(draft);
}

const familyOf = (type: Values[string] | undefined): string => (type === 'GPU' ? 'AMD_TURIN' : 'AMD_EPYC');

function demandOneOfTemplate(draft: Draft, volumes: readonly Draft[]): void {
  const isCube = draft.values.type === 'CUBE';
  const count = volumes.filter(({ values, hidden }) => (isCube ? values.type === 'DAS' : hidden.ofTemplate)).length;
  if (count === 1) return;
  const at = draft.at.replace(/properties$/, 'entities.volumes');
  const what = isCube ? 'A Cube needs exactly one volume of type DAS' : gpuNeedsVolume;
  throw new Fault('refused', `[${at}] ${what}, not ${count}`, { code: '200' });
}

const gpuNeedsVolume = 'A GPU server needs exactly one volume without a size, which comes from the template';

// The new server can boot from an existing volume, which may be among its volumes as well.
async function bootGiven(draft: Draft, context: DecisionContext<ComputeTools>): Promise<Draft | undefined> {
  const id = (draft.sealed.bootVolume as { id?: string } | null | undefined)?.id;
  if (id === undefined) return undefined;
  const named = draft.related.find((one) => one.resource.name === 'volume' && one.way === 'change' && one.id === id);
  if (named) return named;
  const given = await existingVolume(draft, context.store, context.resource('volume'), id, `${draft.at}.bootVolume`);
  draft.related.push(given);
  return given;
}

// At most as many CD-ROMs as a server takes, each in its own slot.
function insertAll(draft: Draft): void {
  const inserted = draft.children.filter(({ resource: { name } }) => name === 'cdrom');
  for (const [index, one] of inserted.entries()) {
    if (inserted.findIndex(({ id }) => id === one.id) < index)
      throw refused(one, 'id', 'The image is in the list twice');
    if (index >= maxCdroms) throw refused(one, 'id', `A server has at most ${maxCdroms} CD-ROMs`);
    one.reservations.claims.push(cdromClaim(pathOf(draft), index + 1));
  }
}

async function decideChange(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const { values, previous, sealed, hidden } = draft;
  for (const name of ['cores', 'ram', 'cpuFamily', 'hostname']) values[name] ??= previous[name] ?? null;
  if (values.cpuFamily !== previous.cpuFamily) chooseFamily(draft);
  const isResized = values.cores !== previous.cores || values.ram !== previous.ram;
  if (isResized) await holdSize(draft, context);
  const row = draft.before as Row;
  const [bootVolume, bootCdrom] = [sealed.bootVolume, sealed.bootCdrom] as ({ id: string } | null | undefined)[];
  if (bootVolume) {
    if (!(await isAttached(context.store, row, bootVolume.id)))
      throw refused(draft, 'bootVolume', `Volume ${bootVolume.id} is not attached to this server`);
    await refuseOtherPrimary(draft, context.store, bootVolume.id);
    hidden.boot = { volume: bootVolume.id };
  } else if (bootCdrom) {
    const isInserted = await context.store.get(row.contract, `${pathOf(row)}/cdroms`, bootCdrom.id);
    if (!isInserted) insertToBoot(draft, context, bootCdrom.id);
    hidden.boot = { cdrom: bootCdrom.id };
  } else if (draft.way === 'change' && (bootVolume === null || bootCdrom === null)) hidden.boot = null;
  if (isResized || ['hostname', 'cpuFamily', 'nicMultiQueue'].some((name) => values[name] !== previous[name]))
    await resize(draft, context);
}

// Values that the running system can take are changed live; for all others the machine reboots.
async function resize(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const { values, previous, before } = draft;
  const { machines } = context.tools;
  const size = { cores: Number(values.cores), ram: Number(values.ram), hostname: String(values.hostname ?? '') };
  const isRunning = values.vmState === 'RUNNING';
  if (!isRunning || (await isHotPlugged(draft, context.store, before as Row)))
    return operate(draft, (machine) => machines.resize(machine, size));
  const isOnlyNamed = ['cores', 'ram', 'cpuFamily', 'nicMultiQueue'].every((name) => values[name] === previous[name]);
  if (isOnlyNamed) return operate(draft, (machine) => machines.resize(machine, size));
  return boot(draft, context, async (machine) => machines.reset(await machines.resize(machine, size)));
}

async function isHotPlugged({ values, previous, hidden }: Draft, store: Store, row: Row): Promise<boolean> {
  const chosen = (hidden.boot as { volume?: string } | null | undefined)?.volume;
  const volumes = await attachedVolumes(row, store);
  const found = volumes.find(({ id }) => id === chosen);
  const can = (found ? JSON.parse(found.body) : {}) as Values;
  if (values.cpuFamily !== previous.cpuFamily || values.nicMultiQueue !== previous.nicMultiQueue) return false;
  if (Number(values.cores) < Number(previous.cores) || Number(values.ram) < Number(previous.ram)) return false;
  if (values.cores !== previous.cores && can.cpuHotPlug !== true) return false;
  return values.ram === previous.ram || can.ramHotPlug === true;
}

async function holdSize(draft: Draft, { tools }: DecisionContext<ComputeTools>): Promise<void> {
  const { values, reservations } = draft;
  const limits = await tools.limits(draft.contract);
  const [cores, ram] = [Number(values.cores), Number(values.ram)];
  reservations.counts.coresProvisioned = cores;
  reservations.counts.ramProvisioned = ram;
  if (values.type === 'GPU') return; // the limits for one server are for sizes that can be chosen
  if (cores > (limits.coresPerServer ?? cores))
    throw refused(draft, 'cores', `The limit coresPerServer of the contract is ${limits.coresPerServer}`);
  if (ram > (limits.ramPerServer ?? ram))
    throw refused(draft, 'ram', `The limit ramPerServer of the contract is ${limits.ramPerServer} MB`);
}

// NICs, CD-ROMs and labels are part of the server and deleted with it. Volumes are detached or deleted.
async function decideRemoval(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const row = draft.before as Row;
  for (const nic of await context.store.children(row.contract, `${pathOf(row)}/nics`))
    await refuseFailoverAddress(context.store, nic);
  for (const one of await attachedVolumes(row, context.store)) {
    if (one.state !== 'AVAILABLE') throw busy(one);
    if (isDas(one) || draft.flags.has('deleteVolumes')) {
      draft.related.push(removalOf(context.resource('volume'), draft.caller, draft.parents, one));
      continue;
    }
    const change = changeOf(context.resource('volume'), draft.caller, draft.parents, one, 'detach');
    detach(change, pathOf(row));
    draft.related.push(change);
  }
}

// The removal does not know a volume that was attached at the same moment.
async function stillAttached({ contract, path, parts, context: { store } }: Task<ComputeTools>): Promise<void> {
  for (const one of await store.linkedRows(contract, path, '<', attached))
    if (!parts.includes(pathOf(one))) throw new Fault('refused', `Volume ${one.id} has been attached in the meantime.`);
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
