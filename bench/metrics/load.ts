// The load generator of metrics: sends bodies of a file, a slice always on the same connection so that its samples
// come in order; or one request at a fixed pace.
import { closeSync, openSync, readSync } from 'node:fs';
import { Line } from '../harness/line.ts';
import { type Generator, Measurement, type RequestReport, sendOrdersTo, takeOrders } from '../harness/orders.ts';
import type { BodyFile } from './bodies.ts';

export interface Pushing {
  port: number;
  path: string;
  headers: Record<string, string>;
  bodies: BodyFile;
  from: number; // the number of the first body
  count: number;
  connections: number;
  everyMs?: number; // a body at this interval, sent by any free connection; absent: as fast as answers arrive
}

// A request again and again.
export interface Asking {
  port: number;
  text: string;
  count: number;
  connections: number;
  everyMs?: number;
}

export type Pusher = Generator<Pushing | Asking, RequestReport>;

export const openPusher = (): Pusher =>
  sendOrdersTo(import.meta.url, ({ port }) => `a round of pushes to port ${port}`);

interface Task {
  bytes: Buffer;
  dueMs: number; // 0: at once
}

async function perform(order: Pushing | Asking): Promise<RequestReport> {
  const queues = queuesOf(order);
  const lines = await Promise.all(queues.map(() => Line.open(order.port)));
  const measured = new Measurement();
  const work = async (line: Line, queue: Task[]): Promise<void> => {
    for (let task = queue.shift(); task; task = queue.shift()) {
      const sentAt = await due(task.dueMs && measured.fromMs + task.dueMs);
      measured.answered(sentAt, await line.send(task.bytes));
    }
  };
  await Promise.all(lines.map((line, at) => work(line, queues[at] as Task[])));
  const report = measured.report();
  for (const line of lines) line.close();
  return report;
}

// The bodies of each connection. Without a pace, the slice of a body selects its connection, otherwise any free one
// sends it.
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
      if (begin === undefined || next === undefined) throw new Error('all bodies have been sent');
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

// The start of a request's time: when it was due if no connection was free then, otherwise when it is sent, because
// timers are a little late.
async function due(at: number): Promise<number> {
  const leftMs = at - performance.now();
  if (at > 0 && leftMs <= 0) return at;
  if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
  return performance.now();
}

if (import.meta.main) takeOrders(perform);
