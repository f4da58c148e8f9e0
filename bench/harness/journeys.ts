// A load of journeys: each connection sends a request and follows it until it is done, then starts again.
import { Agent, request } from 'node:http';
import { type Generator, sendOrdersTo, takeOrders } from './orders.ts';

export interface Journeys {
  port: number;
  connections: number;
  path: string;
  headers: Record<string, string>;
  body?: string; // with one it is a POST, without a GET
  follow?: boolean; // polls the Location of the answer until it is DONE
  durationMs: number;
}

export interface JourneyReport {
  done: number;
  perSecond: number;
  busy: number; // share of the time that the generator's own core was used
}

export type Traveller = Generator<Journeys, JourneyReport>;

export const openTraveller = (): Traveller =>
  sendOrdersTo(
    import.meta.url,
    ({ port }) => `journeys on port ${port}`,
    ({ durationMs }) => durationMs + 60_000,
  );

interface Answer {
  status: number;
  location: string;
  body: string;
}

async function travel(order: Journeys): Promise<JourneyReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: order.connections });
  const before = process.cpuUsage();
  const from = performance.now();
  const until = from + order.durationMs;
  let done = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      await journey(order, agent);
      done += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: order.connections }, one));
  } finally {
    agent.destroy();
  }
  const tookMs = performance.now() - from;
  const { user, system } = process.cpuUsage(before);
  return { done, perSecond: (done * 1000) / tookMs, busy: (user + system) / 1000 / tookMs };
}

async function journey(order: Journeys, agent: Agent): Promise<void> {
  const first = await ask(order, agent, order.body === undefined ? 'GET' : 'POST', order.path, order.body);
  if (first.status >= 300) throw new Error(`${first.status} ${first.body.slice(0, 300)}`);
  if (!order.follow) return;
  const { pathname } = new URL(first.location);
  for (;;) {
    const { status, body } = await ask(order, agent, 'GET', pathname);
    if (body.includes('"status":"DONE"')) return;
    if (status !== 200 || body.includes('"status":"FAILED"')) throw new Error(`${status} ${body.slice(0, 300)}`);
  }
}

const mostLooked = 4096; // bytes of an answer: the rest is only read

function ask(order: Journeys, agent: Agent, method: string, path: string, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const headers = { ...order.headers, ...length };
    const sent = request({ host: '127.0.0.1', port: order.port, method, path, headers, agent }, (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= mostLooked) chunks.push(chunk);
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode: status = 0, headers: answerHeaders } = answer;
        resolve({ status, location: answerHeaders.location ?? '', body: Buffer.concat(chunks).toString() });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

if (import.meta.main) takeOrders(travel);
