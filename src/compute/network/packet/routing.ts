// Routing: within the segment, through a NAT gateway, or over the internet, up to the endpoint with the address.

import { isAmong, isPublic } from '../ip.ts';
import type { Direction } from '../spec.ts';
import type { Endpoint, LanSegment, NicEndpoint } from '../topology/endpoint.ts';
import type { Arrival } from '../verdict.ts';
import { arriveAtApplicationBalancer, arriveAtClassicBalancer, arriveAtNetworkBalancer } from './balancers.ts';
import { translateSource } from './nat.ts';
import {
  accept,
  arriveAtNic,
  byDefault,
  crossLan,
  type HopInterface,
  lanInterface,
  type PacketPath,
  reject,
} from './packet-path.ts';

const outside: HopInterface = { kind: 'internet', id: '', datacenterId: null };

export function leaveLan(path: PacketPath, { lan, lanId, datacenterId }: NicEndpoint): Arrival | null {
  if (!lan) return reject(path, { kind: 'lan', id: lanId, datacenterId }, 'EGRESS', byDefault('no route'));
  const neighbour = path.topology.onSegment(lan.segment, path.target);
  if (neighbour) {
    crossLan(path, lan, neighbour.lan);
    return arrive(path, neighbour);
  }
  if (isAmong(lan.ranges, path.target)) return reject(path, lanInterface(lan), 'EGRESS', byDefault('no such address'));
  if (!canLeave(path, lan)) return reject(path, lanInterface(lan), 'EGRESS', byDefault('no route'));
  if (!lan.isPublic && !translateSource(path, lan.gateways)) return null;
  return crossInternet(path);
}

const canLeave = ({ source, target }: PacketPath, { isPublic: isPublicLan, gateways }: LanSegment): boolean =>
  isPublic(target) && (isPublicLan ? isPublic(source) : gateways.length > 0);

function crossInternet(path: PacketPath): Arrival | null {
  const endpoint = path.topology.inPublic(path.target);
  if (endpoint) return arriveFromInternet(path, endpoint, 'EGRESS');
  if (isAmong(path.topology.ranges, path.target)) return reject(path, outside, 'EGRESS', byDefault('no such address'));
  accept(path, outside, 'EGRESS', byDefault('internet'));
  return { kind: 'internet', ip: path.target.text, port: path.targetPort };
}

export function enterFromOutside(path: PacketPath): Arrival | null {
  const { source, target, topology } = path;
  const isOutside = source.version === target.version && isPublic(source) && !isAmong(topology.ranges, source);
  if (!isOutside) return reject(path, outside, 'INGRESS', byDefault('not an outside address'));
  const endpoint = topology.inPublic(target);
  if (!endpoint) return reject(path, outside, 'INGRESS', byDefault('no such address'));
  return arriveFromInternet(path, endpoint, 'INGRESS');
}

function arriveFromInternet(path: PacketPath, endpoint: Endpoint, direction: Direction): Arrival | null {
  accept(path, outside, direction, byDefault('public address'));
  path.sourceMac = null;
  return arrive(path, endpoint);
}

function arrive(path: PacketPath, endpoint: Endpoint): Arrival | null {
  if (endpoint.kind === 'nic') return arriveAtNic(path, endpoint);
  if (endpoint.kind === 'networkloadbalancer') return arriveAtNetworkBalancer(path, endpoint);
  if (endpoint.kind === 'applicationloadbalancer') return arriveAtApplicationBalancer(path, endpoint);
  if (endpoint.kind === 'loadbalancer') return arriveAtClassicBalancer(path, endpoint);
  return reject(path, endpoint, 'INGRESS', byDefault('no inbound'));
}
