// The rules of NAT gateways, parsed for the topology.
import { addressOf, rangeOf } from '../ip.ts';
import type { NatGateway, NatRule } from '../spec.ts';
import type { Gateway, ParsedNatRule } from './endpoint.ts';
import { portsOf } from './firewall.ts';

export const parseGateway = (datacenterId: string, { id, rules }: NatGateway): Gateway => ({
  id,
  datacenterId,
  rules: rules.flatMap((rule) => parseRule(rule, id) ?? []),
});

// A rule with an invalid subnet is ignored: without its subnet, it would let out more than intended.
function parseRule(rule: NatRule, ownerId: string): ParsedNatRule | undefined {
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
