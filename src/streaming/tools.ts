// The dependencies of decisions about clusters and topics.
import type { Seal } from '../base/seal.ts';
import type { AssignedBrokers } from './clusters/broker-addresses.ts';

// A job for the engine, created by the steps of operations.
export interface Job {
  verb: 'start' | 'remove' | 'create topic' | 'delete topic';
  contract: number;
  path: string; // of the cluster or topic
}

export interface StreamingTools {
  assignment: { choose(contract: number): Promise<AssignedBrokers> };
  jobs: { perform(job: Job): Promise<void> };
  isServing(clusterId: string): boolean; // false: its brokers do not run yet, after a start of the region
  seal: Seal;
  realNow(): number; // certificates do not follow the lab's clock
}
