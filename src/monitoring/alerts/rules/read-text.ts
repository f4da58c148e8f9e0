// Reads rules without blocking the event loop: a short text at once, a long one in a thread, within a deadline, and one
// with regular expressions too, as even a short one can take long to compile. A text that takes longer is no rule file.
// The parsers are loaded when they are needed.
import { Fault } from '../../../base/fault.ts';
import { WorkerPool } from '../../../core/worker-pool.ts';
import { type RuleText, refusal } from './rule-group.ts';

const short = 8192; // characters
const deadlineMs = 10_000;
const mostWaiting = 20; // texts of a contract

export interface RuleCalls {
  read(text: string): RuleText;
  check(expressions: readonly string[]): string | undefined; // what is wrong with one of them
}

const threads = new WorkerPool<RuleCalls>({
  name: 'The reader of rules',
  module: new URL('./worker.ts', import.meta.url),
  threads: 2,
  sharedThreads: 1,
  callsPerThread: 1,
  waitingPerGroup: mostWaiting,
  idleMs: 10_000,
  resourceLimits: { maxOldGenerationSizeMb: 512 },
});

export async function readRuleText(text: string, contract: number, limitMs = deadlineMs): Promise<RuleText> {
  if (isQuick(text)) return (await import('./check.ts')).readRules(text);
  try {
    return await threads.call('read', text, { group: String(contract), deadlineMs: limitMs });
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
    throw refusal([{ message: 'yaml: the text takes too long or too much to be read' }]);
  }
}

export async function checkExpressions(
  expressions: readonly string[],
  contract: number,
  limitMs = deadlineMs,
): Promise<string | undefined> {
  if (expressions.every(isQuick)) return (await import('./expression.ts')).checkExpressions(expressions);
  try {
    return await threads.call('check', expressions, { group: String(contract), deadlineMs: limitMs });
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
    return 'it takes too long or too much to be read';
  }
}

// Without =~, !~ and label_replace, also where they are written with escapes.
const isQuick = (text: string): boolean => text.length <= short && !/[~\\]|label_replace/.test(text);
