// Reads rules without blocking the event loop: a short text at once, a long one in a thread, within a deadline, and one
// with regular expressions too, as even a short one can take long to compile. A text that takes longer is no rule file.
// The parsers are loaded when they are needed.
import { Fault } from '../../../base/fault.ts';
import { WorkerPool } from '../../../core/threads/worker-pool.ts';
import type { RuleLanguage } from '../../../surface/alerting/source.ts';
import { loadLanguage } from './language.ts';
import { type RuleText, refusal } from './rule-group.ts';

const short = 8192; // characters
const deadlineMs = 60_000; // the thread may have to start, on a machine that is busy with others
const mostWaiting = 20; // texts of a contract

export interface RuleCalls {
  read(given: { text: string; language: RuleLanguage }): Promise<RuleText>;
  // What is wrong with one of them.
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
    throw refusal([{ message: 'yaml: the text takes too long or too much to be read' }]);
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
    return 'it takes too long or too much to be read';
  }
}

// Without =~, !~, |~, label_replace, regexp and functions of templates, also where they are written with escapes.
const isQuick = (text: string): boolean => text.length <= short && !/[~\\]|label_replace|regex/.test(text);
