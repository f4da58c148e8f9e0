// Volumes of a datacenter, attached to a server by a link. Their source (an image or a snapshot) determines many of
// their properties.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { type DecisionContext, type Draft, type Report, resource, step } from '../../core/resource.ts';
import { decimal, flag, integer, list, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { templateById } from '../catalogue/catalogue.ts';
import { datacenter } from '../datacenter.ts';
import { refused } from '../lan/address-claims.ts';
import { attachedTo } from '../server/attachment.ts';
import { reorder } from '../server/boot-order.ts';
import type { ComputeTools } from '../tools.ts';
import { applicationTypes, hotPlugFlags, licenceTypes } from './disk-properties.ts';
import { diskStep } from './disk-step.ts';
import { diskOf, makeDisk } from './disks.ts';
import { sourceOf } from './volume-source.ts';

// Terraform ends each key with a line break. The comment and what follows it never begin with the same character, so
// that a key of blanks takes linear time.
const keyForm = /^(ssh-(rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-(ssh|ecdsa)-\S+) +[A-Za-z0-9+/]+=*([ \t].*)?([\r\n]\s*)?$/;

export const volume = resource<ComputeTools>({
  name: 'volume',
  plural: 'volumes',
  usage: {
    counted: { hddVolumeProvisioned: 'size', ssdVolumeProvisioned: 'size' },
    meter: ({ type, size }) => ({ [meterOf(String(type))]: Number(size) }),
  },
  determined: (values, owner) => (values.type === 'DAS' || isOfTemplate(values, owner) ? ['size'] : []),
  parents: [datacenter],
  rights: { create: 'none' },
  actions: 'vdc.volume',
  properties: {
    name: text({ max: 255, example: 'example' }),
    type: text({
      immutable: true,
      oneOf: ['HDD', 'SSD', 'SSD Standard', 'SSD Premium', 'DAS'],
      example: 'HDD',
      description: 'Required for a new volume. DAS only within the creation of a Cube',
    }),
    size: decimal({
      min: 1,
      max: 4_000_000,
      example: 10,
      unit: 'GB',
      description: 'Size of the volume. It can only grow',
    }),
    availabilityZone: text({ immutable: true, oneOf: ['AUTO', 'ZONE_1', 'ZONE_2', 'ZONE_3'], default: 'AUTO' }),
    image: text({ immutable: true, max: 64, description: 'ID of an image or snapshot' }),
    imageAlias: text({
      writeOnly: true,
      inRequests: true,
      max: 100,
      description: 'Alias of an image, instead of its ID: the newest of its kind',
    }),
    imagePassword: text({
      writeOnly: true,
      immutable: true,
      description: 'Root password for a public image, 8 to 50 letters and digits',
      pattern: /^[a-zA-Z0-9]{8,50}$/,
      says: 'Password syntax error: 8 to 50 of a-z A-Z 0-9 are expected',
    }),
    sshKeys: list(text({ writeOnly: true, pattern: keyForm, says: 'Expected a public SSH key', max: 16_384 }), {
      writeOnly: true,
      immutable: true,
      max: 100,
      description: 'Public SSH keys with access, as in `authorized_keys`',
    }),
    bus: text({ oneOf: ['VIRTIO', 'IDE'], default: 'VIRTIO' }),
    licenceType: text({
      oneOf: licenceTypes,
      anyCase: true,
      example: 'LINUX',
      description: 'Taken from the image; required without one',
    }),
    applicationType: text({ oneOf: applicationTypes }),
    ...hotPlugFlags([
      'cpuHotPlug',
      'ramHotPlug',
      'nicHotPlug',
      'nicHotUnplug',
      'discVirtioHotPlug',
      'discVirtioHotUnplug',
    ]),
    exposeSerial: flag({ default: false }),
    requireLegacyBios: flag({ description: 'Taken from the image or snapshot; true without one' }),
    deviceNumber: integer({ serverFilled: true, description: 'Set while the volume is attached' }),
    pciSlot: integer({ serverFilled: true, description: 'Set while the volume is attached' }),
    bootServer: text({
      derived: true,
      description: 'The server that the volume is attached to, even if it does not boot from it',
    }),
    bootOrder: text({
      oneOf: ['AUTO', 'NONE', 'PRIMARY'],
      default: 'AUTO',
      description:
        'PRIMARY: the server boots from it, and all other volumes are NONE. NONE: the server never boots from it',
    }),
    backupunitId: text({ title: 'Backup unit', writeOnly: true, inRequests: true, immutable: true, max: 64 }),
    userData: text({
      writeOnly: true,
      immutable: true,
      max: 65_536,
      description: 'Base64 of cloud-config, a script, an include file or an Upstart job, used at the first boot',
    }),
  },
  shown: { columns: ['name', 'type', 'size', 'bus'] },
  sample: { change: { name: 'changed', size: 12 } },
  lifecycle: {
    create: [diskStep('allocate')],
    change: [step('reconfigure')],
    remove: [step('release')],
    acts: {
      attach: { steps: [step('connect')] },
      detach: { steps: [step('disconnect')] },
      restore: { steps: [diskStep('copy')] },
    },
  },
  rules,
  async decide(draft, context) {
    if (draft.way === 'create') return decideCreation(draft, context);
    if (draft.way === 'remove') return decideRemoval(draft);
    return decideChange(draft, context);
  },
  derive: (row) => ({ bootServer: attachedTo(row)?.split('/').at(-1) ?? null }),
});

const meters: Readonly<Record<string, string>> = { HDD: 'hddGb', DAS: 'dasGb', 'SSD Standard': 'ssdStandardGb' };
const meterOf = (type: string): string => meters[type] ?? 'ssdPremiumGb';

function rules(draft: Draft, report: Report): void {
  const { way, values, sealed } = draft;
  // Terraform sends unset values as an empty text.
  if (values.image === '') values.image = null;
  if (sealed.imageAlias === '') delete sealed.imageAlias;
  if (way === 'create') creationRules(draft, report);
  else changeRules(draft, report);
}

function changeRules({ values, previous }: Draft, report: Report): void {
  for (const name in values) if (isFromSource(name)) values[name] ??= previous[name] ?? null;
  if (previous.type === 'DAS') values.size ??= previous.size ?? null;
  if (values.size === null) report('size', 'Attribute is required');
  else if (Number(values.size) < Number(previous.size))
    report('size', `A volume can only grow. It has ${previous.size} GB`);
}

// Properties taken from the image or snapshot, unless another value is sent.
const isFromSource = (name: string): boolean =>
  name === 'licenceType' || name === 'requireLegacyBios' || isHotPlug(name);
const isHotPlug = (name: string): boolean => /Hot(Plug|Unplug)$/.test(name);

function creationRules({ values, sealed, hidden, top }: Draft, report: Report): void {
  if (top?.values.type === 'GPU' && values.size === null) takeFromTemplate(top, values, hidden);
  const { type, size, image, licenceType } = values;
  if (type === 'DAS') {
    if (!top) report('type', outsideCube);
    if (size !== null) report('size', 'The size of a DAS volume comes from the template of its server');
    if (values.availabilityZone !== 'AUTO') report('availabilityZone', "A DAS volume can't have a zone");
  } else {
    if (type === null) report('type', 'Attribute is required');
    if (size === null) report('size', 'Attribute is required');
  }
  if (image === null && !sealed.imageAlias && licenceType === null)
    report('image', 'One of image, imageAlias and licenceType is required');
  if (image !== null && sealed.imageAlias) report('imageAlias', 'Only one of image and imageAlias is allowed');
  if (image === null && !sealed.imageAlias)
    for (const name of ['imagePassword', 'sshKeys', 'userData', 'backupunitId'])
      if (hasContent(sealed[name])) report(name, 'Attribute requires an image or an imageAlias');
}

// The volume of a GPU server without a size: type and size come from the server's template.
function takeFromTemplate(server: Draft, values: Values, hidden: Values): void {
  const template = templateById(String(server.values.templateUuid));
  if (!template || (values.type !== null && values.type !== template.storageType)) return;
  Object.assign(values, { type: template.storageType, size: template.storageSize });
  hidden.ofTemplate = true;
}

function isOfTemplate({ type, size }: Values, owner: Values | undefined): boolean {
  const template = owner?.type === 'GPU' ? templateById(String(owner.templateUuid)) : undefined;
  return template !== undefined && type === template.storageType && size === template.storageSize;
}

const outsideCube = 'A DAS volume can only be created with a server of type CUBE';

const hasContent = (value: Values[string] | undefined): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

async function decideCreation(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const { values } = draft;
  // A Cube has set the size of its volume; a volume next to servers in a datacenter's body has none.
  if (values.type === 'DAS' && values.size === null) throw refused(draft, 'type', outsideCube, '100');
  const source = await sourceOf(draft, context);
  if (source) {
    values.image = source.id;
    values.licenceType ??= source.licenceType;
    if (Number(values.size) < source.size && values.type !== 'DAS')
      throw refused(draft, 'size', `The image needs ${Math.ceil(source.size)} GB`);
    for (const name of Object.keys(source.flags)) if (values[name] === null) values[name] = source.flags[name] ?? false;
  }
  for (const name in values) if (isHotPlug(name)) values[name] ??= false;
  limitHotPlugs(values, context.tools);
  values.requireLegacyBios ??= true;
  await holdSize(draft, context);
  await makeDisk(draft, context, source?.disk ?? { from: 'blank' });
}

// The volume does not report abilities that the engine lacks.
function limitHotPlugs(values: Values, { machines: { abilities } }: ComputeTools): void {
  if (!abilities.hotPlugVolumes) Object.assign(values, { discVirtioHotPlug: false, discVirtioHotUnplug: false });
  if (!abilities.hotPlugNics) Object.assign(values, { nicHotPlug: false, nicHotUnplug: false });
  if (!abilities.liveResize) Object.assign(values, { cpuHotPlug: false, ramHotPlug: false });
}

async function decideChange(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  if (draft.values.size !== draft.previous.size) {
    if (draft.values.type === 'DAS') throw refused(draft, 'size', 'The template determines the size of a DAS volume');
    await holdSize(draft, context);
    const disk = diskOf(draft.before as Row);
    if (disk) draft.hidden.disk = await context.tools.disks.resize(disk, Number(draft.values.size));
  }
  if (draft.values.bootOrder !== draft.previous.bootOrder) await reorder(draft, context.store);
}

function decideRemoval({ before }: Draft): void {
  const { type } = JSON.parse((before as Row).body) as { type: string };
  if (type === 'DAS')
    throw new Fault('refused', "The DAS volume of a Cube can't be deleted alone. Delete its server instead.", {
      code: '200',
    });
}

// The contract's counters are in MB; each volume also has its own limit.
async function holdSize(draft: Draft, { tools }: DecisionContext<ComputeTools>): Promise<void> {
  const { values, reservations, contract } = draft;
  const mb = Math.ceil(Number(values.size) * 1024);
  const kind = values.type === 'HDD' ? 'hdd' : values.type === 'DAS' ? 'das' : 'ssd';
  if (kind !== 'das') {
    const limits = await tools.limits(contract);
    const name = kind === 'hdd' ? 'hddLimitPerVolume' : 'ssdLimitPerVolume';
    const most = limits[name] ?? Number.POSITIVE_INFINITY;
    if (mb > most) throw refused(draft, 'size', `The limit ${name} of the contract is ${most} MB`);
  }
  reservations.counts[`${kind}VolumeProvisioned`] = mb;
}

export const volumePath = (datacenterPath: string, id: string): string => `${datacenterPath}/${volume.plural}/${id}`;
export const isDas = (row: Row): boolean => (JSON.parse(row.body) as { type: string }).type === 'DAS';
