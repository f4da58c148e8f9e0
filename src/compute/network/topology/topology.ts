// The topology of one datacenter, built from its spec: its endpoints, and which addresses they have on which segments.

import { type Address, addressesOf, addressOf, isPublic, rangesOf } from '../ip.ts';
import type { DatacenterSpec, Lan, LoadBalancer, ManagedBalancer, Nic, Server } from '../spec.ts';
import type { Endpoint, LanSegment, NicEndpoint } from './endpoint.ts';
import { filterFor, parseGroup, type RulesByDirection } from './firewall.ts';
import { parseApplicationListeners, parseNetworkListeners, parsePool } from './listeners.ts';
import { parseGateway } from './nat-rules.ts';

export interface Topology {
  nics: NicEndpoint[];
  entries: AddressEntry[];
}

export interface AddressEntry {
  segment: string;
  address: string;
  order: number;
  endpoint: Endpoint;
}

export const internet = ''; // the segment of all public addresses

type AddAddresses = (lan: LanSegment | 'everywhere', addresses: readonly Address[], endpoint: Endpoint) => void;

export function buildTopology(spec: DatacenterSpec): Topology {
  const entries: AddressEntry[] = [];
  const enter = (segment: string, { text }: Address, endpoint: Endpoint): void => {
    entries.push({ segment, address: text, order: entries.length, endpoint });
  };
  const add: AddAddresses = (lan, addresses, endpoint) => {
    for (const address of addresses) {
      if (lan !== 'everywhere') enter(lan.segment, address, endpoint);
      if ((lan === 'everywhere' || lan.isPublic) && isPublic(address)) enter(internet, address, endpoint);
    }
  };
  const lans = lansOf(spec);
  const nics = nicsOf(spec, lans);
  for (const nic of nics.values()) if (nic.lan) add(nic.lan, nic.addresses, nic);
  addManaged(spec, lans, add);
  for (const balancer of spec.loadBalancers) addClassic(spec.id, balancer, nics, add);
  addGateways(spec, lans, add);
  return { nics: [...nics.values()], entries };
}

function lansOf({ id: datacenterId, lans, natGateways }: DatacenterSpec): Map<number, LanSegment> {
  const parsed = natGateways.map((gateway) => ({ lans: gateway.lans, gateway: parseGateway(datacenterId, gateway) }));
  return new Map(
    lans.map((lan) => [
      lan.id,
      {
        id: String(lan.id),
        datacenterId,
        isPublic: lan.public,
        segment: lan.pcc && !lan.public ? `pcc ${lan.pcc}` : `lan ${datacenterId} ${lan.id}`,
        ranges: rangesOf([lan.ipv4CidrBlock, lan.ipv6CidrBlock]),
        gateways: parsed.filter(({ lans }) => lans.some(({ id }) => id === lan.id)).map(({ gateway }) => gateway),
      },
    ]),
  );
}

function nicsOf(spec: DatacenterSpec, lans: Map<number, LanSegment>): Map<string, NicEndpoint> {
  const servers = new Map(spec.servers.map((server) => [server.id, server]));
  const groups = new Map(spec.securityGroups.map((group) => [group.id, parseGroup(group)]));
  const failovers = new Map(spec.lans.map((lan) => [lan.id, failoversOf(lan)]));
  return new Map(
    spec.nics.map((nic) => {
      const server = servers.get(nic.server);
      const inherited = groupsOf(nic, server, groups);
      return [
        nic.id,
        {
          kind: 'nic',
          id: nic.id,
          datacenterId: spec.id,
          serverId: nic.server,
          isRunning: server?.vmState === 'RUNNING',
          lanId: String(nic.lan),
          lan: lans.get(nic.lan),
          mac: nic.mac.toLowerCase(),
          slot: nic.pciSlot ?? 0,
          addresses: ownAddresses(nic, failovers.get(nic.lan)),
          ingress: filterFor(nic, inherited, 'INGRESS'),
          egress: filterFor(nic, inherited, 'EGRESS'),
        },
      ];
    }),
  );
}

function groupsOf(nic: Nic, server: Server | undefined, groups: Map<string, RulesByDirection>): RulesByDirection[] {
  const ids = new Set([...nic.securityGroups, ...(server?.securityGroups ?? [])]);
  return [...ids].flatMap((id) => groups.get(id) ?? []);
}

// The NIC that holds each failover address.
function failoversOf({ ipFailover }: Lan): Map<string, string> {
  const holders = new Map<string, string>();
  for (const { ip, nicUuid } of ipFailover) {
    const text = addressOf(ip)?.text;
    if (text && !holders.has(text)) holders.set(text, nicUuid);
  }
  return holders;
}

function ownAddresses(nic: Nic, failovers: Map<string, string> = new Map()): Address[] {
  const failoverIps = [...failovers].filter(([, holder]) => holder === nic.id).map(([ip]) => ip);
  const own = new Map<string, Address>();
  for (const address of addressesOf([...nic.ips, ...nic.ipv6Ips, ...failoverIps]))
    if ((failovers.get(address.text) ?? nic.id) === nic.id) own.set(address.text, address);
  return [...own.values()];
}

function addManaged(spec: DatacenterSpec, lans: Map<number, LanSegment>, add: AddAddresses): void {
  const pools = new Map(spec.targetGroups.map((group) => [group.id, parsePool(group)]));
  for (const balancer of spec.networkLoadBalancers) {
    const common = managedOf(spec.id, balancer, lans);
    if (common)
      add(common.lan, addressesOf(balancer.ips), {
        kind: 'networkloadbalancer',
        ...common,
        rules: parseNetworkListeners(balancer),
      });
  }
  for (const balancer of spec.applicationLoadBalancers) {
    const common = managedOf(spec.id, balancer, lans);
    if (common)
      add(common.lan, addressesOf(balancer.ips), {
        kind: 'applicationloadbalancer',
        ...common,
        rules: parseApplicationListeners(balancer),
        pools,
      });
  }
}

function managedOf(datacenterId: string, balancer: ManagedBalancer, lans: Map<number, LanSegment>) {
  const lan = lans.get(balancer.listenerLan);
  return (
    lan && {
      id: balancer.id,
      datacenterId,
      lan,
      targetLan: lans.get(balancer.targetLan),
      targetLanId: String(balancer.targetLan),
      addresses: addressesOf(balancer.lbPrivateIps),
      isLogged: balancer.centralLogging === true,
    }
  );
}

function addClassic(
  datacenterId: string,
  balancer: LoadBalancer,
  all: Map<string, NicEndpoint>,
  add: AddAddresses,
): void {
  const nics = balancer.balancedNics.flatMap((id) => all.get(id) ?? []);
  const lan = nics[0]?.lan;
  if (!lan || balancer.ip === null) return;
  const { id } = balancer;
  const there = nics.filter((nic) => nic.lan === lan);
  add(lan, addressesOf([balancer.ip]), { kind: 'loadbalancer', id, datacenterId, lan, nics: there });
}

function addGateways(spec: DatacenterSpec, lans: Map<number, LanSegment>, add: AddAddresses): void {
  const { id: datacenterId } = spec;
  for (const gateway of spec.natGateways) {
    const common = { kind: 'natgateway', id: gateway.id, datacenterId } as const;
    add('everywhere', addressesOf(gateway.publicIps), { ...common, lan: undefined });
    for (const { id, gatewayIps } of gateway.lans) {
      const lan = lans.get(id);
      if (lan) add(lan, addressesOf(gatewayIps), { ...common, lan });
    }
  }
}
