// NAT gateways: private LANs reach the internet through source translation; nothing comes in through a gateway.
import { contains } from '../ip.ts';
import type { Gateway, ParsedNatRule } from '../topology/endpoint.ts';
import { isInPorts } from '../topology/firewall.ts';
import { accept, byDefault, type HopInterface, type PacketPath, reject } from './packet-path.ts';

// Source NAT by the first matching rule; null: no gateway has one.
export function translateSource(path: PacketPath, gateways: readonly Gateway[]): true | null {
  for (const gateway of gateways) {
    const rule = gateway.rules.find((each) => fits(each, path));
    if (!rule) continue;
    path.source = rule.publicIp;
    accept(path, interfaceOf(gateway), 'EGRESS', rule.decision);
    return true;
  }
  return reject(path, interfaceOf(gateways[0] as Gateway), 'EGRESS', byDefault('no SNAT rule'));
}

const interfaceOf = ({ id, datacenterId }: Gateway): HopInterface => ({ kind: 'natgateway', id, datacenterId });

export const fits = (
  rule: ParsedNatRule,
  { protocol, source, target, targetPort }: Pick<PacketPath, 'protocol' | 'source' | 'target' | 'targetPort'>,
): boolean =>
  (rule.protocol === 'ALL' || rule.protocol === protocol) &&
  rule.publicIp.version === source.version &&
  contains(rule.source, source) &&
  (rule.target === null || contains(rule.target, target)) &&
  isInPorts(rule.ports, targetPort);
