// The firewall of a NIC, its security groups and those of its server. Every rule allows; what no rule allows is denied
// where a firewall or a group filters. Rules are parsed once per spec, into one packet filter per NIC and direction.
import { type Address, contains, type Range, rangeOf } from '../ip.ts';
import type { Direction, FirewallRule, Nic, Protocol, SecurityGroup } from '../spec.ts';
import type { Decision, RuleDecision } from '../verdict.ts';

export interface PacketFilter {
  lists: readonly (readonly ParsedRule[])[] | null; // null: nothing filters
  otherwise: Decision;
}

// The fields of a packet that rules compare.
export interface PacketFields {
  protocol: Protocol;
  source: Address;
  target: Address;
  targetPort: number | null;
  icmpType: number | null;
  icmpCode: number | null;
  sourceMac: string | null; // known in the segment that it was sent in only
}

export interface ParsedRule {
  protocol: Protocol | 'ANY';
  version: 4 | 6;
  sourceMac: string | null;
  source: Range | null;
  target: Range | null;
  ports: PortRange | null;
  icmpType: number | null;
  icmpCode: number | null;
  decision: RuleDecision;
}

export interface PortRange {
  first: number;
  last: number;
}

export type RulesByDirection = Record<Direction, ParsedRule[]>;

const noFirewall: Decision = { default: 'no firewall' };
const notFiltered: Decision = { default: 'direction not filtered' };
const firewallDeny: Decision = { default: 'firewall default deny' };
const groupDeny: Decision = { default: 'security group default deny' };

export function filterFor(nic: Nic, groups: readonly RulesByDirection[], direction: Direction): PacketFilter {
  const type = nic.firewallType ?? 'INGRESS';
  const isFiltered = nic.firewallActive && (type === direction || type === 'BIDIRECTIONAL');
  if (!isFiltered && groups.length === 0)
    return { lists: null, otherwise: nic.firewallActive ? notFiltered : noFirewall };
  const lists = groups.map((rules) => rules[direction]);
  if (isFiltered) lists.unshift(parseRules(nic.firewallRules, 'nic', nic.id)[direction]);
  return { lists, otherwise: isFiltered ? firewallDeny : groupDeny };
}

export const parseGroup = ({ id, rules }: SecurityGroup): RulesByDirection => parseRules(rules, 'securitygroup', id);

export function filterPacket(
  { lists, otherwise }: PacketFilter,
  fields: PacketFields,
): { isAllowed: boolean; decision: Decision } {
  if (lists === null) return { isAllowed: true, decision: otherwise };
  for (const rules of lists)
    for (const rule of rules) if (allows(rule, fields)) return { isAllowed: true, decision: rule.decision };
  return { isAllowed: false, decision: otherwise };
}

// A rule with an invalid range is ignored: without its range, it would allow more than intended.
function parseRules(rules: readonly FirewallRule[], of: 'nic' | 'securitygroup', ownerId: string): RulesByDirection {
  const parsed: RulesByDirection = { INGRESS: [], EGRESS: [] };
  for (const rule of rules) {
    const source = rule.sourceIp === null ? null : rangeOf(rule.sourceIp);
    const target = rule.targetIp === null ? null : rangeOf(rule.targetIp);
    if (source === undefined || target === undefined) continue;
    const hasPorts = rule.protocol === 'TCP' || rule.protocol === 'UDP';
    const isIcmp = rule.protocol === 'ICMP' || rule.protocol === 'ICMPv6';
    parsed[rule.type ?? 'INGRESS'].push({
      protocol: rule.protocol,
      version: versionOf(rule, source ?? target),
      sourceMac: rule.sourceMac?.toLowerCase() ?? null,
      source,
      target,
      ports: hasPorts ? portsOf(rule.portRangeStart, rule.portRangeEnd) : null,
      icmpType: isIcmp ? rule.icmpType : null,
      icmpCode: isIcmp ? rule.icmpCode : null,
      decision: { rule: rule.id, of, ownerId },
    });
  }
  return parsed;
}

function versionOf({ ipVersion, protocol }: FirewallRule, range: Range | null): 4 | 6 {
  if (ipVersion !== null) return ipVersion === 'IPv6' ? 6 : 4;
  return range?.version ?? (protocol === 'ICMPv6' ? 6 : 4);
}

// A range with only one end is that port.
export function portsOf(start: number | null, end: number | null): PortRange | null {
  const first = start ?? end;
  const last = end ?? start;
  return first === null || last === null ? null : { first, last };
}

export const isInPorts = (ports: PortRange | null, port: number | null): boolean =>
  ports === null || (port !== null && port >= ports.first && port <= ports.last);

function allows(rule: ParsedRule, fields: PacketFields): boolean {
  return (
    (rule.protocol === 'ANY' || rule.protocol === fields.protocol) &&
    rule.version === fields.target.version &&
    isInPorts(rule.ports, fields.targetPort) &&
    (rule.icmpType === null || rule.icmpType === fields.icmpType) &&
    (rule.icmpCode === null || rule.icmpCode === fields.icmpCode) &&
    (rule.sourceMac === null || rule.sourceMac === fields.sourceMac) &&
    (rule.source === null || contains(rule.source, fields.source)) &&
    (rule.target === null || contains(rule.target, fields.target))
  );
}
