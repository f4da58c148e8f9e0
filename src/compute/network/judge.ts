// What becomes of a packet: a pure function of the landscape, the packet and a number that chooses among equals.
// The rules, in the order in which they decide (docs/network.md says them in full):
//
//   leaving a NIC    its server runs; it has the source address; the target is not itself; the firewall lets it out
//   over the LAN     whoever has the address on the segment: the LAN, or all private LANs of one cross connect
//   beyond it        from public LANs over the internet, from private ones through a NAT gateway's first SNAT rule
//   arriving         at a NIC: its server runs, the firewall lets it in; at a balancer: its rule chooses a target,
//                    which is reached from the balancer's address in the target LAN; at a gateway: never
//   a firewall       filters where firewallActive covers the direction, or where the NIC or its server has a security
//                    group; every rule allows, and what none of NIC and groups allows is denied
//
// Replies are not judged. The first who refuses ends it, and the last hop names the rule or the default.
import { Fault } from '../../base/fault.ts';
import { type Atlas, atlasOf } from './atlas.ts';
import { pass } from './firewall.ts';
import { type Address, addressOf } from './ip.ts';
import type { Landscape } from './landscape.ts';
import { enterFromOutside, leaveLan } from './routing.ts';
import type { NicPlace } from './station.ts';
import { accept, arrivedAt, byDefault, reject, rejectUnsent, type Trip } from './trip.ts';
import type { Arrival, Choose, Hop, Packet, Verdict } from './verdict.ts';

export const judge = (landscape: Landscape, packet: Packet, choose: Choose): Verdict =>
  judgeOn(atlasOf(landscape), packet, choose);

// The same on a landscape that was read before.
export function judgeOn(atlas: Atlas, packet: Packet, choose: Choose): Verdict {
  const { from } = packet;
  const target = readable(packet.to);
  const named = from.ip === undefined ? undefined : readable(from.ip);
  const nic = 'nicId' in from ? atlas.nic(from.nicId) : undefined;
  const source = named ?? nic?.addresses.find(({ version }) => version === target.version);
  const trip: Trip = {
    atlas,
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
  const arrived = nic ? leaveNic(trip, nic, source) : enterFromOutside(trip);
  const { decidedBy } = trip.hops.at(-1) as Hop;
  return { accepted: arrived !== null, decidedBy, arrived, hops: trip.hops };
}

function readable(text: string): Address {
  const address = addressOf(text);
  if (!address) throw new Fault('refused', `${text} is not an IP address.`);
  return address;
}

function leaveNic(trip: Trip, nic: NicPlace, source: Address | undefined): Arrival | null {
  if (!nic.isRunning) return rejectUnsent(trip, nic, byDefault('server is not running'));
  const isOwn = ({ text }: Address): boolean => nic.addresses.some((address) => address.text === text);
  if (!source || source.version !== trip.target.version || !isOwn(source))
    return rejectUnsent(trip, nic, byDefault('no source address'));
  if (isOwn(trip.target)) {
    accept(trip, nic, 'INGRESS', byDefault('own address'));
    return arrivedAt(trip, nic);
  }
  const { isOpen, decision } = pass(nic.egress, trip);
  if (!isOpen) return reject(trip, nic, 'EGRESS', decision);
  accept(trip, nic, 'EGRESS', decision);
  return leaveLan(trip, nic);
}
