// Where the time of a test run went: by file and by folder. test/preload.ts records it in each test process.
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, relative } from 'node:path';
import type { TestsStream } from 'node:test';
import type { FileTimes } from './preload.ts';

export const readTimes = (file: string): FileTimes[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as FileTimes)
    : [];

export interface Duration {
  name: string;
  file: string;
  ms: number;
}

export function noteDurations(events: TestsStream, durations: Duration[]): void {
  const note = ({ name, file = '', details }: TestEvent): void => {
    if (details.type !== 'suite')
      durations.push({ name, file: relative(process.cwd(), file), ms: details.duration_ms });
  };
  events.on('test:pass', note);
  events.on('test:fail', note);
}

interface TestEvent {
  name: string;
  file?: string;
  details: { duration_ms: number; type?: string };
}

export function slowestTests(durations: readonly Duration[], count: number): string {
  const rows = durations.toSorted((one, other) => other.ms - one.ms).slice(0, count);
  return [
    'the slowest tests, in seconds',
    ...rows.map(({ name, file, ms }) => `${seconds(ms)}  ${file}: ${name}`),
  ].join('\n');
}

export function slowest(times: readonly FileTimes[], count: number): string {
  const rows = times.toSorted((one, other) => other.wall - one.wall).slice(0, count);
  return table(`the slowest of ${times.length} files`, rows);
}

export function byFolder(times: readonly FileTimes[]): string {
  const groups = Map.groupBy(times, ({ file }) => dirname(file).split('/').slice(0, 2).join('/'));
  const rows = [...groups].map(([file, all]) => all.reduce(sum, { ...none, file }));
  const ordered = rows.toSorted((one, other) => other.own + other.children - one.own - one.children);
  return table('by folder', [...ordered, times.reduce(sum, { ...none, file: 'all' })]);
}

const none: Omit<FileTimes, 'file'> = { wall: 0, own: 0, children: 0, starts: 0, regions: 0, waits: 0 };

const sum = (one: FileTimes, other: FileTimes): FileTimes => ({
  file: one.file,
  wall: one.wall + other.wall,
  own: one.own + other.own,
  children: one.children + other.children,
  starts: one.starts + other.starts,
  regions: one.regions + other.regions,
  waits: one.waits + other.waits,
});

const seconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(8);
const columns = 'wall = clock, test = processor time of the test, children = of what it started, the rest is waiting';

function table(title: string, rows: readonly FileTimes[]): string {
  const head = `${title}, in seconds (${columns})\n    wall    test children  starts regions   waits`;
  const lines = rows.map(
    ({ file, wall, own, children, starts, regions, waits }) =>
      `${[wall, own, children, starts].map(seconds).join('')}${String(regions).padStart(8)}${seconds(waits)}  ${file}`,
  );
  return [head, ...lines].join('\n');
}

// The share of the machine's processors that other processes use: all time that is not idle, without ours.
export function watchOthers(): () => number {
  const [busy, all] = machineMs();
  return () => {
    const [busyNow, allNow] = machineMs();
    const { user, system } = process.cpuUsage();
    const ours = (user + system) / 1000 + childrenMs();
    return Math.max(0, busyNow - busy - ours) / Math.max(1, allNow - all);
  };
}

function machineMs(): [busy: number, all: number] {
  const times = cpus().map(({ times }) => times);
  const all = times.reduce((total, one) => total + one.user + one.nice + one.sys + one.idle + one.irq, 0);
  return [all - times.reduce((total, one) => total + one.idle, 0), all];
}

// The time of all children that have ended, and of their children.
export function childrenMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * tickMs;
  } catch {
    return 0; // not on Linux
  }
}

const tickMs = 10;
