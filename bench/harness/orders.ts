// A load generator runs as a child process, on a separate core, and takes one order after the other: `sendOrdersTo`
// is its handle, `takeOrders` its own side.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { end, start, within } from './children.ts';

export interface Generator<Order, Report> {
  pid: number;
  run(order: Order): Promise<Report>;
  close(): Promise<void>;
}

// The measurements of sent requests.
export interface RequestReport {
  done: number;
  perSecond: number;
  tookMs: number;
  p50Ms: number;
  p99Ms: number;
  bad: number; // not 2xx
  statuses: Record<string, number>;
  busy: number; // share of the time that the generator's own core was used
}

type Outcome<Report> = { report: Report } | { fault: string };

const orderLimitMs = 600_000;

// `module`: the URL of the one that takes the orders; `what` names an order where it fails.
export function sendOrdersTo<Order extends object, Report>(
  module: string,
  what: (order: Order) => string,
  limitMs: (order: Order) => number = () => orderLimitMs,
): Generator<Order, Report> {
  const child: ChildProcess = start('load', process.execPath, [fileURLToPath(module)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    pid: child.pid ?? 0,
    async run(order) {
      const answer = new Promise<Outcome<Report>>((resolve, reject) => {
        child.once('message', (outcome: Outcome<Report>) => resolve(outcome));
        child.once('exit', () => reject(new Error('the load generator ended')));
      });
      child.send(order);
      const outcome = await within(limitMs(order), what(order), answer);
      child.removeAllListeners('exit');
      if ('fault' in outcome) throw new Error(`${what(order)}: ${outcome.fault}`);
      return outcome.report;
    },
    close: () => end(child),
  };
}

export function takeOrders<Order, Report>(perform: (order: Order) => Promise<Report>): void {
  process.on('message', (order: Order) => {
    void perform(order)
      .then(
        (report): Outcome<Report> => ({ report }),
        (error: unknown): Outcome<Report> => ({ fault: String(error) }),
      )
      .then((outcome) => process.send?.(outcome));
  });
  process.once('disconnect', () => process.exit());
}

// From its making on.
export class Measurement {
  readonly fromMs = performance.now();
  readonly #cpu = process.cpuUsage();
  readonly #latencies: number[] = [];
  readonly #statuses: Record<string, number> = {};

  answered(sentAtMs: number, status: number | string): void {
    this.#latencies.push(performance.now() - sentAtMs);
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }

  report(): RequestReport {
    const tookMs = performance.now() - this.fromMs;
    const { user, system } = process.cpuUsage(this.#cpu);
    const latencies = this.#latencies.sort((one, other) => one - other);
    const quantile = (share: number): number => latencies[Math.ceil(latencies.length * share) - 1] ?? 0;
    const good = Object.entries(this.#statuses).filter(([status]) => status.startsWith('2'));
    return {
      done: latencies.length,
      perSecond: (latencies.length * 1000) / tookMs,
      tookMs,
      p50Ms: quantile(0.5),
      p99Ms: quantile(0.99),
      bad: latencies.length - good.reduce((sum, [, count]) => sum + count, 0),
      statuses: this.#statuses,
      busy: (user + system) / 1000 / tookMs,
    };
  }
}
