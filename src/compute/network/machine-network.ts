// The network of real machines. It gets the topology of all datacenters and makes the network match it.
import type { Access } from './linux/balancers/access-line.ts';
import type { Certificates } from './linux/balancers/proxy-config.ts';
import type { ProxyRow } from './linux/balancers/proxy-statistics.ts';
import type { InterfaceFlows } from './linux/flow-counts.ts';
import type { TopologyIndex } from './topology/topology-index.ts';

export interface NetworkDetails {
  ranges: readonly string[]; // the region's own public addresses
  logged: ReadonlySet<string>; // the ids of the interfaces whose packets are counted
  certificates: Certificates; // those that listeners name
}

export interface MachineNetwork {
  // Idempotent. A part that fails is logged and tried again by the next call.
  apply(index: TopologyIndex, more: NetworkDetails): Promise<void>;
  onBoot(listener: () => void): void; // called when a machine has started, which has no network yet
  onEnd(listener: () => Promise<void>): void; // called before a machine ends; it applies the latest changes
  onFlows(listener: (flows: readonly InterfaceFlows[]) => Promise<void>): void; // what was counted since the last call
  readFlows(): Promise<void>; // calls that listener
  onAccesses(listener: (accesses: readonly Access[]) => Promise<void>): void; // to load balancers that log them
  readBalancers(): Promise<ProxyRow[]>; // what the proxies of load balancers have counted
  remove(ranges: readonly string[]): Promise<void>; // everything
}
