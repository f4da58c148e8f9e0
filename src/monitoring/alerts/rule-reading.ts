// Reads rules where that holds up nobody: a short text at once, a long one in a thread of its own, for some seconds at
// most. Whoever sends what takes longer has no rule file. What it takes to read them is loaded when it is needed.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault, type Problem } from '../../base/fault.ts';
import type { RuleGroup } from './rule-group.ts';

const short = 8192; // characters
const limitMs = 10_000;
const mostThreads = 2;
const mostWaiting = 20;

export interface RuleText {
  isFile: boolean; // a whole file of groups, not one group
  groups: RuleGroup[];
}

export const refusal = (problems: Problem[]): Fault =>
  new Fault('refused', 'The rules are not acceptable.', { problems });

export type RuleReading = { read: RuleText } | { problems: Problem[] };

let running = 0;
const waiting: (() => void)[] = [];

export async function readApart(text: string, patienceMs = limitMs): Promise<RuleText> {
  if (text.length <= short) return (await import('./rule-check.ts')).readRules(text);
  await turn();
  try {
    const reading = await readInThread(text, patienceMs);
    if ('read' in reading) return reading.read;
    throw refusal(reading.problems);
  } finally {
    running--;
    waiting.shift()?.();
  }
}

async function turn(): Promise<void> {
  if (waiting.length >= mostWaiting)
    throw new Fault('unavailable', 'Too many rule files are being read. Try again.', { retryAfterS: 5 });
  if (running >= mostThreads) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
}

function readInThread(text: string, patienceMs: number): Promise<RuleReading> {
  const thread = new Worker(new URL(`./rule-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: text,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  return new Promise((resolve) => {
    const give = (reading: RuleReading): void => {
      clearTimeout(timer);
      void thread.terminate();
      resolve(reading);
    };
    const fail = (): void => give({ problems: [{ message: 'yaml: the text takes too long or too much to be read' }] });
    const timer = setTimeout(fail, patienceMs);
    thread.once('message', give);
    thread.once('error', fail);
    thread.once('exit', fail);
  });
}
