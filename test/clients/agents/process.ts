// An agent or another server as a process of its own, and the patience that tests have with it: a condition is asked
// for again and again until it holds or its time is up. Nothing here waits for a guessed time.
import type { ChildProcess } from 'node:child_process';
import { endsWithin, launch } from '../../harness/process.ts';

const stopLimitMs = 60_000;
const usualLimitMs = 60_000;
const betweenMs = 50;

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
    if (await endsWithin(child, stopLimitMs)) return;
    child.kill('SIGKILL');
    await endsWithin(child, stopLimitMs);
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
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  limitMs = usualLimitMs,
): Promise<T> {
  const till = performance.now() + limitMs;
  let trouble: unknown;
  for (;;) {
    try {
      const found = await ask();
      if (found !== undefined && found !== false) return found;
      trouble = undefined;
    } catch (error) {
      trouble = error;
    }
    if (performance.now() > till) throw new Error(`${what}: not within ${limitMs} ms`, { cause: trouble });
    await new Promise((resolve) => setTimeout(resolve, betweenMs));
  }
}
