// The configuration of a group's replicas in the spelling of this service, which server-body.ts translates into that of
// the core API. Write-only values are stored sealed, for replicas that are created later.
import { isObject, type Json, type Values } from '../base/json.ts';
import { flag, integer, list, type Properties, type Property, shape, text } from '../core/schema.ts';

const name = (example: string): Property => text({ required: true, min: 1, max: 255, example });
const directions = ['INGRESS', 'EGRESS', 'BIDIRECTIONAL'];

const firewallRule = shape({
  name: text({ max: 255, omitNull: true }),
  protocol: text({ required: true, oneOf: ['TCP', 'UDP', 'ICMP', 'ANY'], anyCase: true }),
  sourceMac: text({ max: 17, omitNull: true }),
  sourceIp: text({ max: 60, omitNull: true }),
  targetIp: text({ max: 60, omitNull: true }),
  icmpCode: integer({ min: 0, max: 254, omitNull: true }),
  icmpType: integer({ min: 0, max: 254, omitNull: true }),
  portRangeStart: integer({ min: 1, max: 65_535, omitNull: true }),
  portRangeEnd: integer({ min: 1, max: 65_535, omitNull: true }),
  type: text({ oneOf: ['INGRESS', 'EGRESS'], omitNull: true }),
});

const flowLog = shape({
  name: text({ required: true, max: 255 }),
  action: text({ required: true, oneOf: ['ALL', 'ACCEPTED', 'REJECTED'] }),
  direction: text({ required: true, oneOf: directions }),
  bucket: text({ required: true, max: 1024 }),
});

const nic = shape({
  lan: integer({ required: true, min: 1, description: 'Number of a LAN. It is created if it does not exist' }),
  name: name('nic'),
  dhcp: flag({ rare: true, default: true }),
  firewallActive: flag({ rare: true, default: false }),
  firewallType: text({ rare: true, oneOf: directions, default: 'INGRESS' }),
  flowLogs: list(flowLog, { rare: true, default: [], max: 1 }),
  firewallRules: list(firewallRule, { rare: true, default: [], max: 100 }),
  targetGroup: shape(
    {
      targetGroupId: text({ required: true, max: 64 }),
      port: integer({ required: true, min: 1, max: 65_535 }),
      weight: integer({ min: 1, max: 256, default: 1 }),
    },
    {
      rare: true,
      omitNull: true,
      description: 'A target group of an application load balancer that gets the address of this NIC',
    },
  ),
});

export const secretNames = ['imagePassword', 'sshKeys', 'userData'] as const;

const volume = shape({
  name: name('volume'),
  size: integer({ required: true, min: 1, max: 4_000_000, unit: 'GB' }),
  type: text({
    required: true,
    oneOf: ['HDD', 'SSD', 'SSD_STANDARD', 'SSD_PREMIUM'],
    aliases: { 'SSD STANDARD': 'SSD_STANDARD', 'SSD PREMIUM': 'SSD_PREMIUM' },
  }),
  image: text({
    rare: true,
    max: 64,
    omitNull: true,
    description: 'ID of an image or snapshot, instead of an alias',
  }),
  imageAlias: text({ max: 100, omitNull: true, description: 'Alias of an image, instead of an ID' }),
  sshKeys: list(text({ writeOnly: true, max: 16_384 }), { writeOnly: true, omitNull: true, max: 100 }),
  userData: text({
    rare: true,
    writeOnly: true,
    omitNull: true,
    max: 65_536,
    description: 'Base64, used at the first boot',
  }),
  imagePassword: text({ writeOnly: true, omitNull: true, max: 50 }),
  bus: text({ rare: true, oneOf: ['VIRTIO', 'IDE'], default: 'VIRTIO' }),
  backupunitId: text({ rare: true, title: 'Backup unit', max: 64, omitNull: true }),
  bootOrder: text({ rare: true, oneOf: ['NONE', 'PRIMARY', 'AUTO'], default: 'AUTO' }),
});

export const replicaProperties: Properties = {
  availabilityZone: text({ rare: true, oneOf: ['AUTO', 'ZONE_1', 'ZONE_2'], default: 'AUTO' }),
  cores: integer({ required: true, min: 1, example: 1 }),
  ram: integer({ required: true, min: 256, step: 256, example: 1024, unit: 'MB' }),
  cpuFamily: text({
    rare: true,
    oneOf: ['AMD_OPTERON', 'INTEL_SKYLAKE', 'INTEL_XEON', 'INTEL_ICELAKE'],
    omitNull: true,
    description: 'Chosen by the region if absent',
  }),
  nics: list(nic, { default: [], max: 24 }),
  volumes: list(volume, { default: [], max: 24 }),
};

// Clients read these words and fail at others, which are stored and not shown.
const readable: Readonly<Record<string, readonly string[]>> = {
  availabilityZone: ['AUTO'],
  cpuFamily: ['AMD_OPTERON', 'INTEL_SKYLAKE', 'INTEL_XEON'],
};

// Removes from a configuration what clients can't read. A PUT without these parts keeps them: a client that sends back
// what it has read did not see them.
export function takeUnreadable(configuration: Values, sent: Json | undefined, before: Values): Values {
  const taken: Values = {};
  for (const [name, words] of Object.entries(readable)) {
    const isSent = isObject(sent) && sent[name] !== undefined;
    const value = isSent ? configuration[name] : (before[name] ?? configuration[name]);
    if (typeof value !== 'string' || words.includes(value)) continue;
    taken[name] = value;
    delete configuration[name];
  }
  return taken;
}

// Hidden values, by the index of the volume.
export type VolumeSecrets = Values[];

// Secrets that are not sent again are kept for the volume of the same name, or for the one at the same index if it was
// renamed; null removes them.
export function secretsOf(
  sent: Json | undefined,
  before: VolumeSecrets,
  beforeNames: readonly string[],
): VolumeSecrets {
  const volumes = isObject(sent) && Array.isArray(sent.volumes) ? sent.volumes : [];
  const names = volumes.map((volume) => (isObject(volume) ? String(volume.name) : ''));
  return volumes.map((volume, at) => {
    if (!isObject(volume)) return {};
    const kept = before[placeBefore(names, at, beforeNames)] ?? {};
    const secrets: Values = {};
    for (const one of secretNames) {
      const value = volume[one] === undefined ? kept[one] : volume[one];
      if (value !== undefined && value !== null) secrets[one] = value;
    }
    return secrets;
  });
}

// The previous index of the volume. Names need not be unique, and may change. -1: it is new.
function placeBefore(names: readonly string[], at: number, beforeNames: readonly string[]): number {
  const [now = '', then] = [names[at], beforeNames[at]];
  if (now === then) return at;
  const sameName = beforeNames.indexOf(now);
  const isRenamed = sameName < 0 && then !== undefined && !names.includes(then);
  return isRenamed ? at : sameName;
}

export const replicaExample: Values = {
  cores: 1,
  ram: 1024,
  nics: [{ lan: 1, name: 'inside' }],
  volumes: [{ name: 'system', size: 10, type: 'HDD', imageAlias: 'ubuntu:latest', bootOrder: 'AUTO' }],
};
