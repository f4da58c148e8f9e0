// The load generator: HTTP/1.1 keep-alive over plain sockets, request bytes made beforehand, one request at a
// time per connection, and of an answer only its status and its length are looked at. It has to stay idle part
// of the time: where `busy` comes near 1, it is the generator that was measured and not the server.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type Generator, sendOrdersTo, takeOrders } from './orders.ts';

export interface Load {
  port: number;
  others?: readonly number[]; // more ports for the connections
  connections: number;
  // The requests to send: a list that is cycled through, or a random line of a file between two texts.
  requests: readonly string[] | { before: string; lines: string; after: string; seed: number };
  warmMs: number; // at the start, not counted
  durationMs: number;
  count?: number; // ends after so many answers instead (no warm-up then); durationMs stays the bound
}

export interface LoadReport {
  answers: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  bad: number; // anything but 2xx, in the warm-up too
  accepted: number; // 2xx, in the warm-up too
  statuses: Record<string, number>;
  busy: number; // share of the time that the generator's own core was used
}

export type Loader = Generator<Load, LoadReport>;

export const openLoader = (): Loader =>
  sendOrdersTo(
    import.meta.url,
    ({ port }) => `load on port ${port}`,
    ({ durationMs, warmMs }) => durationMs + warmMs + 60_000,
  );

const STEP_MS = 0.01;

class Round {
  readonly load: Load;
  readonly next: () => string;
  readonly latencies = new Uint32Array(200_000); // 10 µs each, two seconds; the last one holds all above
  readonly statuses = new Map<number, number>();
  startedAt = 0;
  endedAt = 0;
  counted = 0;
  total = 0;
  open = 0;
  cpuAtStart = process.cpuUsage();
  private readonly ended = Promise.withResolvers<LoadReport>();

  constructor(load: Load) {
    this.load = load;
    this.next = requestSource(load.requests);
  }

  run(): Promise<LoadReport> {
    const { load } = this;
    this.startedAt = performance.now() + (load.count ? 0 : load.warmMs);
    this.endedAt = this.startedAt + load.durationMs;
    setTimeout(
      () => {
        this.cpuAtStart = process.cpuUsage();
      },
      load.count ? 1 : load.warmMs,
    );
    const watchdog = setTimeout(
      () => this.ended.reject(new Error('answers stopped coming')),
      load.warmMs + load.durationMs + 30_000,
    );
    const ports = [load.port, ...(load.others ?? [])];
    for (let n = 0; n < load.connections; n++) this.connection(ports[n % ports.length] as number);
    return this.ended.promise.finally(() => clearTimeout(watchdog));
  }

  finish(): void {
    const tookMs = Math.min(performance.now(), this.endedAt) - this.startedAt;
    const { user, system } = process.cpuUsage(this.cpuAtStart);
    const accepted = [...this.statuses].reduce((sum, [status, n]) => sum + (status >= 200 && status < 300 ? n : 0), 0);
    this.ended.resolve({
      answers: this.counted,
      perSecond: (this.counted * 1000) / tookMs,
      p50Ms: this.quantile(0.5),
      p99Ms: this.quantile(0.99),
      bad: this.total - accepted,
      accepted,
      statuses: Object.fromEntries(this.statuses),
      busy: (user + system) / 1000 / tookMs,
    });
  }

  // True: the connection sends its next request.
  answered(status: number, sentAt: number, now: number): boolean {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.total += 1;
    if (sentAt >= this.startedAt && now <= this.endedAt) {
      this.counted += 1;
      const at = Math.min(((now - sentAt) / STEP_MS) | 0, this.latencies.length - 1);
      this.latencies[at] = (this.latencies[at] ?? 0) + 1;
    }
    return now < this.endedAt && (this.load.count === undefined || this.total + this.open <= this.load.count);
  }

  private quantile(share: number): number {
    let left = this.counted * share;
    for (let at = 0; at < this.latencies.length; at++) {
      left -= this.latencies[at] ?? 0;
      if (left <= 0) return (at + 1) * STEP_MS;
    }
    return 0;
  }

  private connection(port: number): void {
    const framing = new Framing();
    let sentAt = 0;
    let done = false;
    this.open += 1;
    const take = (bytes: number, buffer: Uint8Array): boolean => {
      const status = framing.take(buffer as Buffer, bytes);
      if (status === 0) return true;
      const now = performance.now();
      if (this.answered(status, sentAt, now)) {
        sentAt = now;
        socket.write(this.next(), 'latin1');
      } else {
        done = true;
        socket.end();
      }
      return true;
    };
    const socket = connect({
      host: '127.0.0.1',
      port,
      onread: { buffer: Buffer.alloc(256 * 1024), callback: take },
    });
    socket.setNoDelay(true);
    socket.once('connect', () => {
      sentAt = performance.now();
      socket.write(this.next(), 'latin1');
    });
    socket.once('error', (error) => this.ended.reject(error));
    socket.once('close', () => {
      this.open -= 1;
      if (!done) this.ended.reject(new Error('the server closed a connection'));
      else if (this.open === 0) this.finish();
    });
  }
}

// Finds the end of each answer. `take` returns the status of a complete answer, else 0.
class Framing {
  private status = 0;
  private left = 0;
  private head: Buffer | undefined; // only where a head came in pieces
  private lengthAt = 0; // where the last head had its length: mostly the next one has it there too

  take(buffer: Buffer, bytes: number): number {
    if (this.left > 0) {
      this.left -= bytes;
      return this.whole();
    }
    if (this.head) {
      const joined = Buffer.concat([this.head, buffer.subarray(0, bytes)]);
      this.head = undefined;
      return this.take(joined, joined.length);
    }
    const end = buffer.indexOf('\r\n\r\n');
    if (end < 0 || end + 4 > bytes) {
      this.head = Buffer.from(buffer.subarray(0, bytes));
      return 0;
    }
    this.status = digits(buffer, 9);
    this.left = this.length(buffer, end) - (bytes - end - 4);
    return this.whole();
  }

  private whole(): number {
    if (this.left < 0) throw new Error('more bytes than the answer has');
    return this.left === 0 ? this.status : 0;
  }

  private length(buffer: Buffer, end: number): number {
    if (this.lengthAt === 0 || buffer.toString('latin1', this.lengthAt - 7, this.lengthAt) !== 'ength: ') {
      const found = /\r\ncontent-length: */i.exec(buffer.toString('latin1', 0, end + 2));
      if (!found) {
        if (this.status === 204 || this.status === 304) return 0;
        throw new Error('an answer without Content-Length');
      }
      this.lengthAt = found.index + found[0].length;
    }
    return digits(buffer, this.lengthAt);
  }
}

function digits(buffer: Buffer, from: number): number {
  let value = 0;
  for (let at = from; ; at++) {
    const digit = (buffer[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) return value;
    value = value * 10 + digit;
  }
}

const files = new Map<string, string[]>();

function requestSource(requests: Load['requests']): () => string {
  let at = 0;
  if (!('lines' in requests)) {
    return () => requests[at++ % requests.length] ?? '';
  }
  const { before, after, seed } = requests;
  const lines = files.get(requests.lines) ?? readFileSync(requests.lines, 'latin1').trimEnd().split('\n');
  files.set(requests.lines, lines);
  at = seed >>> 0 || 1;
  return () => {
    at ^= at << 13; // xorshift32: the same seed gives the same order
    at ^= at >>> 17;
    at ^= at << 5;
    return before + lines[(at >>> 0) % lines.length] + after;
  };
}

if (import.meta.main) takeOrders((load: Load) => new Round(load).run());
