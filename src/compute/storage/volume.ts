// Volumes of a datacenter, attached to a server by a link. Their source (an image or a snapshot) determines many of
// their properties.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { type DecisionContext, type Draft, type Report, resource, step } from '../../core/resource.ts';
import { decimal, flag, integer, list, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { datacenter } from '../datacenter.ts';
import { refused } from '../lan/address-claims.ts';
import { attachedTo } from '../server/attachment.ts';
import { reorder } from '../server/boot-order.ts';
import type { ComputeTools } from '../tools.ts';
import { applicationTypes, hotPlugFlags, licenceTypes } from './disk-properties.ts';
import { diskOf, makeDisk } from './disks.ts';
import { sourceOf } from './volume-source.ts';

// Terraform ends each key with a line break. The comment and what follows it never begin with the same character, so
// that a key of blanks takes linear time.
const keyForm = /^(ssh-(rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-(ssh|ecdsa)-\S+) +[A-Za-z0-9+/]+=*([ \t].*)?([\r\n]\s*)?$/;

export const volume = resource<ComputeTools>({
  name: 'volume',
  plural: 'volumes',
  counted: { hddVolumeProvisioned: 'size', ssdVolumeProvisioned: 'size' },
  parents: [datacenter],
  privilege: 'none',
  actions: 'vdc.volume',
  properties: {
    name: text({ max: 255, example: 'example' }),
    type: text({
      immutable: true,
      oneOf: ['HDD', 'SSD', 'SSD Standard', 'SSD Premium', 'DAS'],
      example: 'HDD',
      description: 'Of a new volume it is needed; DAS only within the creation of a Cube',
    }),
    size: decimal({ min: 1, max: 4_000_000, example: 10, unit: 'GB', description: 'it may only grow' }),
    availabilityZone: text({ immutable: true, oneOf: ['AUTO', 'ZONE_1', 'ZONE_2', 'ZONE_3'], default: 'AUTO' }),
    image: text({ immutable: true, max: 64, description: 'The id of an image or of a snapshot' }),
    imageAlias: text({ writeOnly: true, max: 100, description: 'Instead of the image: the newest of its kind' }),
    imagePassword: text({
      writeOnly: true,
      immutable: true,
      description: 'Of the first user of a public image, which needs it or SSH keys: 8 to 50 letters and digits',
      pattern: /^[a-zA-Z0-9]{8,50}$/,
      says: 'Password syntax error: 8 to 50 of a-z A-Z 0-9 are expected',
    }),
    sshKeys: list(text({ writeOnly: true, pattern: keyForm, says: 'A public SSH key is expected', max: 16_384 }), {
      writeOnly: true,
      immutable: true,
      max: 100,
      description: 'Public keys that may sign in, as in `authorized_keys`',
    }),
    bus: text({ oneOf: ['VIRTIO', 'IDE'], default: 'VIRTIO' }),
    licenceType: text({ oneOf: licenceTypes, anyCase: true, example: 'LINUX', description: 'Taken from the image' }),
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
    deviceNumber: integer({ serverFilled: true, description: 'While it is attached' }),
    pciSlot: integer({ serverFilled: true, description: 'While it is attached' }),
    bootServer: text({ derived: true, description: 'The server it is attached to, whether that boots from it or not' }),
    bootOrder: text({
      oneOf: ['AUTO', 'NONE', 'PRIMARY'],
      default: 'AUTO',
      description: 'PRIMARY: its server boots from it, and all its other volumes are NONE. NONE: nothing boots from it',
    }),
    backupunitId: text({ title: 'Backup unit', writeOnly: true, immutable: true, max: 64 }),
    userData: text({
      writeOnly: true,
      immutable: true,
      max: 65_536,
      description: 'Base64 of cloud-config, a script, an include file or an Upstart job, for the first boot',
    }),
  },
  columns: ['name', 'type', 'size', 'bus'],
  sample: { change: { name: 'changed', size: 12 } },
  create: [step('allocate')],
  change: [step('reconfigure')],
  remove: [step('release')],
  acts: {
    attach: { steps: [step('connect')] },
    detach: { steps: [step('disconnect')] },
    restore: { steps: [step('copy')] },
  },
  meter: ({ type, size }) => ({ [meterOf(String(type))]: Number(size) }),
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
  // Terraform sends what it does not set as an empty text.
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
    report('size', `A volume may only grow; it has ${previous.size} GB`);
}

// What it has from the image or snapshot that it was made from stays, unless another value is sent.
const isFromSource = (name: string): boolean =>
  name === 'licenceType' || name === 'requireLegacyBios' || isHotPlug(name);
const isHotPlug = (name: string): boolean => /Hot(Plug|Unplug)$/.test(name);

function creationRules({ values, sealed, top }: Draft, report: Report): void {
  const { type, size, image, licenceType } = values;
  if (type === 'DAS') {
    if (!top) report('type', outsideCube);
    if (size !== null) report('size', 'The size of a DAS volume comes from the template of its server');
    if (values.availabilityZone !== 'AUTO') report('availabilityZone', 'A DAS volume has no zone of its own');
  } else {
    if (type === null) report('type', 'Attribute is required');
    if (size === null) report('size', 'Attribute is required');
  }
  if (image === null && !sealed.imageAlias && licenceType === null)
    report('image', 'One of image, imageAlias and licenceType is needed');
  if (image !== null && sealed.imageAlias) report('imageAlias', 'Only one of image and imageAlias can be given');
  if (image === null && !sealed.imageAlias)
    for (const name of ['imagePassword', 'sshKeys', 'userData', 'backupunitId'])
      if (hasContent(sealed[name])) report(name, 'It needs an image or an imageAlias');
}

const outsideCube = 'DAS is made within the creation of a server of type CUBE only';

const hasContent = (value: Values[string] | undefined): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

async function decideCreation(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const { values } = draft;
  // A Cube has told its own what size it is; one that stands beside servers in a datacenter's body has none.
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
  values.requireLegacyBios ??= true;
  await holdSize(draft, context);
  await makeDisk(draft, context, source?.disk ?? { from: 'blank' });
}

async function decideChange(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  if (draft.values.size !== draft.previous.size) {
    if (draft.values.type === 'DAS') throw refused(draft, 'size', 'The size of a DAS volume is fixed by its template');
    await holdSize(draft, context);
    const disk = diskOf(draft.before as Row);
    if (disk) draft.hidden.disk = await context.tools.disks.resize(disk, Number(draft.values.size));
  }
  if (draft.values.bootOrder !== draft.previous.bootOrder) await reorder(draft, context.store);
}

function decideRemoval({ before }: Draft): void {
  const { type } = JSON.parse((before as Row).body) as { type: string };
  if (type === 'DAS')
    throw new Fault('refused', 'The DAS volume of a Cube goes with its server and can not be deleted.', {
      code: '200',
    });
}

// The contract's counters are in MB; each volume has a limit of its own besides.
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
