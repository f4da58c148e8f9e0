// What one case of the contract is given: both sides of an engine.
import type { MetricReader, MetricWriter } from '../engine.ts';

export interface MetricBench {
  writer: MetricWriter;
  reader: MetricReader;
  // Resolves when what was pushed before can be queried.
  settle(): Promise<void>;
  close(): Promise<void>;
}

export type Case = (title: string, run: (bench: MetricBench) => Promise<void>) => void;
