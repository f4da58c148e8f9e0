// What every network engine must do. It is told landscapes, one per datacenter, and carries packets through them by
// the rules of docs/network.md; whoever calls it knows resources, it does not.
import type { DatacenterLandscape, Direction } from './landscape.ts';
import type { HopKind, Packet, Verdict } from './verdict.ts';

export interface NetworkEngine {
  // From now on the datacenter is so. Generations of one datacenter only go up: what is not newer than what is there
  // changes nothing, so whoever was overtaken may come late.
  apply(landscape: DatacenterLandscape, generation: number): Promise<void>;

  // The datacenter and its flows are gone. One that is not there is no error.
  remove(datacenterId: string): Promise<void>;

  // Judges the packet by all that was applied before. Throws a Fault: 'missing' for a NIC that is not there, 'refused'
  // for what is not an address.
  send(packet: Packet): Promise<Verdict>;

  // What passed the interfaces of the datacenter at `since` and after it, oldest first, `limit` at most.
  flows(datacenterId: string, since: number, limit: number): Promise<FlowPage>;

  close(): Promise<void>;
}

export interface FlowPage {
  flows: Flow[];
  next: number; // to be asked for next
  skipped: number; // how many between `since` and the first of these were not kept
}

// One packet, as many as it stands for, at one interface.
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
  protocol: number; // as the internet numbers them
  packets: number;
  bytes: number;
  action: 'ACCEPT' | 'REJECT';
}
