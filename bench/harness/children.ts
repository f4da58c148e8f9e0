// Child processes of a measurement: servers on one core, the load generator on another. Whatever is started
// here is ended here, by its own pid, also when the run is interrupted.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cumulet', 'bench');

const alive = new Set<ChildProcess>();

export type Core = 'server' | 'load' | 'any';

export function start(core: Core, command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const number = core === 'server' ? cores[0] : core === 'load' ? cores[1] : undefined;
  const child =
    number === undefined
      ? spawn(command, args, options)
      : spawn('taskset', ['-c', String(number), command, ...args], options);
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  child.once('error', () => alive.delete(child));
  return child;
}

// SIGTERM, and SIGKILL for a process that has not ended by then.
export async function end(child: ChildProcess, patienceMs = 10_000): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await gone;
  clearTimeout(timer);
}

export function endAllOnExit(): void {
  process.once('exit', () => {
    for (const child of alive) child.kill('SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
}

export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

export function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kb === undefined) throw new Error(`process ${pid} has no VmRSS`);
  return Number(kb) / 1024;
}

// User and system time of a process and its threads.
export function cpuSeconds(pid: number): number {
  const stat = statOf(pid);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return ') '; // it has just ended
  }
}

// A process and all that it has started, and those.
export function family(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended.
    }
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}

// Gives, when called, how many cores' worth of CPU time went to others than these processes and ourselves since.
export function watchOthers(...pids: readonly number[]): () => number {
  const spent = new Map<number, number>([process.pid, ...pids].map((pid) => [pid, 0]));
  const others = (): number => {
    let left = machineSeconds();
    for (const [pid, before] of spent) {
      // A process that has ended, such as a database's helper, counts with its last measured usage.
      const seconds = existsSync(`/proc/${pid}/stat`) ? cpuSeconds(pid) : before;
      spent.set(pid, seconds);
      left -= seconds;
    }
    return left;
  };
  const from = performance.now();
  const before = others();
  return () => Math.max(0, ((others() - before) * 1000) / (performance.now() - from));
}

// The seconds that the machine's cores spent on processes and the kernel, and those that the host took.
function machineSeconds(): number {
  const [, user, nice, system, , , , , steal] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/);
  return (Number(user) + Number(nice) + Number(system) + Number(steal)) / 100;
}

// The first two cores this process may use; none where there is one only, or no taskset to choose with.
export const cores: readonly number[] = (() => {
  const list = /^Cpus_allowed_list:\s+(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const all = list.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
  const choosable = ['/usr/bin/taskset', '/bin/taskset'].some((path) => existsSync(path));
  return choosable && all.length >= 2 ? all.slice(0, 2) : [];
})();

const startLimitMs = 60_000;

export async function untilSo(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const till = performance.now() + startLimitMs;
  for (;;) {
    if (await isSo().catch(() => false)) return;
    if (performance.now() > till) throw new Error(`${what}: not within ${startLimitMs / 1000} s`);
    await pause(100);
  }
}
