// The contract suite of all log engines. It does not depend on any engine: everything is awaited, `settle` waits until
// appended lines can be searched, each case has its own tenants, and a case that an engine can't pass is skipped with a
// reason.
import { type ContractOptions, engineContract } from '../../../testing/engine-contract.ts';
import { appendsContract } from './appends.ts';
import type { LogBench } from './case.ts';
import { endsContract } from './ends.ts';
import { indexContract } from './index-questions.ts';
import { searchesContract } from './searches.ts';

export function logContract(name: string, open: () => Promise<LogBench>, options: ContractOptions = {}): void {
  const parts = {
    appends: appendsContract,
    searches: searchesContract,
    'index queries': indexContract,
    ends: endsContract,
  };
  engineContract(name, open, parts, options);
}
