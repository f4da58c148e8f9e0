// The traffic of an interface in one interval, by flow: packets with the same addresses, ports, protocol and action are
// one flow.
import type { Direction } from '../network/spec.ts';

// Packets at an interface, with the verdict of the network engine.
export interface PassedFlow {
  time: number; // ms
  direction: Direction;
  sourceIp: string;
  targetIp: string;
  sourcePort: number;
  targetPort: number;
  protocol: number; // IANA protocol number
  packets: number;
  bytes: number;
  action: 'ACCEPT' | 'REJECT';
}

// Packets that no one counted: the interval is reported as incomplete.
export interface SkippedFlows {
  time: number; // ms
  isSkipped: true;
}

export interface FlowTotals extends Omit<PassedFlow, 'time' | 'direction'> {
  first: number; // when the first and the last packet passed, in seconds
  last: number;
}

export const flowKey = (flow: Omit<PassedFlow, 'time' | 'direction'>): string =>
  `${flow.sourceIp} ${flow.targetIp} ${flow.sourcePort} ${flow.targetPort} ${flow.protocol} ${flow.action}`;

export function totalsOf({ time: _, direction: __, ...flow }: PassedFlow, seconds: number): FlowTotals {
  return { ...flow, first: seconds, last: seconds };
}

export function addTotals(to: FlowTotals, { packets, bytes, first, last }: Omit<FlowTotals, keyof Identity>): void {
  to.packets += packets;
  to.bytes += bytes;
  to.first = Math.min(to.first, first);
  to.last = Math.max(to.last, last);
}

type Identity = Pick<FlowTotals, 'sourceIp' | 'targetIp' | 'sourcePort' | 'targetPort' | 'protocol' | 'action'>;
