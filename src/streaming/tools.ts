// The dependencies of decisions about clusters and topics.
import type { Seal } from '../base/seal.ts';
import type { AddressSettings } from './clusters/broker-addresses.ts';
import type { StreamingEngine } from './engine/engine.ts';

// A job for the engine, created by the steps of operations.
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
