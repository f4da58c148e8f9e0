// A step of an operation, with everything that it is given when it runs.
import type { Values } from '../../base/json.ts';
import type { Resource, Step, Task } from '../resource.ts';
import type { Change, Journal } from './journal.ts';

export interface StepTask {
  step: Step;
  change: Change;
  resource: Resource;
  task: Task;
}

// Most steps look at nothing: the values are parsed when one asks for them.
export function taskOf(journal: Journal, at: number, body: string, context: Task['context']): Task {
  const { contract, changes, memos } = journal;
  let values: Values | undefined;
  const memo = memos[at] ?? {};
  memos[at] = memo;
  return {
    contract,
    path: (changes[at] as Change).path,
    memo,
    context,
    parts: changes.map(({ path }) => path),
    get values() {
      values ??= JSON.parse(body) as Values;
      return values;
    },
  };
}
