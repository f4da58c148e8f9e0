// Small specs for the network contract, and verdicts written as a few lines of text.

import type { NetworkEngine } from '../engine.ts';
import type {
  ApplicationLoadBalancer,
  DatacenterSpec,
  FirewallRule,
  HttpRule,
  Lan,
  NetworkLoadBalancer,
  Nic,
} from '../spec.ts';
import type { Packet, Verdict } from '../verdict.ts';

export type Case = (title: string, run: (network: NetworkEngine) => Promise<void>) => void;

export const ranges = ['198.18.0.0/15', '2001:db8::/32'];

export const datacenter = (id: string, parts: Partial<DatacenterSpec>): DatacenterSpec => ({
  id,
  lans: [lan(1, { public: true }), lan(2, { ipv4CidrBlock: '10.0.2.0/24' })],
  servers: (parts.nics ?? []).map((each) => ({ id: each.server, vmState: 'RUNNING', securityGroups: [] })),
  nics: [],
  securityGroups: [],
  natGateways: [],
  networkLoadBalancers: [],
  applicationLoadBalancers: [],
  targetGroups: [],
  loadBalancers: [],
  ...parts,
});

export const lan = (id: number, parts: Partial<Lan> = {}): Lan => ({
  id,
  public: false,
  ipv4CidrBlock: null,
  ipv6CidrBlock: null,
  pcc: null,
  ipFailover: [],
  ...parts,
});

export const nic = (id: string, lanId: number, ip: string, parts: Partial<Nic> = {}): Nic => ({
  id,
  server: `server-${id}`,
  lan: lanId,
  mac: `02:01:00:00:00:${id.charCodeAt(0).toString(16)}`,
  ips: ip.includes(':') ? [] : [ip],
  ipv6Ips: ip.includes(':') ? [ip] : [],
  firewallActive: false,
  firewallType: 'INGRESS',
  firewallRules: [],
  securityGroups: [],
  ...parts,
});

export const rule = (id: string, parts: Partial<FirewallRule> = {}): FirewallRule => ({
  id,
  protocol: 'TCP',
  type: 'INGRESS',
  sourceMac: null,
  ipVersion: null,
  sourceIp: null,
  targetIp: null,
  icmpType: null,
  icmpCode: null,
  portRangeStart: null,
  portRangeEnd: null,
  ...parts,
});

export const balancer = (parts: Partial<NetworkLoadBalancer> = {}): NetworkLoadBalancer => ({
  id: 'nlb',
  listenerLan: 1,
  targetLan: 2,
  ips: ['198.18.0.100'],
  lbPrivateIps: ['10.0.2.240/24'],
  forwardingRules: [
    {
      id: 'forward',
      algorithm: 'ROUND_ROBIN',
      protocol: 'TCP',
      listenerIp: '198.18.0.100',
      listenerPort: 80,
      targets: [target('10.0.2.1'), target('10.0.2.2')],
    },
  ],
  ...parts,
});

export const target = (ip: string, parts: { weight?: number; check?: boolean; maintenance?: boolean } = {}) => ({
  ip,
  port: 8080,
  weight: parts.weight ?? 1,
  healthCheck: { check: parts.check ?? true, maintenance: parts.maintenance ?? false },
});

export const applicationBalancer = (httpRules: HttpRule[]): ApplicationLoadBalancer => ({
  ...balancer(),
  id: 'alb',
  forwardingRules: [{ id: 'listen', protocol: 'HTTP', listenerIp: '198.18.0.100', listenerPort: 80, httpRules }],
});

export const httpRule = (name: string, parts: Partial<HttpRule> = {}): HttpRule => ({
  name,
  type: 'FORWARD',
  targetGroup: 'group',
  dropQuery: null,
  location: null,
  statusCode: null,
  responseMessage: null,
  contentType: null,
  conditions: [],
  ...parts,
});

// TCP from a NIC to port 80 by default.
export const packet = (from: string | { ip: string }, to: string, parts: Partial<Packet> = {}): Packet => ({
  from: typeof from === 'string' ? { nicId: from } : from,
  to,
  protocol: 'TCP',
  sourcePort: 40000,
  targetPort: 80,
  ...parts,
});

export const outside = { ip: '203.0.113.7' };

// `nic a EGRESS ACCEPT no firewall`, hop by hop, and where it ended.
export function path({ hops, arrived }: Verdict): string[] {
  const lines = hops.map(({ kind, id, direction, action, decidedBy }) => {
    const why = 'rule' in decidedBy ? `${decidedBy.of} ${decidedBy.ownerId} ${decidedBy.rule}` : decidedBy.default;
    return `${[kind, id].filter(Boolean).join(' ')} ${direction} ${action}: ${why}`;
  });
  if (arrived?.kind === 'nic') lines.push(`at ${arrived.nicId}`);
  else if (arrived) lines.push(arrived.kind === 'internet' ? 'outside' : `answered ${arrived.statusCode}`);
  return lines;
}

type Parts = Partial<DatacenterSpec>;

export async function pathIn(network: NetworkEngine, parts: Parts, sent: Packet): Promise<string[]> {
  await network.remove('D');
  await network.apply(datacenter('D', parts), 1);
  return path(await network.send(sent));
}

export const lastIn = async (network: NetworkEngine, parts: Parts, sent: Packet): Promise<string | undefined> =>
  (await pathIn(network, parts, sent)).at(-1);

// Two neighbours in a private LAN, and one in a public LAN.
export const web = { a: nic('a', 2, '10.0.2.1'), b: nic('b', 2, '10.0.2.2'), p: nic('p', 1, '198.18.0.1') };
