// Which way a packet takes: over the segment, through a gateway, or over the internet, and to whom.
import { arriveAtApplicationBalancer, arriveAtClassicBalancer, arriveAtNetworkBalancer } from './balancers.ts';
import { isAmong, isPublic } from './ip.ts';
import type { Direction } from './landscape.ts';
import { goOut } from './nat.ts';
import type { LanPlace, NicPlace, Station } from './station.ts';
import { accept, arriveAtNic, byDefault, overLan, reject, type Stop, stopAt, type Trip } from './trip.ts';
import type { Arrival } from './verdict.ts';

const outside: Stop = { kind: 'internet', id: '', datacenterId: null };

export function leaveLan(trip: Trip, { lan, lanId, datacenterId }: NicPlace): Arrival | null {
  if (!lan) return reject(trip, { kind: 'lan', id: lanId, datacenterId }, 'EGRESS', byDefault('no route'));
  const neighbour = trip.atlas.onSegment(lan.segment, trip.target);
  if (neighbour) {
    overLan(trip, lan, neighbour.lan);
    return arrive(trip, neighbour);
  }
  if (isAmong(lan.ranges, trip.target)) return reject(trip, stopAt(lan), 'EGRESS', byDefault('no such address'));
  if (!canLeave(trip, lan)) return reject(trip, stopAt(lan), 'EGRESS', byDefault('no route'));
  if (!lan.isPublic && !goOut(trip, lan.gateways)) return null;
  return crossInternet(trip);
}

const canLeave = ({ source, target }: Trip, { isPublic: isPublicLan, gateways }: LanPlace): boolean =>
  isPublic(target) && (isPublicLan ? isPublic(source) : gateways.length > 0);

function crossInternet(trip: Trip): Arrival | null {
  const station = trip.atlas.inPublic(trip.target);
  if (station) return arriveFromInternet(trip, station, 'EGRESS');
  if (isAmong(trip.atlas.ranges, trip.target)) return reject(trip, outside, 'EGRESS', byDefault('no such address'));
  accept(trip, outside, 'EGRESS', byDefault('internet'));
  return { kind: 'internet', ip: trip.target.text, port: trip.targetPort };
}

export function enterFromOutside(trip: Trip): Arrival | null {
  const { source, target, atlas } = trip;
  const isOutside = source.version === target.version && isPublic(source) && !isAmong(atlas.ranges, source);
  if (!isOutside) return reject(trip, outside, 'INGRESS', byDefault('not an outside address'));
  const station = atlas.inPublic(target);
  if (!station) return reject(trip, outside, 'INGRESS', byDefault('no such address'));
  return arriveFromInternet(trip, station, 'INGRESS');
}

function arriveFromInternet(trip: Trip, station: Station, direction: Direction): Arrival | null {
  accept(trip, outside, direction, byDefault('public address'));
  trip.sourceMac = null;
  return arrive(trip, station);
}

function arrive(trip: Trip, station: Station): Arrival | null {
  if (station.kind === 'nic') return arriveAtNic(trip, station);
  if (station.kind === 'networkloadbalancer') return arriveAtNetworkBalancer(trip, station);
  if (station.kind === 'applicationloadbalancer') return arriveAtApplicationBalancer(trip, station);
  if (station.kind === 'loadbalancer') return arriveAtClassicBalancer(trip, station);
  return reject(trip, station, 'INGRESS', byDefault('no inbound'));
}
