// Processes that outlive this one. A process is identified by its id and start time, since ids are reused. This handle
// is saved in a file, so that a later process of ours finds it.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface ProcessHandle {
  pid: number;
  startTicks: string; // since the machine's start
  boot: string; // which start of the machine
}

const pollMs = 50;

// The output is written to a file.
export function startDetached(command: readonly string[], output: string, cwd: string): ProcessHandle {
  const [program = '', ...words] = command;
  const file = openSync(output, 'a', 0o600);
  try {
    const child = spawn(program, words, { cwd, detached: true, stdio: ['ignore', file, file] });
    child.on('error', () => {}); // a program that can't be started results in a process that is not running
    child.unref();
    return { pid: child.pid ?? 0, startTicks: startTicksOf(child.pid ?? 0) ?? '', boot: bootId() };
  } finally {
    closeSync(file);
  }
}

// Finds a process of this user whose command ends with these words. That finds a process whose starter was killed
// before it had saved the handle.
export function findRunning(words: readonly string[]): ProcessHandle | undefined {
  const ending = ['', ...words, ''].join('\0');
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid) || !commandOf(pid).endsWith(ending)) continue;
    const handle = { pid, startTicks: startTicksOf(pid) ?? '', boot: bootId() };
    if (isRunning(handle)) return handle;
  }
  return undefined;
}

// Returns the words of the command line, each followed by a zero byte; empty if the process has ended or belongs to
// another user.
function commandOf(pid: number): string {
  try {
    const isOurs = statSync(`/proc/${pid}`).uid === statSync('/proc/self').uid;
    return isOurs ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
  } catch {
    return '';
  }
}

export const isRunning = ({ pid, startTicks, boot }: ProcessHandle): boolean =>
  pid > 0 && startTicks !== '' && boot === bootId() && startTicksOf(pid) === startTicks;

export function signal(handle: ProcessHandle, name: 'SIGTERM' | 'SIGKILL'): void {
  if (!isRunning(handle)) return;
  try {
    process.kill(handle.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

// Sends a signal to end; kills the process after the grace period.
export async function end(handle: ProcessHandle, graceMs: number): Promise<void> {
  signal(handle, graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
  for (let waited = 0; isRunning(handle); waited += pollMs) {
    if (waited >= graceMs) signal(handle, 'SIGKILL');
    await wait(pollMs);
  }
}

export function saveHandle(path: string, handle: ProcessHandle): void {
  writeFileSync(`${path}.new`, JSON.stringify(handle), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function savedHandle(path: string): ProcessHandle | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessHandle;
  } catch {
    return undefined; // none yet
  }
}

export const forgetHandle = (path: string): void => rmSync(path, { force: true });

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

// Reads field 22 of /proc/PID/stat; the second field, the program's name, may contain spaces and brackets. Undefined
// for a process that has ended, even if its parent has not collected it yet.
function startTicksOf(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : fields[18];
}
