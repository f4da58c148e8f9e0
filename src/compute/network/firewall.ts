// The firewall of a NIC and the security groups around it. All rules allow; what none allows is denied where anything
// filters. Read once per landscape: a gate is what stands in one direction of one NIC.
import { type Address, contains, type Range, rangeOf } from './ip.ts';
import type { Direction, FirewallRule, Nic, Protocol, SecurityGroup } from './landscape.ts';
import type { Decision, RuleDecision } from './verdict.ts';

export interface Gate {
  lists: readonly (readonly ReadRule[])[] | null; // null: nothing filters
  otherwise: Decision;
}

// What a rule can see of a packet.
export interface Seen {
  protocol: Protocol;
  source: Address;
  target: Address;
  targetPort: number | null;
  icmpType: number | null;
  icmpCode: number | null;
  sourceMac: string | null; // known on the wire it left on only
}

export interface ReadRule {
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

// Rules by the direction that they are for.
export type ReadRules = Record<Direction, ReadRule[]>;

const noFirewall: Decision = { default: 'no firewall' };
const notFiltered: Decision = { default: 'direction not filtered' };
const firewallDeny: Decision = { default: 'firewall default deny' };
const groupDeny: Decision = { default: 'security group default deny' };

export function gateOf(nic: Nic, groups: readonly ReadRules[], direction: Direction): Gate {
  const type = nic.firewallType ?? 'INGRESS';
  const isFiltered = nic.firewallActive && (type === direction || type === 'BIDIRECTIONAL');
  if (!isFiltered && groups.length === 0)
    return { lists: null, otherwise: nic.firewallActive ? notFiltered : noFirewall };
  const lists = groups.map((rules) => rules[direction]);
  if (isFiltered) lists.unshift(readRules(nic.firewallRules, 'nic', nic.id)[direction]);
  return { lists, otherwise: isFiltered ? firewallDeny : groupDeny };
}

export const readGroup = ({ id, rules }: SecurityGroup): ReadRules => readRules(rules, 'securitygroup', id);

export function pass({ lists, otherwise }: Gate, seen: Seen): { isOpen: boolean; decision: Decision } {
  if (lists === null) return { isOpen: true, decision: otherwise };
  for (const rules of lists)
    for (const rule of rules) if (allows(rule, seen)) return { isOpen: true, decision: rule.decision };
  return { isOpen: false, decision: otherwise };
}

// A range that can't be read would allow more than was meant, so such a rule is left out.
function readRules(rules: readonly FirewallRule[], of: 'nic' | 'securitygroup', ownerId: string): ReadRules {
  const read: ReadRules = { INGRESS: [], EGRESS: [] };
  for (const rule of rules) {
    const source = rule.sourceIp === null ? null : rangeOf(rule.sourceIp);
    const target = rule.targetIp === null ? null : rangeOf(rule.targetIp);
    if (source === undefined || target === undefined) continue;
    const hasPorts = rule.protocol === 'TCP' || rule.protocol === 'UDP';
    const isIcmp = rule.protocol === 'ICMP' || rule.protocol === 'ICMPv6';
    read[rule.type ?? 'INGRESS'].push({
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
  return read;
}

function versionOf({ ipVersion, protocol }: FirewallRule, range: Range | null): 4 | 6 {
  if (ipVersion !== null) return ipVersion === 'IPv6' ? 6 : 4;
  return range?.version ?? (protocol === 'ICMPv6' ? 6 : 4);
}

// One end alone is that port alone.
export function portsOf(start: number | null, end: number | null): PortRange | null {
  const first = start ?? end;
  const last = end ?? start;
  return first === null || last === null ? null : { first, last };
}

export const isInPorts = (ports: PortRange | null, port: number | null): boolean =>
  ports === null || (port !== null && port >= ports.first && port <= ports.last);

function allows(rule: ReadRule, seen: Seen): boolean {
  return (
    (rule.protocol === 'ANY' || rule.protocol === seen.protocol) &&
    rule.version === seen.target.version &&
    isInPorts(rule.ports, seen.targetPort) &&
    (rule.icmpType === null || rule.icmpType === seen.icmpType) &&
    (rule.icmpCode === null || rule.icmpCode === seen.icmpCode) &&
    (rule.sourceMac === null || rule.sourceMac === seen.sourceMac) &&
    (rule.source === null || contains(rule.source, seen.source)) &&
    (rule.target === null || contains(rule.target, seen.target))
  );
}
