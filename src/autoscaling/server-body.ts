// A replica as the core API creates it: a server with its volumes and NICs, and with their rules and flow logs.
import { Fault } from '../base/fault.ts';
import { isObject, type Json, type Values } from '../base/json.ts';
import type { ReplicaBody } from '../surface/ports.ts';
import type { VolumeSecrets } from './replica-properties.ts';

export interface ReplicaConfiguration {
  configuration: Values; // with what clients can't read
  secrets: VolumeSecrets;
}

const collection = (items: Values[]): Json => ({ items });
export const listOf = (value: Json | undefined): Values[] => (Array.isArray(value) ? value.filter(isObject) : []);

export function serverBody(name: string, { configuration, secrets }: ReplicaConfiguration): ReplicaBody {
  const { cores = null, ram = null, availabilityZone = 'AUTO', cpuFamily } = configuration;
  const volumes = listOf(configuration.volumes).map((volume, at) => volumeBody(volume, secrets[at] ?? {}));
  const nics = listOf(configuration.nics).map(nicBody);
  return {
    properties: { name, cores, ram, availabilityZone, ...(cpuFamily !== undefined && { cpuFamily }) },
    entities: { volumes: collection(volumes), nics: collection(nics) },
  };
}

function volumeBody({ type, ...volume }: Values, secrets: Values): Values {
  const hasSource = volume.image !== undefined || volume.imageAlias !== undefined;
  return {
    properties: {
      ...volume,
      type: String(type).replace('_STANDARD', ' Standard').replace('_PREMIUM', ' Premium'),
      ...(!hasSource && { licenceType: 'OTHER' }),
      ...secrets,
    },
  };
}

function nicBody({ flowLogs, firewallRules, targetGroup: _, ...nic }: Values): Values {
  const wrapped = (value: Json | undefined): Json => collection(listOf(value).map((properties) => ({ properties })));
  return { properties: nic, entities: { firewallrules: wrapped(firewallRules), flowlogs: wrapped(flowLogs) } };
}

const places: [RegExp, string][] = [
  [/^\(root\)\.entities\.volumes\.items\.(\[\d+\])\.properties/, 'volumes.$1'],
  [
    /^\(root\)\.entities\.nics\.items\.(\[\d+\])\.entities\.firewallrules\.items\.(\[\d+\])\.properties/,
    'nics.$1.firewallRules.$2',
  ],
  [
    /^\(root\)\.entities\.nics\.items\.(\[\d+\])\.entities\.flowlogs\.items\.(\[\d+\])\.properties/,
    'nics.$1.flowLogs.$2',
  ],
  [/^\(root\)\.entities\.nics\.items\.(\[\d+\])\.properties/, 'nics.$1'],
  [/^\(root\)\.properties\.?/, ''],
];

// The body of a replica names all that it consists of, except for the LAN of a NIC, which may be in creation.
export const isNotReady = (error: unknown): boolean => error instanceof Fault && error.kind === 'missing';

// Errors of the core for a replica, at the corresponding places in the group's body.
export function atGroup(error: unknown): unknown {
  if (!(error instanceof Fault) || error.kind !== 'refused') return error;
  const problems = error.problems.map(({ code, message }) => ({
    ...(code !== undefined && { code }),
    message: moved(message),
  }));
  return new Fault('refused', problems[0]?.message ?? error.message, { ...error.detail, problems });
}

function moved(message: string): string {
  return message.replace(/^\[([^ ]*)\]( |$)/, (whole, at: string, end: string) => {
    for (const [from, to] of places)
      if (from.test(at))
        return `[${`(root).properties.replicaConfiguration.${at.replace(from, to)}`.replace(/\.+/g, '.')}]${end}`;
    return whole;
  });
}
