// The verdict on a packet: a pure function of the spec, the packet and a counter that chooses among equal targets.
// The rules, in the order in which they decide (docs/network.md has the full text):
//
//   leaving a NIC    its server runs; it has the source address; the target is not itself; the firewall allows it
//   over the LAN     the endpoint with the address on the segment: the LAN, or all private LANs of a cross connect
//   beyond it        from public LANs over the internet, from private ones through a NAT gateway's first SNAT rule
//   arriving         at a NIC: its server runs, the firewall allows it; at a balancer: its rule chooses a target,
//                    which is reached from the balancer's address in the target LAN; at a gateway: never
//   a firewall       filters where firewallActive covers the direction, or where the NIC or its server has a security
//                    group; every rule allows, and what none of NIC and groups allows is denied
//
// Replies are not evaluated. The first rejection ends the path, and the last hop names the rule or the default.
import { Fault } from '../../../base/fault.ts';
import { type Address, addressOf } from '../ip.ts';
import type { NetworkSpec } from '../spec.ts';
import type { NicEndpoint } from '../topology/endpoint.ts';
import { filterPacket } from '../topology/firewall.ts';
import { indexTopology, type TopologyIndex } from '../topology/topology-index.ts';
import type { Arrival, Choose, Hop, Packet, Verdict } from '../verdict.ts';
import { accept, arrivedAt, byDefault, type PacketPath, reject, rejectUnsent } from './packet-path.ts';
import { enterFromOutside, leaveLan } from './routing.ts';

export const evaluateSpec = (spec: NetworkSpec, packet: Packet, choose: Choose): Verdict =>
  evaluate(indexTopology(spec), packet, choose);

export function evaluate(topology: TopologyIndex, packet: Packet, choose: Choose): Verdict {
  const { from } = packet;
  const target = parseAddress(packet.to);
  const named = from.ip === undefined ? undefined : parseAddress(from.ip);
  const nic = 'nicId' in from ? topology.nic(from.nicId) : undefined;
  const source = named ?? nic?.addresses.find(({ version }) => version === target.version);
  const path: PacketPath = {
    topology,
    choose,
    protocol: packet.protocol,
    source: source ?? target,
    sourcePort: packet.sourcePort ?? null,
    target,
    targetPort: packet.targetPort ?? null,
    icmpType: packet.icmpType ?? null,
    icmpCode: packet.icmpCode ?? null,
    sourceMac: nic?.mac ?? null,
    http: packet.http ?? null,
    hops: [],
  };
  const arrived = nic ? leaveNic(path, nic, source) : enterFromOutside(path);
  const { decidedBy } = path.hops.at(-1) as Hop;
  return { accepted: arrived !== null, decidedBy, arrived, hops: path.hops };
}

function parseAddress(text: string): Address {
  const address = addressOf(text);
  if (!address) throw new Fault('refused', `${text} is not an IP address.`);
  return address;
}

function leaveNic(path: PacketPath, nic: NicEndpoint, source: Address | undefined): Arrival | null {
  if (!nic.isRunning) return rejectUnsent(path, nic, byDefault('server is not running'));
  const isOwn = ({ text }: Address): boolean => nic.addresses.some((address) => address.text === text);
  if (!source || source.version !== path.target.version || !isOwn(source))
    return rejectUnsent(path, nic, byDefault('no source address'));
  if (isOwn(path.target)) {
    accept(path, nic, 'INGRESS', byDefault('own address'));
    return arrivedAt(path, nic);
  }
  const { isAllowed, decision } = filterPacket(nic.egress, path);
  if (!isAllowed) return reject(path, nic, 'EGRESS', decision);
  accept(path, nic, 'EGRESS', decision);
  return leaveLan(path, nic);
}
