// The input of a case of the contract suite: both sides of an engine.
import type { ContractCase } from '../../../testing/engine-contract.ts';
import type { LogReader, LogWriter } from '../engine.ts';

export interface LogBench {
  writer: LogWriter;
  reader: LogReader;
  // Resolves when all appended lines can be searched.
  settle(): Promise<void>;
  close(): Promise<void>;
}

export type Case = ContractCase<LogBench>;
