// What decisions about clusters and topics need.
import type { Seal } from '../base/seal.ts';
import type { AddressSettings } from './clusters/broker-addresses.ts';
import type { StreamingEngine } from './engine/engine.ts';

// What the steps of operations have done on the engine.
export interface Job {
  verb: 'start' | 'remove' | 'create topic' | 'delete topic';
  contract: number;
  path: string; // of the cluster or topic
}

export interface StreamingTools {
  engine: StreamingEngine;
  jobs: { perform(job: Job): Promise<void> };
  isServing(clusterId: string): boolean; // false: its brokers do not run yet, after a start of the region
  addresses: AddressSettings;
  seal: Seal;
  realNow(): number; // certificates do not follow the lab's clock
}
