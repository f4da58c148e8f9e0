// NAT gateways: a way out of private LANs, by source translation, and never a way in.
import { isInPorts, portsOf } from './firewall.ts';
import { addressOf, contains, rangeOf } from './ip.ts';
import type { NatGateway, NatRule } from './landscape.ts';
import type { Gateway, ReadNatRule } from './station.ts';
import { accept, byDefault, reject, type Stop, type Trip } from './trip.ts';

export const gatewayOf = (datacenterId: string, { id, rules }: NatGateway): Gateway => ({
  id,
  datacenterId,
  rules: rules.flatMap((rule) => readRule(rule, id) ?? []),
});

// A subnet that can't be read would let out more than was meant, so such a rule is left out.
function readRule(rule: NatRule, ownerId: string): ReadNatRule | undefined {
  const source = rangeOf(rule.sourceSubnet);
  const target = rule.targetSubnet === null ? null : rangeOf(rule.targetSubnet);
  const publicIp = addressOf(rule.publicIp);
  if (!source || target === undefined || !publicIp) return undefined;
  const hasPorts = rule.protocol === 'TCP' || rule.protocol === 'UDP';
  const { start = null, end = null } = rule.targetPortRange ?? {};
  return {
    protocol: rule.protocol ?? 'ALL',
    source,
    target,
    ports: hasPorts ? portsOf(start, end) : null,
    publicIp,
    decision: { rule: rule.id, of: 'natgateway', ownerId },
  };
}

// Translates the source; null: no gateway lets it out.
export function goOut(trip: Trip, gateways: readonly Gateway[]): true | null {
  for (const gateway of gateways) {
    const rule = gateway.rules.find((each) => isFor(each, trip));
    if (!rule) continue;
    trip.source = rule.publicIp;
    accept(trip, stopAt(gateway), 'EGRESS', rule.decision);
    return true;
  }
  return reject(trip, stopAt(gateways[0] as Gateway), 'EGRESS', byDefault('no SNAT rule'));
}

const stopAt = ({ id, datacenterId }: Gateway): Stop => ({ kind: 'natgateway', id, datacenterId });

const isFor = (rule: ReadNatRule, { protocol, source, target, targetPort }: Trip): boolean =>
  (rule.protocol === 'ALL' || rule.protocol === protocol) &&
  rule.publicIp.version === source.version &&
  contains(rule.source, source) &&
  (rule.target === null || contains(rule.target, target)) &&
  isInPorts(rule.ports, targetPort);
