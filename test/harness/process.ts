// Processes of Cumulet that tests start: by the Node that runs the tests, or by the command in CUMULET_BIN.
// None outlives the test process, however that ends, but by SIGKILL.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { limits } from '../../src/testing/limits.ts';
import { stateFor } from './states.ts';

const main = join(import.meta.dirname, '../../bin/start.cjs');

export interface LaunchOptions {
  command?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

// Runs a command of the command line to its end: `await cumulet(['version'])`. An `up` has its folder's state.
export async function cumulet(args: string[], options: LaunchOptions = {}): Promise<Ended> {
  const whole = [...args, ...(await stateOf(args))];
  return ended(launch(whole, options), `cumulet ${args.join(' ')}`, limits.command);
}

async function stateOf(args: string[]): Promise<string[]> {
  const data = args[args.indexOf('--data') + 1];
  const starts = args[0] === 'up' && args.includes('--data') && !args.includes('--state');
  return starts && data !== undefined ? stateFor(data) : [];
}

// What a process wrote until its end, and how it ended. One that takes longer is killed.
export async function ended(child: ChildProcess, what: string, limitMs: number): Promise<Ended> {
  const [stdout, stderr] = [told(child.stdout), told(child.stderr)];
  if (!(await endsWithin(child, limitMs))) {
    child.kill('SIGKILL');
    throw new Error(`${what} did not end in ${limitMs} ms:\n${stdout()}${stderr()}`);
  }
  return { code: child.exitCode, stdout: stdout(), stderr: stderr() };
}

function told(stream: Readable | null): () => string {
  let all = '';
  stream?.setEncoding('utf8').on('data', (text: string) => {
    all += text;
  });
  return () => all;
}

export function launch(args: string[], { command = given(), env = {}, cwd }: LaunchOptions): ChildProcess {
  const [program = process.execPath, ...before] = command;
  const child = spawn(program, [...before, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited(), ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  guard(child);
  return child;
}

export async function endsWithin(child: ChildProcess, limitMs: number): Promise<boolean> {
  if (closed.has(child)) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const limit = setTimeout(() => resolve(false), limitMs);
  child.once('close', () => resolve(true));
  return promise.finally(() => clearTimeout(limit));
}

export function signalIfAlive(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

// A process that has ended stays in the list until its parent has asked how.
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function given(): string[] {
  const command = process.env.CUMULET_BIN;
  return command ? command.split(' ') : [process.execPath, main];
}

// The caller's settings must not decide a test, and the test runner's marks are not for its children.
function inherited(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => !/^(CUMULET_|IONOS_|NODE_TEST|NODE_OPTIONS$)/.test(name));
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

const open = new Set<ChildProcess>();
const closed = new WeakSet<ChildProcess>();

function guard(child: ChildProcess): void {
  watchOurEnd();
  open.add(child);
  child.once('close', () => {
    open.delete(child);
    closed.add(child);
  });
  // Without a listener, a command that can't be started would be thrown past the test.
  child.on('error', () => closed.add(child));
}

let watching = false;

function watchOurEnd(): void {
  if (watching) return;
  watching = true;
  const killAll = (): void => {
    for (const child of open) child.kill('SIGTERM');
  };
  process.on('exit', killAll);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      killAll();
      process.kill(process.pid, signal);
    });
  }
}
