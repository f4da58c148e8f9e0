// The thread that reads one long text of rules and ends.
import { parentPort, workerData } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import { readRules } from './rule-check.ts';
import type { RuleReading } from './rule-reading.ts';

function read(text: string): RuleReading {
  try {
    return { read: readRules(text) };
  } catch (error) {
    if (error instanceof Fault) return { problems: error.problems };
    throw error;
  }
}

parentPort?.postMessage(read(workerData as string));
