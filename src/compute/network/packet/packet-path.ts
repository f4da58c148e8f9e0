// The path of a packet: its addresses as translated so far, and its hops. Each interface records one hop, with the
// decision there; a function that rejects the packet returns null, and the path ends.

import type { Direction } from '../spec.ts';
import type { LanSegment, NicEndpoint } from '../topology/endpoint.ts';
import { filterPacket, type PacketFields } from '../topology/firewall.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import {
  type Arrival,
  type Choose,
  type Decision,
  type Default,
  defaults,
  type Hop,
  type HopKind,
  type HttpRequest,
} from '../verdict.ts';

export interface PacketPath extends PacketFields {
  topology: TopologyIndex;
  choose: Choose;
  sourcePort: number | null;
  http: HttpRequest | null;
  hops: Hop[];
}

export interface HopInterface {
  kind: HopKind;
  id: string;
  datacenterId: string | null;
}

// One object per default, however many hops name it.
const decisions = Object.fromEntries(defaults.map((name) => [name, Object.freeze({ default: name })])) as Readonly<
  Record<Default, Decision>
>;

export const byDefault = (name: Default): Decision => decisions[name];

export function accept(path: PacketPath, at: HopInterface, direction: Direction, decidedBy: Decision): void {
  record(path, at, direction, 'ACCEPT', decidedBy);
}

export function reject(path: PacketPath, at: HopInterface, direction: Direction, decidedBy: Decision): null {
  record(path, at, direction, 'REJECT', decidedBy);
  return null;
}

// Nothing was sent, so the hop has no source address.
export function rejectUnsent(path: PacketPath, at: HopInterface, decidedBy: Decision): null {
  reject(path, at, 'EGRESS', decidedBy);
  const hop = path.hops.at(-1);
  if (hop) hop.sourceIp = null;
  return null;
}

function record(
  path: PacketPath,
  at: HopInterface,
  direction: Direction,
  action: 'ACCEPT' | 'REJECT',
  decidedBy: Decision,
): void {
  path.hops.push({
    kind: at.kind,
    id: at.id,
    datacenterId: at.datacenterId,
    direction,
    sourceIp: path.source.text,
    sourcePort: path.sourcePort,
    targetIp: path.target.text,
    targetPort: path.targetPort,
    action,
    decidedBy,
  });
}

export const lanInterface = ({ id, datacenterId }: LanSegment): HopInterface => ({ kind: 'lan', id, datacenterId });

export function crossLan(path: PacketPath, lan: LanSegment, other: LanSegment | undefined): void {
  accept(path, lanInterface(lan), 'EGRESS', byDefault(other === lan ? 'same LAN' : 'cross connect'));
}

export function arriveAtNic(path: PacketPath, nic: NicEndpoint): Arrival | null {
  if (!nic.isRunning) return reject(path, nic, 'INGRESS', byDefault('server is not running'));
  const { isAllowed, decision } = filterPacket(nic.ingress, path);
  if (!isAllowed) return reject(path, nic, 'INGRESS', decision);
  accept(path, nic, 'INGRESS', decision);
  return arrivedAt(path, nic);
}

export const arrivedAt = (
  { target, targetPort }: PacketPath,
  { id, serverId, datacenterId }: NicEndpoint,
): Arrival => ({
  kind: 'nic',
  nicId: id,
  serverId,
  datacenterId,
  ip: target.text,
  port: targetPort,
});
