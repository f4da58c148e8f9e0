// The network of real machines. It gets the topology of all datacenters and makes the network match it.
import type { TopologyIndex } from './topology/topology-index.ts';

export interface MachineNetwork {
  // Idempotent. A part that fails is logged and tried again by the next call.
  apply(index: TopologyIndex, ranges: readonly string[]): Promise<void>;
  onBoot(listener: () => void): void; // called when a machine has started, which has no network yet
  remove(ranges: readonly string[]): Promise<void>; // everything
}
