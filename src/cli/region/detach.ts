// `up --detach`: starts the same program in the background, in its own session. The child sends a message when it is
// ready. If it ends before that, its exit code and its error message become ours. If a region already runs on the
// folder, that one is shown instead, and a seed that it has not had yet is applied.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Input } from '../../command/command.ts';
import { environment } from '../../config/environment.ts';
import type { Config } from '../../config/sections.ts';
import { isLocked } from '../../region-data/data-folder.ts';
import { NotRunning } from '../admin/client.ts';
import { askRegion } from '../admin/operations.ts';
import { outputModeOf } from './output-mode.ts';
import type { Ready } from './ready.ts';
import { outcomeOf } from './seeded.ts';
import type { ServeOptions } from './serve.ts';
import { announce } from './welcome.ts';

const startLimitMs = 30_000;
const pollMs = 100;

export async function detach(config: Config, input: Input, seed: ServeOptions['seed']): Promise<number> {
  const running = await alreadyRunning(config.data);
  if (running) {
    const { seeded } = seed === undefined ? {} : await askRegion(config.data, 'seed/once', seed, 0);
    const ready = { ...running, ...(seeded && { seeded: outcomeOf(seeded) }) };
    announce(ready, outputModeOf(input, config), '', 'already');
    return 0;
  }
  const args = process.argv.slice(2).map((arg) => (arg === '--detach' ? '--background' : arg));
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errorText = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorText += text;
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      child.kill('SIGTERM');
      process.exit(128 + constants.signals[signal]);
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<Ready | number>();
  child.once('message', (ready) => resolve(ready as Ready));
  child.once('close', (code, signal) => resolve(code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 0)));
  child.once('error', reject);
  const outcome = await promise;
  if (typeof outcome === 'number') {
    process.stderr.write(
      errorText === '' ? `cumulet: the region ended with ${outcome} before it was ready\n` : errorText,
    );
    return outcome === 0 ? 1 : outcome;
  }
  child.stderr?.destroy();
  child.unref();
  const ownerFile = environment.ownerPassword() === undefined ? join(config.data, 'owner.json') : '';
  announce(outcome, outputModeOf(input, config), ownerFile, 'background');
  return 0;
}

// Waits for a region that is just starting. Undefined: none runs, or it stops.
async function alreadyRunning(data: string): Promise<Ready | undefined> {
  const until = performance.now() + startLimitMs;
  while (isLocked(data) && performance.now() < until) {
    try {
      return await askRegion(data, 'ready', {});
    } catch (error) {
      if (!(error instanceof NotRunning)) throw error;
      await pause(pollMs);
    }
  }
  return undefined;
}
