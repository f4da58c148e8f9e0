// Processes of Cumulet that tests start: by the Node that runs the tests, or by the command in CUMULET_BIN.
// None outlives the test process, however that ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { bound } from '../../src/testing/bound.ts';
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
  const data = args[args.indexOf('--data') + 1];
  if (args.includes('--detach') && args.includes('--data') && data !== undefined) stopWithUs(data);
  return ended(launch(whole, options), `cumulet ${args.join(' ')}`, limits.command);
}

// A detached region outlives the process that starts it. A shell waits for the end of the test process, which closes
// its input, and stops the region of this folder if the test has left one.
export function stopWithUs(data: string): void {
  const script = 'trap "" INT HUP; read -r _; [ ! -e "$0/pid" ] || "$@" down --data "$0"';
  const child = spawn('sh', ['-c', script, data, ...given()], { stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  (child.stdin as Socket).unref();
}

async function stateOf(args: string[]): Promise<string[]> {
  const data = args[args.indexOf('--data') + 1];
  const starts = args[0] === 'up' && args.includes('--data') && !args.includes('--state');
  return starts && data !== undefined ? stateFor(data) : [];
}

// The output of a process until its end, and its exit code. A process that exceeds the limit is killed.
export async function ended(child: ChildProcess, what: string, limitMs: number): Promise<Ended> {
  const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
  if (!(await endsWithin(child, limitMs))) {
    child.kill('SIGKILL');
    throw new Error(`${what} did not end in ${limitMs} ms:\n${stdout()}${stderr()}`);
  }
  return { code: child.exitCode, stdout: stdout(), stderr: stderr() };
}

function collected(stream: Readable | null): () => string {
  let all = '';
  stream?.setEncoding('utf8').on('data', (text: string) => {
    all += text;
  });
  return () => all;
}

export function launch(args: string[], { command = given(), env = {}, cwd }: LaunchOptions): ChildProcess {
  const [program = process.execPath, ...before] = command;
  const child = spawn(...bound(program, [...before, ...args]), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited(), ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  child.once('close', () => closed.add(child));
  return child;
}

const closed = new WeakSet<ChildProcess>();

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

// A process that has ended stays in the list until its parent has read its exit code.
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
