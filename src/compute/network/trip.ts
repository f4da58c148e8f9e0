// A packet on its way: its addresses as they are now, and the hops behind it. Every stop is noted once, with what
// decided there; whoever refuses the packet returns null, and the trip is over.
import type { Atlas } from './atlas.ts';
import { pass, type Seen } from './firewall.ts';
import type { Direction } from './landscape.ts';
import type { LanPlace, NicPlace } from './station.ts';
import {
  type Arrival,
  type Choose,
  type Decision,
  type Default,
  defaults,
  type Hop,
  type HopKind,
  type HttpRequest,
} from './verdict.ts';

export interface Trip extends Seen {
  atlas: Atlas;
  choose: Choose;
  sourcePort: number | null;
  http: HttpRequest | null;
  hops: Hop[];
}

export interface Stop {
  kind: HopKind;
  id: string;
  datacenterId: string | null;
}

// One object per default, however many hops name it.
const decisions = Object.fromEntries(defaults.map((name) => [name, Object.freeze({ default: name })])) as Readonly<
  Record<Default, Decision>
>;

export const byDefault = (name: Default): Decision => decisions[name];

export function accept(trip: Trip, stop: Stop, direction: Direction, decidedBy: Decision): void {
  note(trip, stop, direction, 'ACCEPT', decidedBy);
}

export function reject(trip: Trip, stop: Stop, direction: Direction, decidedBy: Decision): null {
  note(trip, stop, direction, 'REJECT', decidedBy);
  return null;
}

// Where nothing could be sent there is no source either.
export function rejectUnsent(trip: Trip, stop: Stop, decidedBy: Decision): null {
  reject(trip, stop, 'EGRESS', decidedBy);
  const hop = trip.hops.at(-1);
  if (hop) hop.sourceIp = null;
  return null;
}

function note(trip: Trip, stop: Stop, direction: Direction, action: 'ACCEPT' | 'REJECT', decidedBy: Decision): void {
  trip.hops.push({
    kind: stop.kind,
    id: stop.id,
    datacenterId: stop.datacenterId,
    direction,
    sourceIp: trip.source.text,
    sourcePort: trip.sourcePort,
    targetIp: trip.target.text,
    targetPort: trip.targetPort,
    action,
    decidedBy,
  });
}

export const stopAt = ({ id, datacenterId }: LanPlace): Stop => ({ kind: 'lan', id, datacenterId });

export function overLan(trip: Trip, lan: LanPlace, other: LanPlace | undefined): void {
  accept(trip, stopAt(lan), 'EGRESS', byDefault(other === lan ? 'same LAN' : 'cross connect'));
}

export function arriveAtNic(trip: Trip, nic: NicPlace): Arrival | null {
  if (!nic.isRunning) return reject(trip, nic, 'INGRESS', byDefault('server is not running'));
  const { isOpen, decision } = pass(nic.ingress, trip);
  if (!isOpen) return reject(trip, nic, 'INGRESS', decision);
  accept(trip, nic, 'INGRESS', decision);
  return arrivedAt(trip, nic);
}

export const arrivedAt = ({ target, targetPort }: Trip, { id, serverId, datacenterId }: NicPlace): Arrival => ({
  kind: 'nic',
  nicId: id,
  serverId,
  datacenterId,
  ip: target.text,
  port: targetPort,
});
