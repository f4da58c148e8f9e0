// Random landscapes for the tests of verdicts. They have few ports, names and networks, so that packets often hit
// existing resources; some parts are oddly written, dangling or contradictory on purpose.

import type { Chance } from '../../../testing/seed.ts';
import type {
  ApplicationLoadBalancer,
  DatacenterSpec,
  FirewallRule,
  HttpCondition,
  HttpRule,
  Lan,
  LoadBalancer,
  NatGateway,
  NetworkLoadBalancer,
  NetworkSpec,
  Nic,
  TargetGroup,
} from '../spec.ts';

export const ports = [22, 80, 443];
const names = ['shop', 'api', 'old'];
const algorithms = ['ROUND_ROBIN', 'LEAST_CONNECTION', 'RANDOM', 'SOURCE_IP'] as const;
export const ranges = ['198.18.0.0/15', '2001:db8::/32'];

export function randomLandscape(chance: Chance): NetworkSpec {
  let used = 0;
  const nextPublic = (): string => `198.18.0.${++used}`;
  const count = chance.one([1, 2, 2, 3]);
  const datacenters = Array.from({ length: count }, (_, at) => datacenter(chance, at, nextPublic));
  return { ranges, datacenters };
}

// Another version of one of the datacenters.
export const randomDatacenter = (chance: Chance, at: number): DatacenterSpec =>
  datacenter(chance, at, () => `198.18.0.${1 + chance.below(40)}`);

function datacenter(chance: Chance, at: number, nextPublic: () => string): DatacenterSpec {
  const id = `dc${9 - at}`;
  const many = <Item>(most: number, make: (name: string) => Item, kind: string): Item[] =>
    Array.from({ length: chance.below(most + 1) }, (_, number) => make(`${id}-${kind}${number}`));
  const bare = lans(chance, at);
  const securityGroups = many(2, (name) => ({ id: name, rules: rules(chance, name, 5) }), 'group');
  const groupIds = [...securityGroups.map((group) => group.id), 'gone'];
  const someGroups = (): string[] => (chance.often(18) ? [chance.one(groupIds), chance.one(groupIds)] : []);
  const servers = Array.from({ length: 2 + chance.below(3) }, (_, number) => ({
    id: `${id}-server${number}`,
    vmState: chance.often(92) ? 'RUNNING' : chance.one(['SHUTOFF', 'SUSPENDED']),
    securityGroups: someGroups(),
  }));
  const nics = servers.flatMap((server) =>
    Array.from({ length: 1 + chance.below(2) }, (_, number) =>
      nic(chance, `${server.id}-nic${number}`, server.id, bare, nextPublic, someGroups()),
    ),
  );
  const seats = bare.map((lan) => ({ ...lan, ipFailover: failovers(chance, lan, nics) }));
  return {
    id,
    lans: seats,
    servers,
    nics,
    securityGroups,
    natGateways: many(2, (name) => gateway(chance, name, seats, nextPublic), 'gateway'),
    networkLoadBalancers: many(1, (name) => networkBalancer(chance, name, seats, nics, nextPublic), 'nlb'),
    applicationLoadBalancers: many(1, (name) => applicationBalancer(chance, name, seats, nextPublic), 'alb'),
    targetGroups: many(2, (name) => targetGroup(chance, name, nics), 'targets'),
    loadBalancers: many(1, (name) => classic(chance, name, nics, nextPublic), 'classic'),
  };
}

function lans(chance: Chance, at: number): Lan[] {
  const lan = (id: number, isPublic: boolean, pcc: string | null): Lan => ({
    id,
    public: isPublic,
    ipv4CidrBlock: isPublic ? null : pcc ? '10.99.0.0/24' : `10.${at}.${id}.0/24`,
    ipv6CidrBlock: chance.often(60) ? `2001:db8:${at}:${id}::/64` : null,
    pcc,
    ipFailover: [],
  });
  return [
    lan(1, true, chance.often(5) ? 'pcc' : null),
    lan(2, false, null),
    lan(3, false, chance.often(70) ? 'pcc' : null),
  ];
}

function nic(chance: Chance, id: string, server: string, all: Lan[], nextPublic: () => string, groups: string[]): Nic {
  const lan = chance.one(all);
  const own = lan.public && chance.often(93) ? nextPublic() : host(chance, lan.ipv4CidrBlock ?? '10.77.0.0/24');
  return {
    id,
    server,
    lan: chance.often(98) ? lan.id : 8,
    mac: `02:01:00:00:00:0${chance.below(4)}`,
    ips: chance.often(95) ? (chance.often(20) ? [own, host(chance, '10.77.0.0/24')] : [own]) : [],
    ipv6Ips: lan.ipv6CidrBlock ? [host(chance, lan.ipv6CidrBlock)] : [],
    firewallActive: chance.often(40),
    firewallType: chance.one(['INGRESS', 'EGRESS', 'BIDIRECTIONAL', null]),
    firewallRules: rules(chance, id, 5),
    securityGroups: groups,
  };
}

const host = (chance: Chance, network: string): string => {
  const start = network.replace(/(\.0|:)\/\d+$/, '');
  if (!network.includes(':')) return `${start}.${1 + chance.below(9)}`;
  const last = (1 + chance.below(9)).toString(16);
  return chance.often(30) ? `${start.toUpperCase()}0:0:0:${last}` : `${start}:${last}`;
};

const failovers = (chance: Chance, lan: Lan, nics: Nic[]): Lan['ipFailover'] => {
  const there = nics.filter((nic) => nic.lan === lan.id && nic.ips.length > 0);
  if (there.length === 0 || !chance.often(25)) return [];
  const ip = chance.one(there.flatMap(({ ips }) => ips));
  const nicUuid = chance.often(90) ? chance.one(there).id : chance.one(nics).id;
  return [{ ip, nicUuid }, ...(chance.often(20) ? [{ ip, nicUuid: chance.one(there).id }] : [])];
};

function rules(chance: Chance, owner: string, most: number): FirewallRule[] {
  return Array.from({ length: chance.below(most + 1) }, (_, at) => ({
    id: `${owner}-rule${at}`,
    protocol: chance.one([
      'TCP',
      'TCP',
      'TCP',
      'UDP',
      'ICMP',
      'ICMPv6',
      'ANY',
      'ANY',
      'ANY',
      'ANY',
      'ANY',
      'GRE',
      'ESP',
      'AH',
    ]),
    type: chance.one(['INGRESS', 'INGRESS', 'EGRESS', 'EGRESS', null]),
    sourceMac: chance.often(7) ? `02:01:00:00:00:0${chance.below(4)}` : null,
    ipVersion: chance.one([null, null, null, 'IPv4', 'IPv4', 'IPv6']),
    sourceIp: chance.often(20) ? someNetwork(chance) : null,
    targetIp: chance.often(12) ? someNetwork(chance) : null,
    icmpType: chance.often(50) ? chance.one([0, 8, 128]) : null,
    icmpCode: chance.often(30) ? chance.below(2) : null,
    ...someRange(chance),
  }));
}

function someRange(chance: Chance): Pick<FirewallRule, 'portRangeStart' | 'portRangeEnd'> {
  const portRangeStart = chance.often(40) ? chance.one(ports) : null;
  return {
    portRangeStart,
    portRangeEnd: chance.often(portRangeStart === null ? 15 : 85)
      ? (portRangeStart ?? 22) + chance.one([0, 58, 400])
      : null,
  };
}

const someNetwork = (chance: Chance): string =>
  chance.one([
    ...['0.0.0.0/0', '10.0.0.0/8', '10.99.0.5/24', '10.0.2.0/28', '198.18.0.0/15', '203.0.113.0/24', '203.0.113.7'],
    ...['10.0.2.3', '10.77.0.0/16', '::/0', '2001:db8::/32', '2001:DB8:0:2::/64', '2a00::/12', '2001:db8:0:3:0::4'],
  ]);

function gateway(chance: Chance, id: string, all: Lan[], nextPublic: () => string): NatGateway {
  const publicIps = [nextPublic()];
  return {
    id,
    publicIps,
    lans: all
      .filter((lan) => !lan.public && chance.often(70))
      .map((lan) => ({ id: lan.id, gatewayIps: [`${(lan.ipv4CidrBlock ?? '').replace('.0/24', '.250/24')}`] })),
    rules: Array.from({ length: chance.below(4) }, (_, at) => ({
      id: `${id}-rule${at}`,
      protocol: chance.one(['TCP', 'UDP', 'ICMP', 'ALL', null]),
      sourceSubnet: chance.one(['10.0.0.0/8', '10.0.0.0/8', '10.99.0.0/24', '10.0.2.0/29', '10.77.0.0/16']),
      publicIp: chance.often(96) ? (publicIps[0] as string) : '2001:db8:ffff::1',
      targetSubnet: chance.often(40) ? someNetwork(chance) : null,
      targetPortRange: chance.often(40) ? { start: chance.one([null, ...ports]), end: chance.one([null, 443]) } : null,
    })),
  };
}

function balancerFrame(chance: Chance, id: string, all: Lan[], nextPublic: () => string) {
  const listener = chance.one(all);
  const target = chance.one(all.filter((lan) => !lan.public));
  const other = `${(target.ipv4CidrBlock ?? '').replace('.0/24', '.240/24')}`;
  const privateIps = [other, `2001:db8:0:${target.id}::f0/64`].filter(() => chance.often(85));
  const ips = listener.public ? [nextPublic(), nextPublic()] : [host(chance, listener.ipv4CidrBlock as string)];
  return {
    frame: {
      id,
      listenerLan: chance.often(98) ? listener.id : 8,
      targetLan: chance.often(97) ? target.id : 8,
      ips,
      lbPrivateIps: chance.often(30) ? privateIps.reverse() : privateIps,
    },
    listen: () => ({ listenerIp: chance.one(ips), listenerPort: chance.one(ports) }),
    targetLan: target.id,
  };
}

// Mostly of NICs of the target LAN.
function targets(chance: Chance, nics: Nic[], lan: number | undefined) {
  const near = nics.filter((nic) => lan === undefined || nic.lan === lan || chance.often(5));
  const known = near.flatMap(({ ips, ipv6Ips }) => [...ips, ...(chance.often(30) ? ipv6Ips : [])]);
  return Array.from({ length: chance.below(4) }, () => ({
    ip: chance.one(known.length > 0 && chance.often(92) ? known : ['10.0.2.99']),
    port: chance.one(ports),
    weight: chance.one([0, 1, 1, 1, 3, 256]),
    check: chance.one([true, true, false, null]),
    rests: chance.one([true, false, false, false, null]),
  }));
}

function networkBalancer(chance: Chance, id: string, all: Lan[], nics: Nic[], next: () => string): NetworkLoadBalancer {
  const { frame, listen, targetLan } = balancerFrame(chance, id, all, next);
  return {
    ...frame,
    forwardingRules: Array.from({ length: 1 + chance.below(4) }, (_, at) => ({
      id: `${id}-rule${at}`,
      algorithm: chance.one(algorithms),
      protocol: chance.one(['TCP', 'HTTP']),
      ...listen(),
      targets: targets(chance, nics, targetLan).map(({ check, rests, ...target }) => ({
        ...target,
        healthCheck: chance.often(90) ? { check, maintenance: rests } : null,
      })),
    })),
  };
}

const targetGroup = (chance: Chance, id: string, nics: Nic[]): TargetGroup => ({
  id,
  algorithm: chance.one(algorithms),
  targets: targets(chance, nics, chance.one([2, 3])).map(({ check, rests, ...target }) => ({
    ...target,
    healthCheckEnabled: check,
    maintenanceEnabled: rests,
  })),
});

function applicationBalancer(chance: Chance, id: string, all: Lan[], next: () => string): ApplicationLoadBalancer {
  const { frame, listen } = balancerFrame(chance, id, all, next);
  const groupId = (): string => `${id.split('-')[0]}-targets${chance.below(2)}`;
  return {
    ...frame,
    forwardingRules: Array.from({ length: 1 + chance.below(3) }, (_, at) => ({
      id: `${id}-rule${at}`,
      protocol: 'HTTP',
      ...listen(),
      httpRules: Array.from({ length: 1 + chance.below(3) }, (_, number) =>
        httpRule(chance, `http${number}`, groupId()),
      ),
    })),
  };
}

export function httpRule(chance: Chance, name: string, targetGroup: string): HttpRule {
  const type: HttpRule['type'] = chance.one(['FORWARD', 'FORWARD', 'FORWARD', 'STATIC', 'REDIRECT']);
  return {
    name,
    type,
    targetGroup: type === 'FORWARD' ? targetGroup : null,
    dropQuery: chance.one([true, false, null]),
    location: type === 'REDIRECT' ? chance.one(['https://shop.example/', 'https://shop.example/?a=1']) : null,
    statusCode: chance.one([null, 302, 418]),
    responseMessage: chance.one([null, 'closed']),
    contentType: chance.one([null, 'text/plain']),
    conditions: Array.from({ length: chance.one([0, 1, 1, 2]) }, () => condition(chance)),
  };
}

function condition(chance: Chance): HttpCondition {
  const type: HttpCondition['type'] = chance.one([
    'HEADER',
    'PATH',
    'PATH',
    'QUERY',
    'METHOD',
    'HOST',
    'COOKIE',
    'SOURCE_IP',
  ]);
  const negate = chance.one([true, false, null]);
  if (type === 'SOURCE_IP') return { type, condition: null, negate, key: null, value: someNetwork(chance) };
  const kind: HttpCondition['condition'] = chance.one([
    'EXISTS',
    'CONTAINS',
    'EQUALS',
    'MATCHES',
    'STARTS_WITH',
    'ENDS_WITH',
  ]);
  const texts = {
    METHOD: ['GET', 'ST', 'G'],
    HOST: ['shop.example', 'Api', 'shop'],
    PATH: ['/shop', '/', 'api', '/old'],
  };
  const plain = type === 'METHOD' || type === 'HOST' || type === 'PATH' ? texts[type] : names;
  const patterns = ['^/(shop|api)', 'o', '^[a-z]+$', 'p{2}|i', '\\.example$', '^(G|P)[A-Z]+', 'o.*d'];
  return {
    type,
    condition: kind,
    negate,
    key: type === 'PATH' || type === 'METHOD' || type === 'HOST' ? null : chance.one(['X-Kind', 'x-kind', 'kind']),
    value: kind === 'EXISTS' ? null : chance.one(kind === 'MATCHES' ? patterns : plain),
  };
}

function classic(chance: Chance, id: string, nics: Nic[], nextPublic: () => string): LoadBalancer {
  const balancedNics = Array.from({ length: chance.below(4) }, () => chance.one(nics).id);
  const lan = nics.find((nic) => nic.id === balancedNics[0])?.lan;
  const ip = lan === 1 ? nextPublic() : lan === 2 ? '10.0.2.66' : '10.99.0.66';
  return {
    id,
    ip: chance.often(95) ? ip : null,
    balancedNics: chance.often(5) ? ['gone', ...balancedNics] : balancedNics,
  };
}
