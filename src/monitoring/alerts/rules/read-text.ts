// Reads rules without blocking the event loop: a short text at once, a long one in a thread, within a deadline. A text
// that takes longer is no rule file. The parsers are loaded when they are needed.
import { Fault } from '../../../base/fault.ts';
import { WorkerPool } from '../../../core/worker-pool.ts';
import { type RuleText, refusal } from './rule-group.ts';

const short = 8192; // characters
const deadlineMs = 10_000;
const mostWaiting = 20;

export interface RuleCalls {
  read(text: string): RuleText;
}

const threads = new WorkerPool<RuleCalls>({
  name: 'The reader of rules',
  module: new URL('./worker.ts', import.meta.url),
  threads: 2,
  callsPerThread: 1,
  idleMs: 10_000,
  resourceLimits: { maxOldGenerationSizeMb: 512 },
});

export async function readRuleText(text: string, limitMs = deadlineMs): Promise<RuleText> {
  if (text.length <= short) return (await import('./check.ts')).readRules(text);
  if (threads.figures().waiting >= mostWaiting)
    throw new Fault('unavailable', 'Too many rule files are being read. Try again.', { retryAfterS: 5 });
  try {
    return await threads.call('read', text, { deadlineMs: limitMs });
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
    throw refusal([{ message: 'yaml: the text takes too long or too much to be read' }]);
  }
}
