// Runs the contract suite of an engine: each case on a new engine. A case that an engine can't pass is skipped with a
// reason.
import { describe, it } from 'node:test';

export type ContractCase<Bench> = (title: string, run: (bench: Bench) => Promise<void>) => void;

export interface ContractOptions {
  skip?: string | undefined; // why the engine is not available here
  except?: Record<string, string>; // title: the reason
}

// `parts`: by their titles.
export function engineContract<Bench extends { close?(): Promise<void> }>(
  name: string,
  open: () => Promise<Bench>,
  parts: Record<string, (test: ContractCase<Bench>) => void>,
  { skip, except = {} }: ContractOptions = {},
): void {
  const excused = new Set(Object.keys(except));
  const test: ContractCase<Bench> = (title, run) => {
    excused.delete(title);
    it(title, { skip: skip ?? except[title] ?? false }, async () => {
      const bench = await open();
      try {
        await run(bench);
      } finally {
        await bench.close?.();
      }
    });
  };
  for (const [part, contract] of Object.entries(parts)) describe(`${name}: ${part}`, () => contract(test));
  if (excused.size > 0) throw new Error(`no such case: ${[...excused].join(', ')}`);
}
