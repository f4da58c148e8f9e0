// The load generator of metrics: sends bodies of a file, a slice always on the same connection so that its samples
// come in order; or one request again and again.
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
}

// A request again and again.
export interface Asking {
  port: number;
  text: string;
  count: number;
  connections: number;
}

export type Pusher = Generator<Pushing | Asking, RequestReport>;

export const openPusher = (): Pusher =>
  sendOrdersTo(import.meta.url, ({ port }) => `a round of pushes to port ${port}`);

async function perform(order: Pushing | Asking): Promise<RequestReport> {
  const queues = queuesOf(order);
  const lines = await Promise.all(queues.map(() => Line.open(order.port)));
  const measured = new Measurement();
  const work = async (line: Line, queue: Buffer[]): Promise<void> => {
    for (let bytes = queue.shift(); bytes; bytes = queue.shift()) {
      const sentAt = performance.now();
      measured.answered(sentAt, await line.send(bytes));
    }
  };
  await Promise.all(lines.map((line, at) => work(line, queues[at] as Buffer[])));
  const report = measured.report();
  for (const line of lines) line.close();
  return report;
}

// The requests of each connection: the slice of a body selects it, and any free one sends another request.
function queuesOf(order: Pushing | Asking): Buffer[][] {
  const { count, connections } = order;
  if (!('bodies' in order)) {
    const requests = Array.from({ length: count }, () => Buffer.from(order.text));
    return Array.from({ length: connections }, () => requests);
  }
  const queues: Buffer[][] = Array.from({ length: connections }, () => []);
  for (const [at, bytes] of read(order).entries())
    queues[((order.from + at) % order.bodies.slices) % connections]?.push(bytes);
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

if (import.meta.main) takeOrders(perform);
