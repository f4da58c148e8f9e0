// Established connections pass a firewall without its rules. After a change of the rules, those that no rule allows any
// more are removed from the connection tracking of the machine, and all others continue.
import { addressOf } from '../ip.ts';
import type { Protocol } from '../spec.ts';
import type { NicEndpoint } from '../topology/endpoint.ts';
import { filterPacket, type PacketFields } from '../topology/firewall.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';

export interface Connection {
  protocol: Protocol;
  source: string;
  target: string;
  sourcePort: number | null;
  targetPort: number | null;
  icmpType: number | null;
  icmpCode: number | null;
  icmpId: number | null;
}

const protocols: Readonly<Record<string, Protocol>> = {
  tcp: 'TCP',
  udp: 'UDP',
  icmp: 'ICMP',
  icmpv6: 'ICMPv6',
  gre: 'GRE',
};

// A line of `conntrack -L`: the first of each field is that of the original direction.
export function connectionIn(line: string): Connection | undefined {
  const protocol = protocols[line.trim().split(/\s+/, 1)[0] ?? ''];
  const field = (name: string): string | undefined => new RegExp(`\\b${name}=(\\S+)`).exec(line)?.[1];
  const number = (name: string): number | null => {
    const text = field(name);
    return text === undefined ? null : Number(text);
  };
  const [source, target] = [field('src'), field('dst')];
  if (!protocol || source === undefined || target === undefined) return undefined;
  return {
    ...{ protocol, source, target },
    sourcePort: number('sport'),
    targetPort: number('dport'),
    icmpType: number('type'),
    icmpCode: number('code'),
    icmpId: number('id'),
  };
}

// Whether the machine with these NICs still allows the first packet of the connection.
export function isAllowed(connection: Connection, nics: readonly NicEndpoint[], index: TopologyIndex): boolean {
  const [source, target] = [addressOf(connection.source), addressOf(connection.target)];
  if (!source || !target) return true;
  const owns = ({ addresses }: NicEndpoint, text: string): boolean => addresses.some((one) => one.text === text);
  const sender = nics.find((nic) => owns(nic, source.text));
  const receiver = nics.find((nic) => owns(nic, target.text));
  if (sender && receiver) return true; // inside the machine
  const nic = sender ?? receiver;
  if (!nic) return false;
  const neighbour = nic.lan && index.nicOnSegment(nic.lan.segment, source);
  const fields: PacketFields = { ...connection, source, target, sourceMac: (sender ?? neighbour)?.mac ?? null };
  return filterPacket(sender ? nic.egress : nic.ingress, fields).isAllowed;
}

export function removalOf({ protocol, source, target, ...more }: Connection): string {
  const family = source.includes(':') ? 'ipv6' : 'ipv4';
  const option = (name: string, value: number | null): string => (value === null ? '' : ` --${name} ${value}`);
  const icmp = family === 'ipv6' ? 'icmpv6' : 'icmp';
  return (
    `conntrack -D -f ${family} -p ${protocol.toLowerCase()} -s ${source} -d ${target}` +
    option('sport', more.sourcePort) +
    option('dport', more.targetPort) +
    option(`${icmp}-type`, more.icmpType) +
    option(`${icmp}-code`, more.icmpCode) +
    option(`${icmp}-id`, more.icmpId)
  );
}
