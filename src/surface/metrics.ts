// The platform's metrics of itself, in Prometheus' text format. They contain no data of a contract.
import { type Figure, type FigureSource, type FigureTable, metricName } from '../core/figures.ts';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sourceTimeoutMs = 1000; // a source that hangs must not hide the others: just then they are needed most

interface Histogram {
  counts: number[];
  sum: number;
  count: number;
}

export class Metrics {
  readonly #about: string;
  #requests = new Map<string, Map<string, Map<number, number>>>(); // service, operation, status
  #durations = new Map<string, Histogram>();
  readonly #lasting: FigureSource[];
  #sources: FigureSource[] = [];
  #before = new Map<string, number>(); // final values of the counters of closed sources

  // `about`: constant labels, such as the version. `lasting`: sources that outlive a restart of the region.
  constructor(about: Readonly<Record<string, string>>, ...lasting: FigureSource[]) {
    this.#lasting = lasting;
    this.#about = Object.entries(about)
      .map(([name, value]) => `${name}="${value}"`)
      .join(',');
  }

  request(service: string, operation: string, status: number, ms: number): void {
    const counts = this.#counts(service, operation);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    let histogram = this.#durations.get(service);
    if (!histogram) {
      histogram = { counts: buckets.map(() => 0), sum: 0, count: 0 };
      this.#durations.set(service, histogram);
    }
    const seconds = ms / 1000;
    const at = buckets.findIndex((bound) => seconds <= bound);
    if (at >= 0) histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
    histogram.sum += seconds;
    histogram.count += 1;
  }

  #counts(service: string, operation: string): Map<number, number> {
    const operations = this.#requests.get(service) ?? new Map<string, Map<number, number>>();
    if (operations.size === 0) this.#requests.set(service, operations);
    let counts = operations.get(operation);
    if (!counts) {
      counts = new Map();
      operations.set(operation, counts);
    }
    return counts;
  }

  add<Table extends FigureTable>(source: FigureSource<Table>): void {
    this.#sources.push(source);
  }

  // The region closes: its counters are kept, and those of the next start continue from them.
  async settle(): Promise<void> {
    for (const { name, figure, value } of await this.#read())
      if (figure.type === 'counter') this.#before.set(name, value);
    this.#sources = [];
  }

  async text(): Promise<string> {
    const all = [...(await this.#read()), ...(await readingsOf(this.#lasting))];
    const lines = all.flatMap(({ name, figure, value }) => [
      ...headOf(name, figure.type, figure.help),
      `${name} ${value}`,
    ]);
    return `${[...this.#ownLines(), ...lines].join('\n')}\n`;
  }

  async #read(): Promise<Reading[]> {
    const all = await readingsOf(this.#sources);
    return all.map((one) => ({ ...one, value: one.value + (this.#before.get(one.name) ?? 0) }));
  }

  #ownLines(): string[] {
    const lines = headOf('cumulet_build_info', 'gauge', 'The version of the running program.');
    lines.push(`cumulet_build_info{${this.#about}} 1`);
    lines.push(...headOf('cumulet_requests_total', 'counter', 'Calls answered, by service, operation and status.'));
    for (const [service, operations] of this.#requests)
      for (const [operation, counts] of operations)
        for (const [status, value] of counts)
          lines.push(
            `cumulet_requests_total{service="${service}",operation="${operation}",status="${status}"} ${value}`,
          );
    lines.push(...headOf('cumulet_request_seconds', 'histogram', 'Duration of calls in seconds.'));
    for (const [service, histogram] of this.#durations) {
      let sum = 0;
      for (const [at, bound] of buckets.entries()) {
        sum += histogram.counts[at] ?? 0;
        lines.push(`cumulet_request_seconds_bucket{service="${service}",le="${bound}"} ${sum}`);
      }
      lines.push(`cumulet_request_seconds_bucket{service="${service}",le="+Inf"} ${histogram.count}`);
      lines.push(`cumulet_request_seconds_sum{service="${service}"} ${histogram.sum}`);
      lines.push(`cumulet_request_seconds_count{service="${service}"} ${histogram.count}`);
    }
    return lines;
  }
}

const headOf = (name: string, type: string, help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

interface Reading {
  name: string;
  figure: Figure;
  value: number;
}

const readingsOf = async (sources: readonly FigureSource[]): Promise<Reading[]> =>
  (await Promise.all(sources.map(readingsOfOne))).flat();

async function readingsOfOne({ of, table, read }: FigureSource): Promise<Reading[]> {
  const { promise: late, resolve } = Promise.withResolvers<Record<string, number>>();
  const timer = setTimeout(resolve, sourceTimeoutMs, {});
  const reading = Promise.try(read).catch(() => ({}));
  const values: Readonly<Record<string, number | undefined>> = await Promise.race([reading, late]);
  clearTimeout(timer);
  return Object.entries(table).flatMap(([key, figure]) => {
    const value = values[key];
    return value === undefined ? [] : [{ name: metricName(of, key, figure), figure, value }];
  });
}
