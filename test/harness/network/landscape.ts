// Random landscapes and packets for the comparison of the real network with the simulated one: as users would build
// them, without contradictions such as two NICs with one address.
import type { DatacenterSpec, FirewallRule, Nic, Packet } from '../../../src/testing/black-box/network.ts';
import type { Chance } from '../../../src/testing/seed.ts';
import { frontsOf, type Next, ports, randomBalancers, randomHttp } from './random-balancers.ts';

export const ranges = ['198.18.0.0/15', '2001:db8::/32'];
export const outside = { v4: '203.0.113.7', v6: '2a00:1::7' };

// Addresses of private LANs are the same in all datacenters, except those of the cross connect.
export function randomLandscape(chance: Chance): DatacenterSpec[] {
  const used = new Map<string, number>();
  const next = (network: string): number => {
    const number = (used.get(network) ?? 4) + 1;
    used.set(network, number);
    return number;
  };
  return Array.from({ length: chance.one([1, 2, 2]) }, (_, at) => datacenter(chance, `dc${at}`, next));
}

function datacenter(chance: Chance, id: string, next: Next): DatacenterSpec {
  const at = Number(id.at(-1));
  const lan = (number: number, isPublic: boolean, cidr: string | null, pcc: string | null = null) => ({
    id: number,
    public: isPublic,
    ipv4CidrBlock: cidr,
    ipv6CidrBlock: number === 1 || chance.often(50) ? `2001:db8:${at}:${number}::/64` : null,
    pcc,
    ipFailover: [],
  });
  const lans = [
    lan(1, true, null),
    lan(2, false, '10.7.0.0/24'),
    { ...lan(3, false, '10.99.0.0/24', 'cross'), ipv6CidrBlock: null },
  ];
  const securityGroups = Array.from({ length: chance.below(3) }, (_, number) => ({
    id: `${id}-group${number}`,
    rules: rules(chance, `${id}-group${number}`),
  }));
  const someGroups = (): string[] =>
    securityGroups.length > 0 && chance.often(20) ? [chance.one(securityGroups).id] : [];
  const servers = Array.from({ length: 2 + chance.below(2) }, (_, number) => ({
    id: `${id}-server${number}`,
    vmState: 'RUNNING',
    securityGroups: someGroups(),
  }));
  const address = (number: number): string =>
    number === 1
      ? `198.18.0.${next('public')}`
      : `${number === 2 ? '10.7.0' : '10.99.0'}.${next(number === 2 ? id : 'cross')}`;
  const nics = servers.flatMap(({ id: server }, number) => {
    const numbers = chance.often(40) ? [1 + chance.below(3), 1 + chance.below(3)] : [1 + chance.below(3)];
    return [...new Set(numbers)].map((one, slot): Nic => {
      const { ipv6CidrBlock } = lans[one - 1] as (typeof lans)[number];
      return {
        id: `${server}-nic${slot}`,
        server,
        lan: one,
        mac: `02:01:00:0${at}:0${number}:0${slot}`,
        pciSlot: 6 + slot,
        ips: [address(one), ...(chance.often(15) ? [address(one)] : [])],
        ipv6Ips: ipv6CidrBlock === null ? [] : [ipv6CidrBlock.replace('/64', String(next(ipv6CidrBlock)))],
        firewallActive: chance.often(35),
        firewallType: chance.one(['INGRESS', 'EGRESS', 'BIDIRECTIONAL', null]),
        firewallRules: rules(chance, `${server}-nic${slot}`),
        securityGroups: someGroups(),
      };
    });
  });
  return {
    ...{ id, lans, servers, nics, securityGroups },
    natGateways: chance.often(70) ? [gateway(chance, id, next)] : [],
    ...randomBalancers({ chance, next, id, servers, nics }),
  };
}

const gateway = (chance: Chance, id: string, next: Next): DatacenterSpec['natGateways'][number] => {
  const publicIps = [`198.18.0.${next('public')}`, `198.18.0.${next('public')}`];
  return {
    id: `${id}-gateway`,
    publicIps,
    lans: [{ id: 2, gatewayIps: ['10.7.0.1/24'] }],
    rules: Array.from({ length: 1 + chance.below(3) }, (_, at) => {
      const protocol = chance.one(['TCP', 'UDP', 'ICMP', 'ALL'] as const);
      const hasPorts = (protocol === 'TCP' || protocol === 'UDP') && chance.often(40);
      return {
        id: `${id}-gateway-rule${at}`,
        protocol,
        sourceSubnet: chance.one(['10.7.0.0/24', '10.7.0.0/29', '10.7.0.8/29']),
        publicIp: chance.one(publicIps),
        targetSubnet: chance.one([null, null, '203.0.113.0/24', '198.18.0.0/15']),
        targetPortRange: hasPorts ? { start: 80, end: chance.one([80, 443]) } : null,
      };
    }),
  };
};

function rules(chance: Chance, owner: string): FirewallRule[] {
  return Array.from({ length: 1 + chance.below(5) }, (_, at) => {
    const protocol = chance.one(['TCP', 'TCP', 'TCP', 'UDP', 'ICMP', 'ICMPv6', 'ANY', 'ANY'] as const);
    const start = chance.often(45) ? chance.one(ports) : null;
    return {
      id: `${owner}-rule${at}`,
      protocol,
      type: chance.one(['INGRESS', 'INGRESS', 'EGRESS', null]),
      sourceMac: chance.often(12) ? `02:01:00:00:0${chance.below(3)}:00` : null,
      ipVersion: protocol === 'ANY' && chance.often(40) ? 'IPv6' : null,
      sourceIp: chance.often(20) ? chance.one(['10.7.0.0/24', '10.7.0.5', '198.18.0.0/15', outside.v4]) : null,
      targetIp: chance.often(12) ? chance.one(['10.7.0.0/24', '198.18.0.0/29', '10.99.0.5']) : null,
      icmpType: protocol === 'ICMP' && chance.often(40) ? chance.one([8, 8, 0]) : null,
      icmpCode: null,
      portRangeStart: start,
      portRangeEnd: start === null ? null : chance.one([start, 443]),
    };
  });
}

let lastPort = 20_000;

// Without a sender, the packet comes from outside.
interface Way {
  sender: Nic | undefined;
  to: string;
  isToProxy?: boolean;
}

export function randomPacket(chance: Chance, datacenters: readonly DatacenterSpec[]): Packet {
  const balanced = chance.often(40) ? wayToBalancer(chance, datacenters) : undefined;
  const { sender, to, isToProxy = false } = balanced ?? randomWay(chance, datacenters);
  if (sender && isInside(datacenters, sender, to)) return randomPacket(chance, datacenters);
  const isV6 = to.includes(':');
  const protocol =
    isToProxy && chance.often(85) ? 'TCP' : chance.one(['TCP', 'TCP', 'UDP', isV6 ? 'ICMPv6' : 'ICMP'] as const);
  const hasPorts = protocol === 'TCP' || protocol === 'UDP';
  const sources = sender ? [...sender.ips, ...sender.ipv6Ips].filter((ip) => ip.includes(':') === isV6) : [];
  lastPort = lastPort >= 60_000 ? 20_000 : lastPort + 1;
  return {
    from: sender
      ? { nicId: sender.id, ...(sources.length > 1 && { ip: chance.one(sources) }) }
      : { ip: isV6 ? outside.v6 : outside.v4 },
    ...{ to, protocol },
    ...(isToProxy && protocol === 'TCP' && { http: randomHttp(chance) }),
    ...(hasPorts ? { sourcePort: lastPort, targetPort: chance.one(ports) } : { icmpType: isV6 ? 128 : 8, icmpCode: 0 }),
  };
}

function randomWay(chance: Chance, datacenters: readonly DatacenterSpec[]): Way {
  const nics = datacenters.flatMap((one) => one.nics);
  const publicNics = nics.filter(({ lan }) => lan === 1);
  const isFromOutside = publicNics.length > 0 && chance.often(15);
  const sender = chance.one(nics);
  const others = nics.filter(({ server }) => server !== sender.server);
  const receiver = isFromOutside ? chance.one(publicNics) : chance.one(others);
  const near = others.filter(({ lan }) => lan === sender.lan);
  const aim = !isFromOutside && near.length > 0 && chance.often(60) ? chance.one(near) : receiver;
  const known = [...aim.ips, ...aim.ipv6Ips];
  const gateways = datacenters.flatMap(({ natGateways }) => natGateways.flatMap(({ publicIps }) => publicIps));
  const strange = [outside.v4, outside.v6, '10.7.0.99', '10.50.0.1', '198.19.0.1', '192.0.2.5', ...gateways];
  const to = chance.often(isFromOutside ? 90 : 72)
    ? chance.one(known)
    : chance.one(isFromOutside ? gateways.concat('198.19.0.1') : strange);
  return { sender: isFromOutside ? undefined : sender, to };
}

// From a NIC in its listener LAN, or from outside.
function wayToBalancer(chance: Chance, datacenters: readonly DatacenterSpec[]): Way | undefined {
  const fronts = datacenters.flatMap(frontsOf);
  if (fronts.length === 0) return undefined;
  const { ip: to, lan, nics, balancedServers } = chance.one(fronts);
  const near = nics.filter((nic) => nic.lan === lan);
  const isToProxy = balancedServers.length === 0;
  if (lan === 1 && (near.length === 0 || chance.often(50))) return { sender: undefined, to, isToProxy };
  return near.length > 0 ? { sender: chance.one(near), to, isToProxy } : undefined;
}

// Between two NICs of one server, a packet stays inside the machine; to a classic balancer of one of them, too.
function isInside(datacenters: readonly DatacenterSpec[], sender: Nic, to: string): boolean {
  const neighbours = datacenters.flatMap(({ nics }) => nics).filter(({ server }) => server === sender.server);
  const others = neighbours.filter((nic) => nic !== sender);
  const balanced = datacenters.flatMap(frontsOf).filter((one) => one.balancedServers.includes(sender.server));
  return [...others.flatMap((nic) => [...nic.ips, ...nic.ipv6Ips]), ...balanced.map(({ ip }) => ip)].includes(to);
}
