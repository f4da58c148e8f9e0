// The contract that every metric engine must pass. It knows nothing of any one engine: everything is awaited, `settle`
// waits until pushes can be read, each case has its own tenants, and a case that an engine can't pass is skipped with a
// reason.
import { describe, it } from 'node:test';
import type { Case, MetricBench } from './case.ts';
import { limitsContract } from './limits.ts';
import { queriesContract } from './queries.ts';
import { samplesContract } from './samples.ts';

export interface ContractOptions {
  skip?: string | undefined; // why the engine is not available here
  except?: Record<string, string>; // title: the reason
}

export function metricContract(name: string, open: () => Promise<MetricBench>, options: ContractOptions = {}): void {
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
  describe(`${name}: samples`, () => samplesContract(test));
  describe(`${name}: questions`, () => queriesContract(test));
  describe(`${name}: limits and ends`, () => limitsContract(test));
  if (excused.size > 0) throw new Error(`no such case: ${[...excused].join(', ')}`);
}
