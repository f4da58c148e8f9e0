// Reads the landscape of one datacenter: what stands in it, and which addresses that has on which segments.
import { listenersOf, networkListenersOf, poolOf } from './balancers.ts';
import { gateOf, type ReadRules, readGroup } from './firewall.ts';
import { type Address, addressesOf, addressOf, isPublic, rangesOf } from './ip.ts';
import type { DatacenterLandscape, Lan, LoadBalancer, Nic, Server } from './landscape.ts';
import { gatewayOf } from './nat.ts';
import type { LanPlace, NicPlace, Station } from './station.ts';

export interface Chart {
  nics: NicPlace[];
  placed: Placed[];
}

export interface Placed {
  segment: string;
  address: string;
  order: number;
  station: Station;
}

export const internet = '';

type Place = (lan: LanPlace | 'everywhere', addresses: readonly Address[], station: Station) => void;

export function chartOf(landscape: DatacenterLandscape): Chart {
  const placed: Placed[] = [];
  const put = (segment: string, { text }: Address, station: Station): void => {
    placed.push({ segment, address: text, order: placed.length, station });
  };
  const place: Place = (lan, addresses, station) => {
    for (const address of addresses) {
      if (lan !== 'everywhere') put(lan.segment, address, station);
      if ((lan === 'everywhere' || lan.isPublic) && isPublic(address)) put(internet, address, station);
    }
  };
  const lans = lansOf(landscape);
  const nics = nicsOf(landscape, lans);
  for (const nic of nics.values()) if (nic.lan) place(nic.lan, nic.addresses, nic);
  placeManaged(landscape, lans, place);
  for (const balancer of landscape.loadBalancers) placeClassic(landscape.id, balancer, nics, place);
  placeGateways(landscape, lans, place);
  return { nics: [...nics.values()], placed };
}

function lansOf({ id: datacenterId, lans, natGateways }: DatacenterLandscape): Map<number, LanPlace> {
  const read = natGateways.map((gateway) => ({ lans: gateway.lans, gateway: gatewayOf(datacenterId, gateway) }));
  return new Map(
    lans.map((lan) => [
      lan.id,
      {
        id: String(lan.id),
        datacenterId,
        isPublic: lan.public,
        segment: lan.pcc && !lan.public ? `pcc ${lan.pcc}` : `lan ${datacenterId} ${lan.id}`,
        ranges: rangesOf([lan.ipv4CidrBlock, lan.ipv6CidrBlock]),
        gateways: read.filter(({ lans }) => lans.some(({ id }) => id === lan.id)).map(({ gateway }) => gateway),
      },
    ]),
  );
}

function nicsOf(landscape: DatacenterLandscape, lans: Map<number, LanPlace>): Map<string, NicPlace> {
  const servers = new Map(landscape.servers.map((server) => [server.id, server]));
  const groups = new Map(landscape.securityGroups.map((group) => [group.id, readGroup(group)]));
  const failovers = new Map(landscape.lans.map((lan) => [lan.id, failoversOf(lan)]));
  return new Map(
    landscape.nics.map((nic) => {
      const server = servers.get(nic.server);
      const around = groupsOf(nic, server, groups);
      return [
        nic.id,
        {
          kind: 'nic',
          id: nic.id,
          datacenterId: landscape.id,
          serverId: nic.server,
          isRunning: server?.vmState === 'RUNNING',
          lanId: String(nic.lan),
          lan: lans.get(nic.lan),
          mac: nic.mac.toLowerCase(),
          addresses: ownAddresses(nic, failovers.get(nic.lan)),
          ingress: gateOf(nic, around, 'INGRESS'),
          egress: gateOf(nic, around, 'EGRESS'),
        },
      ];
    }),
  );
}

function groupsOf(nic: Nic, server: Server | undefined, groups: Map<string, ReadRules>): ReadRules[] {
  const ids = new Set([...nic.securityGroups, ...(server?.securityGroups ?? [])]);
  return [...ids].flatMap((id) => groups.get(id) ?? []);
}

// Address: the NIC that has it.
function failoversOf({ ipFailover }: Lan): Map<string, string> {
  const holders = new Map<string, string>();
  for (const { ip, nicUuid } of ipFailover) {
    const text = addressOf(ip)?.text;
    if (text && !holders.has(text)) holders.set(text, nicUuid);
  }
  return holders;
}

function ownAddresses(nic: Nic, failovers: Map<string, string> = new Map()): Address[] {
  const given = [...failovers].filter(([, holder]) => holder === nic.id).map(([ip]) => ip);
  const own = new Map<string, Address>();
  for (const address of addressesOf([...nic.ips, ...nic.ipv6Ips, ...given]))
    if ((failovers.get(address.text) ?? nic.id) === nic.id) own.set(address.text, address);
  return [...own.values()];
}

function placeManaged(landscape: DatacenterLandscape, lans: Map<number, LanPlace>, place: Place): void {
  const pools = new Map(landscape.targetGroups.map((group) => [group.id, poolOf(group)]));
  for (const balancer of landscape.networkLoadBalancers) {
    const common = managedOf(landscape.id, balancer, lans);
    if (common)
      place(common.lan, addressesOf(balancer.ips), {
        kind: 'networkloadbalancer',
        ...common,
        rules: networkListenersOf(balancer),
      });
  }
  for (const balancer of landscape.applicationLoadBalancers) {
    const common = managedOf(landscape.id, balancer, lans);
    if (common)
      place(common.lan, addressesOf(balancer.ips), {
        kind: 'applicationloadbalancer',
        ...common,
        rules: listenersOf(balancer),
        pools,
      });
  }
}

function managedOf(
  datacenterId: string,
  balancer: { id: string; listenerLan: number; targetLan: number; lbPrivateIps: readonly string[] },
  lans: Map<number, LanPlace>,
) {
  const lan = lans.get(balancer.listenerLan);
  return (
    lan && {
      id: balancer.id,
      datacenterId,
      lan,
      targetLan: lans.get(balancer.targetLan),
      targetLanId: String(balancer.targetLan),
      addresses: addressesOf(balancer.lbPrivateIps),
    }
  );
}

function placeClassic(datacenterId: string, balancer: LoadBalancer, all: Map<string, NicPlace>, place: Place): void {
  const nics = balancer.balancedNics.flatMap((id) => all.get(id) ?? []);
  const lan = nics[0]?.lan;
  if (!lan || balancer.ip === null) return;
  const { id } = balancer;
  const there = nics.filter((nic) => nic.lan === lan);
  place(lan, addressesOf([balancer.ip]), { kind: 'loadbalancer', id, datacenterId, lan, nics: there });
}

function placeGateways(landscape: DatacenterLandscape, lans: Map<number, LanPlace>, place: Place): void {
  const { id: datacenterId } = landscape;
  for (const gateway of landscape.natGateways) {
    const common = { kind: 'natgateway', id: gateway.id, datacenterId } as const;
    place('everywhere', addressesOf(gateway.publicIps), { ...common, lan: undefined });
    for (const { id, gatewayIps } of gateway.lans) {
      const lan = lans.get(id);
      if (lan) place(lan, addressesOf(gatewayIps), { ...common, lan });
    }
  }
}
