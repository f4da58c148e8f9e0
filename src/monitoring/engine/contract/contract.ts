// The contract suite of all metric engines. It does not depend on any engine: everything is awaited, `settle` waits
// until pushes can be read, each case has its own tenants, and a case that an engine can't pass is skipped with a
// reason.
import { type ContractOptions, engineContract } from '../../../testing/engine-contract.ts';
import type { MetricBench } from './case.ts';
import { limitsContract } from './limits.ts';
import { queriesContract } from './queries.ts';
import { samplesContract } from './samples.ts';

export function metricContract(name: string, open: () => Promise<MetricBench>, options: ContractOptions = {}): void {
  const parts = { samples: samplesContract, questions: queriesContract, 'limits and ends': limitsContract };
  engineContract(name, open, parts, options);
}
