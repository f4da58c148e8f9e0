// The contract that every log engine must pass. It knows nothing of any one engine: everything is awaited, `settle`
// waits until appended lines can be searched, each case has its own tenants, and a case that an engine can't pass is
// skipped with a reason.
import { describe, it } from 'node:test';
import { appendsContract } from './appends.ts';
import type { Case, LogBench } from './case.ts';
import { endsContract } from './ends.ts';
import { indexContract } from './index-questions.ts';
import { searchesContract } from './searches.ts';

export interface ContractOptions {
  skip?: string | undefined; // why the engine is not available here
  except?: Record<string, string>; // title: the reason
}

export function logContract(name: string, open: () => Promise<LogBench>, options: ContractOptions = {}): void {
  const excused = new Set(Object.keys(options.except ?? {}));
  const test: Case = (title, run) => {
    excused.delete(title);
    it(title, { skip: options.skip ?? options.except?.[title] ?? false }, async () => {
      const bench = await open();
      try {
        await run(bench);
      } finally {
        await bench.close();
      }
    });
  };
  describe(`${name}: appends`, () => appendsContract(test));
  describe(`${name}: searches`, () => searchesContract(test));
  describe(`${name}: questions to the index`, () => indexContract(test));
  describe(`${name}: ends`, () => endsContract(test));
  if (excused.size > 0) throw new Error(`no such case: ${[...excused].join(', ')}`);
}
