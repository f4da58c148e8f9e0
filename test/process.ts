// Processes of Cumulet that tests start: by the Node that runs the tests, or by the command in CUMULET_BIN.
// None outlives the test process, however that ends, but by SIGKILL.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const main = join(import.meta.dirname, '../src/main.ts');
const runLimitMs = 60_000;

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

// Runs a command of the command line to its end: `await cumulet(['version'])`.
export async function cumulet(args: string[], options: LaunchOptions = {}): Promise<Ended> {
  const child = launch(args, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  if (!(await endsWithin(child, runLimitMs))) {
    child.kill('SIGKILL');
    throw new Error(`cumulet ${args.join(' ')} did not end in ${runLimitMs} ms:\n${stdout}${stderr}`);
  }
  return { code: child.exitCode, stdout, stderr };
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
