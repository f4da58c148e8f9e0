// The content of a datacenter for the diagram and its list, read by one call per kind and reduced to the shown fields.
import type { Item } from '../../resources/model.ts';
import { shortId } from '../../resources/place.ts';

export interface Landscape {
  path: string; // of the datacenter, below its service: /datacenters/D
  lans: readonly Lan[];
  servers: readonly Server[];
  volumes: readonly Volume[]; // not attached to a server
  gateways: readonly Gateway[];
  balancers: readonly Balancer[];
  crossConnects: readonly CrossConnect[];
}

// Stands for a datacenter with too many servers to read.
export const unreadLandscape = (path: string): Landscape => ({
  path,
  lans: [],
  servers: [],
  volumes: [],
  gateways: [],
  balancers: [],
  crossConnects: [],
});

interface DiagramItem {
  id: string;
  name: string;
  path: string; // below the service
  state: string; // of its metadata: AVAILABLE, BUSY …
}

export interface Lan extends DiagramItem {
  isPublic: boolean;
  ipv4: string; // its range; empty: none
  ipv6: string;
  crossConnect: string; // its id
}

export interface Server extends DiagramItem {
  vmState: string;
  type: string;
  zone: string;
  cores: number;
  ramMb: number;
  nics: readonly Nic[];
  volumes: readonly Volume[];
  groups: number; // security groups
}

export interface Nic extends DiagramItem {
  lan: string; // the id of a LAN
  ips: readonly string[]; // IPv4 and IPv6
  isFiltered: boolean; // by its firewall or by security groups
  firewall: string; // in words
}

export interface Volume extends DiagramItem {
  sizeGb: number;
  type: string;
}

export interface Gateway extends DiagramItem {
  publicIps: readonly string[];
  lans: readonly string[];
}

export const balancerTitles = {
  networkloadbalancer: 'Network load balancer',
  applicationloadbalancer: 'Application load balancer',
  loadbalancer: 'Load balancer',
} as const;
export type BalancerKind = keyof typeof balancerTitles;

export interface Balancer extends DiagramItem {
  kind: BalancerKind;
  ips: readonly string[];
  listener: string; // id of a LAN; empty: none
  targets: readonly string[]; // LANs
}

export interface CrossConnect extends DiagramItem {
  peers: number; // LANs of other datacenters
}

export interface Answers {
  path: string;
  lans: readonly Item[];
  servers: readonly Item[];
  volumes: readonly Item[];
  natgateways: readonly Item[];
  networkloadbalancers: readonly Item[];
  applicationloadbalancers: readonly Item[];
  loadbalancers: readonly Item[];
  pccs: readonly Item[];
}

export function landscapeOf(answers: Answers): Landscape {
  const { path } = answers;
  const servers = answers.servers.map((item) => serverOf(path, item)).sort(byName);
  const attached = new Set(servers.flatMap(({ volumes }) => volumes.map(({ id }) => id)));
  const lans = answers.lans.map((item) => lanOf(path, item));
  const connected = new Set(lans.map(({ crossConnect }) => crossConnect));
  return {
    path,
    lans,
    servers,
    volumes: answers.volumes.filter(({ id }) => !attached.has(id)).map((item) => volumeOf(path, item)),
    gateways: answers.natgateways.map((item) => gatewayOf(path, item)),
    balancers: (Object.keys(balancerTitles) as BalancerKind[])
      .flatMap((kind) => answers[`${kind}s`].map((item) => balancerOf(path, kind, item)))
      .sort(byName),
    crossConnects: answers.pccs.filter(({ id }) => connected.has(id)).map((item) => crossConnectOf(path, item)),
  };
}

const collator = new Intl.Collator('en', { numeric: true });
const byName = (a: DiagramItem, b: DiagramItem): number => collator.compare(a.name, b.name);

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '');
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf).filter(Boolean) : []);

const diagramItemOf = (path: string, { id, metadata, properties }: Item): DiagramItem => ({
  id,
  path: `${path}/${id}`,
  name: textOf(properties?.name) || shortId(id),
  state: textOf(metadata?.state),
});

const itemsOf = ({ entities }: Item, name: string): Item[] =>
  (entities?.[name] as { items?: Item[] } | undefined)?.items ?? [];

function lanOf(path: string, item: Item): Lan {
  const { name, public: isPublic, ipv4CidrBlock, ipv6CidrBlock, pcc } = item.properties;
  return {
    ...diagramItemOf(`${path}/lans`, item),
    name: textOf(name) || `LAN ${item.id}`,
    isPublic: isPublic === true,
    ipv4: textOf(ipv4CidrBlock),
    ipv6: textOf(ipv6CidrBlock),
    crossConnect: textOf(pcc),
  };
}

function serverOf(path: string, item: Item): Server {
  const { vmState, type, availabilityZone, cores, ram } = item.properties;
  const base = diagramItemOf(`${path}/servers`, item);
  const groups = itemsOf(item, 'securitygroups').length;
  return {
    ...base,
    vmState: textOf(vmState),
    type: textOf(type),
    zone: textOf(availabilityZone),
    cores: Number(cores),
    ramMb: Number(ram),
    nics: itemsOf(item, 'nics').map((nic) => nicOf(`${base.path}/nics`, nic, groups)),
    volumes: itemsOf(item, 'volumes').map((volume) => volumeOf(path, volume)),
    groups,
  };
}

function nicOf(path: string, item: Item, groupsOfServer: number): Nic {
  const { lan, ips, ipv6Ips, firewallActive, firewallType } = item.properties;
  const groups = groupsOfServer + itemsOf(item, 'securitygroups').length;
  const rules = itemsOf(item, 'firewallrules').length;
  const filters = [
    firewallActive === true && `firewall on (${textOf(firewallType).toLowerCase()}), ${counted(rules, 'rule')}`,
    groups > 0 && counted(groups, 'security group'),
  ].filter((one) => one !== false);
  return {
    ...diagramItemOf(path, item),
    lan: textOf(lan),
    ips: [...textsOf(ips), ...textsOf(ipv6Ips)],
    isFiltered: filters.length > 0,
    firewall: filters.join(', ') || 'no firewall',
  };
}

const volumeOf = (path: string, item: Item): Volume => ({
  ...diagramItemOf(`${path}/volumes`, item),
  sizeGb: Number(item.properties?.size),
  type: textOf(item.properties?.type),
});

const gatewayOf = (path: string, item: Item): Gateway => ({
  ...diagramItemOf(`${path}/natgateways`, item),
  publicIps: textsOf(item.properties.publicIps),
  lans: ((item.properties.lans ?? []) as { id: number }[]).map(({ id }) => String(id)),
});

function balancerOf(path: string, kind: BalancerKind, item: Item): Balancer {
  const { ips, ip, listenerLan, targetLan } = item.properties;
  const nics = itemsOf(item, 'balancednics').map(({ properties }) => textOf(properties?.lan));
  return {
    ...diagramItemOf(`${path}/${kind}s`, item),
    kind,
    ips: kind === 'loadbalancer' ? textsOf([ip]) : textsOf(ips),
    listener: textOf(listenerLan),
    targets: [...new Set(kind === 'loadbalancer' ? nics : [textOf(targetLan)])].filter(Boolean),
  };
}

function crossConnectOf(path: string, item: Item): CrossConnect {
  const peers = (item.properties.peers ?? []) as { datacenterId: string }[];
  const own = path.split('/').at(-1);
  return { ...diagramItemOf('/pccs', item), peers: peers.filter(({ datacenterId }) => datacenterId !== own).length };
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const ramText = (mb: number): string => (mb >= 1024 ? `${Math.round((mb / 1024) * 10) / 10} GB` : `${mb} MB`);

export const sizeText = ({ cores, ramMb }: Pick<Server, 'cores' | 'ramMb'>): string =>
  `${counted(cores, 'core')} · ${ramText(ramMb)}`;

// The state of the machine, unless the server itself is being changed.
export const stateOf = ({ state, vmState }: Pick<Server, 'state' | 'vmState'>): string =>
  state === 'AVAILABLE' || state === '' ? vmState : state;

export type Look = 'good' | 'waits' | 'off' | 'failed';

export function lookOf(state: string): Look {
  if (state === 'RUNNING' || state === 'AVAILABLE' || state === 'ACTIVE') return 'good';
  if (/FAILED|CRASHED|ERROR/.test(state)) return 'failed';
  return /BUSY|DEPLOYING|UPDATING|DELETING|PROVISIONING/.test(state) ? 'waits' : 'off';
}

export const stateText = (state: string): string => state.toLowerCase().replaceAll('_', ' ') || 'unknown';
