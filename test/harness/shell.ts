// Runs lines of sh as a user would type them, with `cumulet` as a command and a separate home folder.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bound } from '../../src/testing/bound.ts';
import { limits } from '../../src/testing/limits.ts';
import type { Ended } from './process.ts';

const main = join(import.meta.dirname, '../../bin/start.cjs');

export interface Shell {
  home: string;
  env: Record<string, string>;
  run(script: string, more?: Record<string, string>): Promise<Ended>;
  [Symbol.dispose](): void;
}

export function openShell(): Shell {
  const home = mkdtempSync(join(tmpdir(), 'cumulet-home-'));
  const program = process.env.CUMULET_BIN ?? `'${process.execPath}' '${main}'`;
  const { PATH = '', LANG = 'C' } = process.env;
  // Go looks for its caches by HOME, which is a new one each time.
  const env = { PATH, LANG, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), NO_COLOR: '1' };
  return {
    home,
    env,
    run: (script, more = {}) => sh(`cumulet() { ${program} "$@"; }\n${script}`, { ...env, ...more }),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

function sh(script: string, env: Record<string, string>): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const child = spawn(...bound('sh', ['-c', script]), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const limit = setTimeout(() => child.kill('SIGKILL'), limits.command);
  const ended: Ended = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ended.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ended.stderr += text;
  });
  child.once('error', reject);
  child.once('close', (code) => resolve({ ...ended, code }));
  return promise.finally(() => clearTimeout(limit));
}
