// The load generator of the object storage: signs each request, sends it on a free connection, and takes its answer.
import { createHash } from 'node:crypto';
import { type S3Credentials, sign } from '../../src/core/s3-signature/sign.ts';
import { Line } from '../harness/line.ts';
import { type Generator, Measurement, type RequestReport, sendOrdersTo, takeOrders } from '../harness/orders.ts';

export interface Calls {
  port: number;
  credentials?: S3Credentials; // absent: requests are not signed
  method: 'PUT' | 'GET' | 'DELETE';
  path: string; // @ stands for a number
  numbers: { from: number } | { below: number; seed: number }; // one after the other, or random ones
  bytes?: number; // of the body
  isLong?: boolean; // the body is sent piece by piece, and only its length is signed
  connections: number;
  durationMs?: number;
  count?: number; // of requests; the order ends by this or by its time
}

export type CallLoader = Generator<Calls, RequestReport>;

const pieceBytes = 1024 * 1024;
const numberDigits = 8;

export const openCallLoader = (): CallLoader =>
  sendOrdersTo(import.meta.url, ({ method, path, port }) => `${method} ${path} on port ${port}`);

export const numbered = (path: string, number: number): string =>
  path.replace('@', String(number).padStart(numberDigits, '0'));

// The lines of a request before its body.
export function headOf(
  { port, credentials, method, bytes = 0 }: Pick<Calls, 'port' | 'credentials' | 'method' | 'bytes'>,
  path: string,
  payloadHash: string,
): string {
  const url = new URL(path, `http://127.0.0.1:${port}`);
  const length: Record<string, string> = method === 'PUT' ? { 'content-length': String(bytes) } : {};
  const headers = credentials
    ? sign({ method, url, headers: length, payloadHash }, credentials, Date.now())
    : { ...length };
  const lines = Object.entries({ host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

async function perform(order: Calls): Promise<RequestReport> {
  const { bytes = 0, isLong = false, connections, durationMs = Number.POSITIVE_INFINITY, count } = order;
  const body = Buffer.alloc(isLong ? pieceBytes : bytes, 'content of an object ');
  const payloadHash = isLong ? 'UNSIGNED-PAYLOAD' : createHash('sha256').update(body).digest('hex');
  const next = numberSource(order.numbers);
  let begun = 0;
  const lines = await Promise.all(Array.from({ length: connections }, () => Line.open(order.port)));
  const measured = new Measurement();
  const work = async (line: Line): Promise<void> => {
    while (performance.now() - measured.fromMs < durationMs && (count === undefined || begun < count)) {
      begun += 1;
      const head = headOf(order, numbered(order.path, next()), payloadHash);
      const sentAt = performance.now();
      const status = isLong ? await line.sendLong(head, body, bytes / pieceBytes) : await line.send(head, body);
      measured.answered(sentAt, status);
    }
  };
  await Promise.all(lines.map(work));
  const report = measured.report();
  for (const line of lines) line.close();
  return report;
}

function numberSource(numbers: Calls['numbers']): () => number {
  if ('from' in numbers) {
    let at = numbers.from;
    return () => at++;
  }
  let at = numbers.seed >>> 0 || 1;
  return () => {
    at ^= at << 13; // xorshift32: the same seed gives the same order
    at ^= at >>> 17;
    at ^= at << 5;
    return (at >>> 0) % numbers.below;
  };
}

if (import.meta.main) takeOrders(perform);
