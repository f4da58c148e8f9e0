// The statistics of load balancers of real machines per minute, by rule and target, for central monitoring.
import type { FigureSource } from '../../core/figures.ts';
import { counter } from '../../core/figures.ts';
import { pathOf } from '../../core/resource.ts';
import { regionOfLocation } from '../../core/resource-logs.ts';
import { type MetricSource, minuteMs, type ResourceMetric } from '../../core/resource-metrics.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { ProxyCounts, ProxyRow } from './linux/balancers/proxy-statistics.ts';

const keptMinutes = 15;
const places = ['networkloadbalancers', 'applicationloadbalancers'] as const;

const countNames = ['requests', 'errors', 'bytesIn', 'bytesOut'] as const satisfies readonly (keyof ProxyCounts)[];
const metricNames: Readonly<Record<(typeof countNames)[number], string>> = {
  requests: 'loadbalancer_requests',
  errors: 'loadbalancer_errors',
  bytesIn: 'loadbalancer_in_bytes',
  bytesOut: 'loadbalancer_out_bytes',
};

const figureTable = {
  requests: counter('Requests of HTTP and connections of TCP at load balancers of real machines.'),
  errors: counter('Those that failed or were answered with a status of 500 or above.'),
  bytesIn: counter('Bytes from clients to load balancers of real machines.'),
  bytesOut: counter('Bytes from load balancers of real machines to clients.'),
};

interface Minute extends ProxyCounts {
  responseMs: number | null;
  isHealthy: boolean | null;
}

interface Counted {
  labels: { rule_id: string; target?: string };
  last: ProxyRow;
  minutes: Map<number, Minute>; // by their ends
}

export class BalancerMetrics {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #counted = new Map<string, Map<string, Counted>>(); // by balancer, then rule and target
  readonly #totals: ProxyCounts = { requests: 0, errors: 0, bytesIn: 0, bytesOut: 0 }; // of all rules

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  readonly figures: FigureSource<typeof figureTable> = {
    of: 'cumulet_balancers',
    table: figureTable,
    read: () => ({ ...this.#totals }),
  };

  take(rows: readonly ProxyRow[]): void {
    const end = Math.ceil(this.#now() / minuteMs) * minuteMs;
    const present = new Set(rows.map(({ balancerId }) => balancerId));
    for (const id of this.#counted.keys()) if (!present.has(id)) this.#counted.delete(id);
    for (const row of rows) this.#add(row, end);
  }

  #add(row: ProxyRow, end: number): void {
    const ofBalancer = this.#counted.get(row.balancerId) ?? new Map<string, Counted>();
    this.#counted.set(row.balancerId, ofBalancer);
    const key = `${row.rule} ${row.target}`;
    const labels = { rule_id: row.rule, ...(row.target !== null && { target: row.target }) };
    const counted = ofBalancer.get(key) ?? { labels, last: row, minutes: new Map<number, Minute>() };
    const isSame = ofBalancer.has(key) && counted.last.process === row.process;
    const minute = counted.minutes.get(end) ?? { requests: 0, errors: 0, bytesIn: 0, bytesOut: 0, ...stateOf(row) };
    Object.assign(minute, stateOf(row));
    for (const name of countNames) {
      const more = Math.max(0, row[name] - (isSame ? counted.last[name] : 0));
      minute[name] += more;
      if (row.target === null) this.#totals[name] += more;
    }
    counted.minutes.set(end, minute);
    counted.last = row;
    ofBalancer.set(key, counted);
    for (const old of counted.minutes.keys()) if (old <= end - keptMinutes * minuteMs) counted.minutes.delete(old);
  }

  readonly source: MetricSource = (contract, region, ends) => this.#metricsOf(contract, region, ends);

  async *#metricsOf(contract: number, region: string, ends: readonly number[]): AsyncGenerator<ResourceMetric> {
    if (this.#counted.size === 0) return;
    for await (const datacenter of this.#store.each({ contract, place: 'datacenters' })) {
      const { location } = JSON.parse(datacenter.body) as { location: string };
      if (regionOfLocation(location) !== region) continue;
      for (const place of places)
        for await (const balancer of this.#store.each({ contract, place: `${pathOf(datacenter)}/${place}` }))
          yield* this.#valuesOf(balancer, datacenter.id, ends);
    }
  }

  *#valuesOf(balancer: Row, datacenterId: string, ends: readonly number[]): Generator<ResourceMetric> {
    const { name } = JSON.parse(balancer.body) as { name: string };
    const common = { datacenter_id: datacenterId, balancer_id: balancer.id, balancer_name: name };
    for (const { labels: own, minutes } of this.#counted.get(balancer.id)?.values() ?? []) {
      const labels = { ...common, ...own };
      const values = (of: (minute: Minute) => number | null): (number | undefined)[] =>
        ends.map((end) => {
          const minute = minutes.get(end);
          return minute && (of(minute) ?? undefined);
        });
      for (const count of countNames) yield { name: metricNames[count], labels, values: values((one) => one[count]) };
      if (own.target === undefined) continue;
      yield { name: 'loadbalancer_response_milliseconds', labels, values: values(({ responseMs }) => responseMs) };
      const health = values(({ isHealthy }) => (isHealthy === null ? null : Number(isHealthy)));
      yield { name: 'loadbalancer_target_healthy', labels, values: health };
    }
  }
}

const stateOf = ({ responseMs, isHealthy }: ProxyRow): Pick<Minute, 'responseMs' | 'isHealthy'> => ({
  responseMs,
  isHealthy,
});
