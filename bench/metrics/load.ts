// The load generator of metrics: sends bodies of a file, a slice always on the same connection so that its samples
// come in order; or one request at a fixed pace. Runs as a child process on its own core and takes one order after the
// other.
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { end, start, within } from '../harness/children.ts';
import { Line } from '../harness/line.ts';
import type { BodyFile } from './bodies.ts';

export interface Pushing {
  port: number;
  path: string;
  headers: Record<string, string>;
  bodies: BodyFile;
  from: number; // the number of the first body
  count: number;
  connections: number;
  everyMs?: number; // a body every so often, whoever is free sends it; absent: as fast as answers come
}

// A request again and again.
export interface Asking {
  port: number;
  text: string;
  count: number;
  connections: number;
  everyMs?: number;
}

export interface PushReport {
  perSecond: number; // requests
  tookMs: number;
  p50Ms: number;
  p99Ms: number;
  bad: number; // not 2xx
  statuses: Record<string, number>;
  busy: number;
  fault?: string;
}

export interface Pusher {
  pid: number;
  run(order: Pushing | Asking): Promise<PushReport>;
  close(): Promise<void>;
}

const orderLimitMs = 600_000;

export function openPusher(): Pusher {
  const child: ChildProcess = start('load', process.execPath, [fileURLToPath(import.meta.url)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    pid: child.pid ?? 0,
    async run(order) {
      const answer = new Promise<PushReport>((resolve, reject) => {
        child.once('message', (report: PushReport) => resolve(report));
        child.once('exit', () => reject(new Error('the load generator ended')));
      });
      child.send(order);
      const report = await within(orderLimitMs, 'a round of pushes', answer);
      child.removeAllListeners('exit');
      if (report.fault) throw new Error(`pushes to port ${order.port}: ${report.fault}`);
      return report;
    },
    close: () => end(child),
  };
}

interface Task {
  bytes: Buffer;
  dueMs: number; // 0: at once
}

async function perform(order: Pushing | Asking): Promise<PushReport> {
  const queues = queuesOf(order);
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const lines = await Promise.all(queues.map(() => Line.open(order.port)));
  const cpu = process.cpuUsage();
  const from = performance.now();
  const work = async (line: Line, queue: Task[]): Promise<void> => {
    for (let task = queue.shift(); task; task = queue.shift()) {
      const sentAt = await due(task.dueMs && from + task.dueMs);
      const status = await line.send(task.bytes);
      latencies.push(performance.now() - sentAt);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(lines.map((line, at) => work(line, queues[at] as Task[])));
  const tookMs = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  for (const line of lines) line.close();
  latencies.sort((one, other) => one - other);
  const quantile = (share: number): number => latencies[Math.ceil(latencies.length * share) - 1] ?? 0;
  const good = Object.entries(statuses).reduce((sum, [status, n]) => sum + (status.startsWith('2') ? n : 0), 0);
  return {
    perSecond: (latencies.length * 1000) / tookMs,
    tookMs,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    bad: latencies.length - good,
    statuses,
    busy: (user + system) / 1000 / tookMs,
  };
}

// What each connection sends. Bodies without a pace have their connection by their slice, all else goes to whoever is
// free.
function queuesOf(order: Pushing | Asking): Task[][] {
  const { count, connections, everyMs = 0 } = order;
  const isPush = 'bodies' in order;
  const requests = isPush ? read(order) : Array.from({ length: count }, () => Buffer.from(order.text));
  const tasks = requests.map((bytes, at) => ({ bytes, dueMs: (at + 1) * everyMs }));
  if (!isPush || everyMs > 0) return Array.from({ length: connections }, () => tasks);
  const queues: Task[][] = Array.from({ length: connections }, () => []);
  for (const [at, task] of tasks.entries()) queues[((order.from + at) % order.bodies.slices) % connections]?.push(task);
  return queues;
}

function read({ port, path, headers, bodies, from, count }: Pushing): Buffer[] {
  const file = openSync(bodies.path, 'r');
  try {
    return Array.from({ length: count }, (_, nth) => {
      const [begin, next] = [bodies.offsets[from + nth], bodies.offsets[from + nth + 1]];
      if (begin === undefined || next === undefined) throw new Error('there are no bodies left');
      const lines = Object.entries({ ...headers, 'Content-Length': String(next - begin) });
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
      const whole = Buffer.from(`${head}${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
      const bytes = Buffer.allocUnsafe(whole.length + next - begin);
      whole.copy(bytes);
      readSync(file, bytes, whole.length, next - begin, begin);
      return bytes;
    });
  } finally {
    closeSync(file);
  }
}

// From when the time of a request counts: from when it was due where nobody was free then, and else from when it is
// sent, as timers are a little late.
async function due(at: number): Promise<number> {
  const leftMs = at - performance.now();
  if (at > 0 && leftMs <= 0) return at;
  if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
  return performance.now();
}

if (import.meta.main) {
  process.on('message', (order: Pushing | Asking) => {
    const broken = (error: unknown): PushReport => ({
      ...{ perSecond: 0, tookMs: 0, p50Ms: 0, p99Ms: 0, bad: 0, statuses: {}, busy: 0 },
      fault: String(error),
    });
    void perform(order)
      .catch(broken)
      .then((report) => process.send?.(report));
  });
  process.once('disconnect', () => process.exit());
}
