// An agent or another server as a separate process.
import type { ChildProcess } from 'node:child_process';
import { limits } from '../../../src/testing/limits.ts';
import { until } from '../../../src/testing/waiting.ts';
import { endsWithin, launch } from '../../harness/process.ts';

export interface Agent extends AsyncDisposable {
  child: ChildProcess;
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
    child,
    log: () => log,
    signal: (name) => void child.kill(name),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

// Like `until`, but an error does not end the wait, because a restarting server does not answer.
export async function untilAnswered<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  limitMs: number = limits.agent,
): Promise<T> {
  const look = (): Promise<T | undefined | false | Error> => ask().catch((error: Error) => error);
  const isMet = (seen: unknown): boolean => seen !== undefined && seen !== false && !(seen instanceof Error);
  return (await until(what, look, isMet, { limitMs, everyMs: 50 })) as T;
}
