// The contents of the caller's datacenters, reduced to the fields that the insights need. The core API is read one
// datacenter at a time.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { pathOf } from '../client/platform-api.ts';
import type { ToolContext } from '../tool.ts';
import { oneOf } from '../tools/named-ids.ts';

export interface Nic {
  id: string;
  name: string;
  lan: number;
  ips: string[];
  firewallActive: boolean;
}
export interface Disk {
  id: string;
  name: string;
  sizeGb: number;
  type: string;
}
export interface Machine {
  id: string;
  name: string;
  type: string;
  state: string; // of the machine: RUNNING …
  cores: number;
  ramMb: number;
  cpuFamily: string;
  templateId: string;
  nics: Nic[];
  volumes: Disk[];
}
export interface Lan {
  id: string;
  name: string;
  isPublic: boolean;
  pcc: string | null;
}
export interface Balancer {
  kind: 'networkloadbalancer' | 'applicationloadbalancer' | 'loadbalancer' | 'natgateway';
  id: string;
  name: string;
  ips: string[];
  lans: number[]; // listener and target LAN, or the LANs of a gateway
  rules: number;
}
export interface Datacenter {
  id: string;
  name: string;
  location: string;
}
export interface Inventory extends Datacenter {
  servers: Machine[];
  volumes: (Disk & { attached: boolean })[];
  lans: Lan[];
  balancers: Balancer[];
}

export const mostListed = 10_000; // the maximum page of the API, whose default is 1,000

export const itemsOf = (value: Json | undefined): Values[] =>
  isObject(value) && Array.isArray(value.items) ? value.items.filter(isObject) : [];
export const propertiesOf = ({ properties }: Values): Values => (isObject(properties) ? properties : {});
const entitiesOf = ({ entities }: Values): Values => (isObject(entities) ? entities : {});
export const wordOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const numberIn = (value: Json | undefined): number => Number(value ?? 0);
const wordsIn = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);

export async function datacenters({ api }: ToolContext): Promise<Datacenter[]> {
  const answer = await api.object('cloudapi', '/datacenters', { depth: 1, limit: mostListed });
  return itemsOf(answer).map(datacenterOf);
}

const datacenterOf = (item: Values): Datacenter => {
  const { name, location } = propertiesOf(item);
  return { id: String(item.id), name: wordOf(name), location: wordOf(location) };
};

export const datacenterNamed = async (context: ToolContext, word: string): Promise<Datacenter> =>
  oneOf(await datacenters(context), 'datacenter', word);

export const quote = (text: string): string => JSON.stringify(text.slice(0, 120));

export async function serversOf({ api }: ToolContext, datacenterId: string): Promise<Machine[]> {
  const path = pathOf('/datacenters/{id}/servers', { id: datacenterId });
  return itemsOf(await api.object('cloudapi', path, { depth: 3, limit: mostListed })).map(machineOf);
}

function machineOf(item: Values): Machine {
  const values = propertiesOf(item);
  const { nics, volumes } = entitiesOf(item);
  return {
    id: String(item.id),
    name: wordOf(values.name),
    type: wordOf(values.type),
    state: wordOf(values.vmState),
    cores: numberIn(values.cores),
    ramMb: numberIn(values.ram),
    cpuFamily: wordOf(values.cpuFamily),
    templateId: wordOf(values.templateUuid),
    nics: itemsOf(nics).map(nicOf),
    volumes: itemsOf(volumes).map(diskOf),
  };
}

function nicOf(item: Values): Nic {
  const { name, lan, ips, ipv6Ips, firewallActive } = propertiesOf(item);
  return {
    id: String(item.id),
    name: wordOf(name),
    lan: numberIn(lan),
    ips: [...wordsIn(ips), ...wordsIn(ipv6Ips)],
    firewallActive: firewallActive === true,
  };
}

function diskOf(item: Values): Disk {
  const { name, size, type } = propertiesOf(item);
  return { id: String(item.id), name: wordOf(name), sizeGb: numberIn(size), type: wordOf(type) };
}

const collections = [
  'networkloadbalancers',
  'applicationloadbalancers',
  'loadbalancers',
  'natgateways',
] as const satisfies readonly `${Balancer['kind']}s`[];

export async function inventoryOf(context: ToolContext, datacenterId: string): Promise<Inventory & Values> {
  const { api } = context;
  const at = pathOf('/datacenters/{id}', { id: datacenterId });
  const list = async (name: string, depth: number): Promise<Values[]> =>
    itemsOf(await api.object('cloudapi', `${at}/${name}`, { depth, limit: mostListed }));
  const datacenter = datacenterOf(await api.object('cloudapi', at, { depth: 1 }));
  const [servers, volumes, lans, ...balancers] = await Promise.all([
    serversOf(context, datacenterId),
    list('volumes', 1),
    list('lans', 1),
    ...collections.map(async (name) => (await list(name, 3)).map((item) => balancerOf(name, item))),
  ]);
  const attached = new Set(servers.flatMap((server) => server.volumes.map(({ id }) => id)));
  return {
    ...datacenter,
    servers,
    volumes: volumes.map((item) => ({ ...diskOf(item), attached: attached.has(String(item.id)) })),
    lans: lans.map(lanOf),
    balancers: balancers.flat(),
  } as unknown as Inventory & Values;
}

function lanOf(item: Values): Lan {
  const { name, public: isPublic, pcc } = propertiesOf(item);
  return { id: String(item.id), name: wordOf(name), isPublic: isPublic === true, pcc: wordOf(pcc) || null };
}

function balancerOf(collection: (typeof collections)[number], item: Values): Balancer {
  const values = propertiesOf(item);
  const { forwardingrules, rules, balancednics } = entitiesOf(item);
  const nics = itemsOf(balancednics);
  const ofGateway = Array.isArray(values.lans) ? values.lans.filter(isObject).map(({ id }) => numberIn(id)) : [];
  const ofBalancer = [values.listenerLan, values.targetLan].filter((lan) => typeof lan === 'number');
  const ofNics = nics.map((nic) => numberIn(propertiesOf(nic).lan));
  return {
    kind: collection.slice(0, -1) as Balancer['kind'],
    id: String(item.id),
    name: wordOf(values.name),
    ips: [...wordsIn(values.ips), ...wordsIn(values.publicIps), ...(wordOf(values.ip) ? [wordOf(values.ip)] : [])],
    lans: [...new Set([...ofGateway, ...ofBalancer, ...ofNics])],
    rules: itemsOf(forwardingrules ?? rules).length + nics.length,
  };
}
