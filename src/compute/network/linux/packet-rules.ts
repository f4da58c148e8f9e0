// Firewall and NAT rules as rules of nft. Each has a counter and, as its comment, what decides: the id of the rule, or
// the default of docs/network.md.
import { addressAt, type Range, unroutedNetworks } from '../ip.ts';
import type { Direction, Protocol } from '../spec.ts';
import type { NicEndpoint, ParsedNatRule } from '../topology/endpoint.ts';
import type { PacketFilter, ParsedRule, PortRange } from '../topology/firewall.ts';
import type { Decision } from '../verdict.ts';

const protocolNumbers: Readonly<Record<Exclude<Protocol, 'TCP' | 'UDP'>, number>> = {
  ICMP: 1,
  GRE: 47,
  ESP: 50,
  AH: 51,
  ICMPv6: 58,
  VRRP: 112,
};

// The only table of a namespace. Loading it replaces the previous one in the same transaction; the first line creates
// one that can be deleted.
export const filterTable = (chains: readonly string[]): string =>
  ['table inet cumulet', 'delete table inet cumulet', 'table inet cumulet {', ...chains, '}'].join('\n');

// Neighbour discovery and multicast groups of IPv6, which work without any rule, like ARP.
export const discovery = 'icmpv6 type { 130, 131, 132, 133, 134, 135, 136, 143 }';

// The rules of a chain that decides on new packets of a NIC.
export function firewallRules(nic: NicEndpoint, direction: Direction): string[] {
  const { lists, otherwise }: PacketFilter = direction === 'INGRESS' ? nic.ingress : nic.egress;
  if (lists === null) return [`counter accept ${comment(otherwise)}`];
  const rules = lists.flat().flatMap((rule) => firewallRule(rule, nic, direction));
  return [...rules, `counter drop ${comment(otherwise)}`];
}

// A packet that the NIC itself sends has the NIC's MAC address, before the kernel has written it into the packet.
function firewallRule(rule: ParsedRule, { mac }: NicEndpoint, direction: Direction): string[] {
  const isOfVersion = (range: Range | null): boolean => range === null || range.version === rule.version;
  if (!isOfVersion(rule.source) || !isOfVersion(rule.target)) return []; // nothing matches it
  if (direction === 'EGRESS' && rule.sourceMac !== null && rule.sourceMac !== mac) return [];
  const conditions = [
    `meta nfproto ipv${rule.version}`,
    ...(rule.sourceMac !== null && direction === 'INGRESS' ? [`ether saddr ${rule.sourceMac}`] : []),
    ...inRange('saddr', rule.source),
    ...inRange('daddr', rule.target),
    ...ofProtocol(rule.protocol, rule.ports),
    ...ofIcmp(rule),
  ];
  return [`${conditions.join(' ')} counter accept ${comment(rule.decision)}`];
}

// The rules that drop packets to addresses that the internet does not route.
export const unroutedRules = (): string[] =>
  ([4, 6] as const).map((version) => {
    const networks = unroutedNetworks.filter((network) => network.includes(':') === (version === 6));
    return `ip${version === 6 ? '6' : ''} daddr { ${networks.join(', ')} } counter drop comment "no route"`;
  });

export function natConditions(rule: ParsedNatRule): string[] {
  return [
    `meta nfproto ipv${rule.publicIp.version}`,
    ...inRange('saddr', rule.source),
    ...inRange('daddr', rule.target),
    ...(rule.protocol === 'ALL' ? [] : ofProtocol(rule.protocol as Protocol, rule.ports)),
  ];
}

export const comment = (decision: Decision): string =>
  `comment "${'rule' in decision ? decision.rule : decision.default}"`;

function ofProtocol(protocol: Protocol | 'ANY', ports: PortRange | null): string[] {
  if (protocol === 'ANY') return [];
  if (protocol !== 'TCP' && protocol !== 'UDP') return [`meta l4proto ${protocolNumbers[protocol]}`];
  const match = `meta l4proto ${protocol === 'TCP' ? 6 : 17}`;
  return ports === null ? [match] : [match, `th dport ${ports.first}-${ports.last}`];
}

function ofIcmp({ protocol, icmpType, icmpCode }: ParsedRule): string[] {
  const header = protocol === 'ICMPv6' ? 'icmpv6' : 'icmp';
  return [
    ...(icmpType === null ? [] : [`${header} type ${icmpType}`]),
    ...(icmpCode === null ? [] : [`${header} code ${icmpCode}`]),
  ];
}

function inRange(field: 'saddr' | 'daddr', range: Range | null): string[] {
  if (range === null) return [];
  const [first, last] = [addressAt(range.version, range.first), addressAt(range.version, range.last)];
  return [`ip${range.version === 6 ? '6' : ''} ${field} ${first === last ? first : `${first}-${last}`}`];
}
