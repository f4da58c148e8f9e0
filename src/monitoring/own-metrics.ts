// With central monitoring enabled, the platform's products push their own metrics into the contract's central pipeline
// once a minute. Pushing a minute again gives the same samples, so the last minute is kept only in memory.
import type { Reconciler } from '../core/reconciler.ts';
import { type MetricSource, minuteMs } from '../core/resource-metrics.ts';
import type { Store } from '../core/store.ts';
import type { MetricOwner, PushSeries } from './alerts/ports.ts';
import { enabledCentrals } from './central.ts';
import type { SeriesData } from './series.ts';

export interface ResourceMetricsOptions {
  store: Store;
  now: () => number;
  sources: () => readonly MetricSource[];
  push: PushSeries;
}

const mostMinutes = 60; // limit for catching up after a moved clock or a stop
const atOnce = 2000; // series per push

export function resourceMetricPushes(options: ResourceMetricsOptions): Reconciler {
  const pushedUntil = new Map<string, number>();
  return {
    name: 'own-numbers',
    everyMs: 10_000,
    async run() {
      const last = Math.floor(options.now() / minuteMs) * minuteMs;
      for await (const { id, contract, region } of enabledCentrals(options.store)) {
        const after = pushedUntil.get(id) ?? last - minuteMs;
        const first = Math.max(after + minuteMs, last - (mostMinutes - 1) * minuteMs);
        if (first > last) continue;
        const ends = Array.from({ length: (last - first) / minuteMs + 1 }, (_, at) => first + at * minuteMs);
        await pushAll(options, { id, contract }, region, ends);
        pushedUntil.set(id, last);
      }
    },
  };
}

async function pushAll(
  { sources, push }: ResourceMetricsOptions,
  owner: MetricOwner,
  region: string,
  ends: readonly number[],
): Promise<void> {
  let waiting: SeriesData[] = [];
  for (const source of sources())
    for await (const { name, labels, values } of source(owner.contract, region, ends)) {
      const known = ends.flatMap((end, at) => (values[at] === undefined ? [] : [[end, values[at]] as const]));
      if (known.length === 0) continue;
      const pairs = Object.entries({ ...labels, __name__: name }).filter(([, value]) => value !== '');
      waiting.push({
        labels: pairs.sort(([a], [b]) => (a < b ? -1 : 1)),
        times: Float64Array.from(known, ([end]) => end),
        values: Float64Array.from(known, ([, value]) => value),
      });
      if (waiting.length < atOnce) continue;
      await push(owner, waiting);
      waiting = [];
    }
  if (waiting.length > 0) await push(owner, waiting);
}
