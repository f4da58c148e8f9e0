// The load generator of the object storage: signs each request, sends it on a free connection, and takes its answer.
// Runs as a child process on its own core and takes one order after the other.
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type S3Credentials, sign } from '../../src/objects/engine/remote/sign.ts';
import { end, start, within } from '../harness/children.ts';
import { Line } from '../harness/line.ts';

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

export interface CallReport {
  done: number;
  perSecond: number;
  tookMs: number;
  p50Ms: number;
  p99Ms: number;
  bad: number; // not 2xx
  statuses: Record<string, number>;
  busy: number; // share of the time that the generator's own core was used
  fault?: string;
}

export interface CallLoader {
  pid: number;
  run(order: Calls): Promise<CallReport>;
  close(): Promise<void>;
}

const orderLimitMs = 600_000;
const pieceBytes = 1024 * 1024;
const numberDigits = 8;

export function openCallLoader(): CallLoader {
  const child: ChildProcess = start('load', process.execPath, [fileURLToPath(import.meta.url)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    pid: child.pid ?? 0,
    async run(order) {
      const answer = new Promise<CallReport>((resolve, reject) => {
        child.once('message', (report: CallReport) => resolve(report));
        child.once('exit', () => reject(new Error('the load generator ended')));
      });
      child.send(order);
      const report = await within(orderLimitMs, 'a round of calls', answer);
      child.removeAllListeners('exit');
      if (report.fault) throw new Error(`${order.method} ${order.path} on port ${order.port}: ${report.fault}`);
      return report;
    },
    close: () => end(child),
  };
}

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

async function perform(order: Calls): Promise<CallReport> {
  const { bytes = 0, isLong = false, connections, durationMs = Number.POSITIVE_INFINITY, count } = order;
  const body = Buffer.alloc(isLong ? pieceBytes : bytes, 'content of an object ');
  const payloadHash = isLong ? 'UNSIGNED-PAYLOAD' : createHash('sha256').update(body).digest('hex');
  const next = numberSource(order.numbers);
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  let begun = 0;
  const lines = await Promise.all(Array.from({ length: connections }, () => Line.open(order.port)));
  const cpu = process.cpuUsage();
  const from = performance.now();
  const work = async (line: Line): Promise<void> => {
    while (performance.now() - from < durationMs && (count === undefined || begun < count)) {
      begun += 1;
      const head = headOf(order, numbered(order.path, next()), payloadHash);
      const sentAt = performance.now();
      const status = isLong ? await line.sendLong(head, body, bytes / pieceBytes) : await line.send(head, body);
      latencies.push(performance.now() - sentAt);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(lines.map(work));
  const tookMs = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  for (const line of lines) line.close();
  latencies.sort((one, other) => one - other);
  const quantile = (share: number): number => latencies[Math.ceil(latencies.length * share) - 1] ?? 0;
  const good = Object.entries(statuses).reduce((sum, [status, n]) => sum + (status.startsWith('2') ? n : 0), 0);
  return {
    done: latencies.length,
    perSecond: (latencies.length * 1000) / tookMs,
    tookMs,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    bad: latencies.length - good,
    statuses,
    busy: (user + system) / 1000 / tookMs,
  };
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

if (import.meta.main) {
  process.on('message', (order: Calls) => {
    const broken = (error: unknown): CallReport => ({
      ...{ done: 0, perSecond: 0, tookMs: 0, p50Ms: 0, p99Ms: 0, bad: 0, statuses: {}, busy: 0 },
      fault: String(error),
    });
    void perform(order)
      .catch(broken)
      .then((report) => process.send?.(report));
  });
  process.once('disconnect', () => process.exit());
}
