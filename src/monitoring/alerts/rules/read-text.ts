// Reads rules without blocking the event loop: a short text at once, and a long one in a thread with a deadline. A text
// with regular expressions uses the thread too, because even a short one can take long to compile. A text beyond the
// deadline is refused. The parsers are loaded when they are needed.
import { Fault } from '../../../base/fault.ts';
import { WorkerPool } from '../../../core/threads/worker-pool.ts';
import type { RuleLanguage } from '../../../surface/alerting/source.ts';
import { loadLanguage } from './language.ts';
import { type RuleText, refusal } from './rule-group.ts';

const short = 8192; // characters
const deadlineMs = 60_000; // the thread may have to start on a busy machine
const mostWaiting = 20; // texts per contract

export interface RuleCalls {
  read(given: { text: string; language: RuleLanguage }): Promise<RuleText>;
  // Returns the errors of the expressions.
  check(given: { expressions: readonly string[]; language: RuleLanguage }): Promise<string | undefined>;
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

export async function readRuleText(
  text: string,
  language: RuleLanguage,
  contract: number,
  limitMs = deadlineMs,
): Promise<RuleText> {
  if (isQuick(text)) return (await import('./check.ts')).readRules(text, await loadLanguage(language));
  try {
    return await threads.call('read', { text, language }, { group: String(contract), deadlineMs: limitMs });
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
    throw refusal([{ message: 'yaml: the text takes too much time or memory to parse' }]);
  }
}

export async function checkExpressions(
  expressions: readonly string[],
  language: RuleLanguage,
  contract: number,
  limitMs = deadlineMs,
): Promise<string | undefined> {
  if (expressions.every(isQuick))
    return (await import('./check.ts')).checkTexts(expressions, await loadLanguage(language));
  try {
    return await threads.call('check', { expressions, language }, { group: String(contract), deadlineMs: limitMs });
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
    return 'it takes too much time or memory to parse';
  }
}

// A quick text has no =~, !~, |~, label_replace, regexp and template functions, not even with escapes.
const isQuick = (text: string): boolean => text.length <= short && !/[~\\]|label_replace|regex/.test(text);
