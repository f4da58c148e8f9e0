// The interface of network engines. An engine gets one spec per datacenter and evaluates packets by the rules of
// docs/network.md. It knows specs, not resources.
import type { DatacenterSpec, Direction } from './spec.ts';
import type { HopKind, Packet, Verdict } from './verdict.ts';

export interface NetworkEngine {
  // Replaces the spec of the datacenter. A generation that is not newer than the applied one changes nothing, so calls
  // may arrive out of order.
  apply(spec: DatacenterSpec, generation: number): Promise<void>;

  // Removes the datacenter and its flows. An unknown datacenter is not an error.
  remove(datacenterId: string): Promise<void>;

  // Evaluates the packet by the specs that were applied before. Throws a Fault: 'missing' for an unknown NIC, 'refused'
  // for an invalid address.
  send(packet: Packet): Promise<Verdict>;

  // The verdict that `send` would return now, without a packet: no flow is recorded, and no balancer takes its turn.
  trace(packet: Packet): Promise<Verdict>;

  // Flows of the datacenter from position `since` on, oldest first, at most `limit`.
  flows(datacenterId: string, since: number, limit: number): Promise<FlowPage>;

  close(): Promise<void>;
}

export interface FlowPage {
  flows: Flow[];
  next: number; // the position after the last of these
  skipped: number; // how many between `since` and the first of these are no longer kept
}

// A packet, with the number of packets that it represents, at one interface.
export interface Flow {
  position: number; // counts up from 0 in each datacenter
  time: number; // ms
  kind: Exclude<HopKind, 'lan' | 'internet'>;
  id: string; // of the NIC, gateway or balancer
  direction: Direction;
  sourceIp: string;
  sourcePort: number; // 0 where the protocol has none
  targetIp: string;
  targetPort: number;
  protocol: number; // IANA protocol number
  packets: number;
  bytes: number;
  action: 'ACCEPT' | 'REJECT';
}
