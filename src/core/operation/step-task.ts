// A step of an operation, with everything that it is given when it runs.
import type { Values } from '../../base/json.ts';
import type { Resource, Step, Task } from '../resource.ts';
import type { Row } from '../state/engine.ts';
import type { Change, Journal } from './journal.ts';

export interface StepTask {
  step: Step;
  change: Change;
  resource: Resource;
  task: Task;
}

// Most steps look at nothing: the values are parsed when one asks for them.
export function taskOf(journal: Journal, at: number, row: Row | undefined, context: Task['context']): Task {
  const { contract, changes, memos } = journal;
  const change = changes[at] as Change;
  let values: Values | undefined;
  const memo = memos[at] ?? {};
  memos[at] = memo;
  return {
    contract,
    path: change.path,
    memo,
    context,
    parts: changes.map(({ path }) => path),
    get values() {
      values ??= JSON.parse(change.body ?? row?.body ?? '{}') as Values;
      return values;
    },
    get hidden() {
      return parsed(change.hidden ?? row?.hidden);
    },
    get hiddenBefore() {
      return change.before === undefined ? undefined : parsed(change.before);
    },
  };
}

const parsed = (text: string | undefined): Values => (text ? (JSON.parse(text) as Values) : {});
