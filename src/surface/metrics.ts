// What the platform measures of itself, in Prometheus' text format. No contract's data is in it.

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Histogram {
  counts: number[];
  sum: number;
  count: number;
}

export class Metrics {
  #requests = new Map<string, Map<string, Map<number, number>>>(); // service, operation, status
  #durations = new Map<string, Histogram>();
  #gauges: (() => Record<string, number>)[] = [];

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

  gauge(read: () => Record<string, number>): void {
    this.#gauges.push(read);
  }

  text(): string {
    const lines = ['# HELP cumulet_requests_total Calls answered, by service, operation and status.'];
    lines.push('# TYPE cumulet_requests_total counter');
    for (const [service, operations] of this.#requests)
      for (const [operation, counts] of operations)
        for (const [status, value] of counts)
          lines.push(
            `cumulet_requests_total{service="${service}",operation="${operation}",status="${status}"} ${value}`,
          );
    lines.push('# HELP cumulet_request_seconds How long calls took.', '# TYPE cumulet_request_seconds histogram');
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
    for (const read of this.#gauges)
      for (const [key, value] of Object.entries(read())) {
        const name = `cumulet_${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
        lines.push(`# TYPE ${name} gauge`, `${name} ${value}`);
      }
    return `${lines.join('\n')}\n`;
  }
}
