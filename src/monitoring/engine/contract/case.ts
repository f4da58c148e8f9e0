// The input of a case of the contract suite: both sides of an engine.
import type { ContractCase } from '../../../testing/engine-contract.ts';
import type { MetricReader, MetricWriter } from '../engine.ts';

export interface MetricBench {
  writer: MetricWriter;
  reader: MetricReader;
  // Resolves when all pushed samples can be queried.
  settle(): Promise<void>;
  close(): Promise<void>;
}

export type Case = ContractCase<MetricBench>;
