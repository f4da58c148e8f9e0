// An agent or another server as a process of its own, and the patience that tests have with it: a condition is asked
// for again and again until it holds or its time is up. Nothing here waits for a guessed time.
import type { ChildProcess } from 'node:child_process';
import { limits } from '../../../src/testing/limits.ts';
import { until } from '../../../src/testing/waiting.ts';
import { endsWithin, launch } from '../../harness/process.ts';

export interface Agent extends AsyncDisposable {
  log(): string;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export function startAgent(command: string[], env: Record<string, string> = {}): Agent {
  const child: ChildProcess = launch([], { command, env });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-100_000);
    });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (await endsWithin(child, limits.agent)) return;
    child.kill('SIGKILL');
    await endsWithin(child, limits.agent);
  };
  return {
    log: () => log,
    signal: (name) => void child.kill(name),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

// Gives what the question gives as soon as that is anything but undefined or false. A question that throws is asked
// again: who restarts does not answer.
export async function untilAnswered<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  limitMs: number = limits.agent,
): Promise<T> {
  const look = (): Promise<T | undefined | false | Error> => ask().catch((error: Error) => error);
  const isMet = (seen: unknown): boolean => seen !== undefined && seen !== false && !(seen instanceof Error);
  return (await until(what, look, isMet, { limitMs, everyMs: 50 })) as T;
}
