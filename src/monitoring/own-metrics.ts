// With central monitoring on, the platform's products push their own metrics into the contract's central pipeline, once
// a minute. Pushing a minute again gives the same samples, so the last minute is only remembered in memory.
import { minuteMs, type NumberSource } from '../core/own-numbers.ts';
import type { Reconciler } from '../core/reconciler.ts';
import type { Store } from '../core/store.ts';
import type { MetricOwner, PushSeries } from './alerts/ports.ts';
import { enabledCentrals } from './central.ts';
import type { SeriesData } from './series.ts';

export interface OwnNumbersOptions {
  store: Store;
  now: () => number;
  sources: () => readonly NumberSource[];
  push: PushSeries;
}

const mostMinutes = 60; // back, after the clock was moved or nobody was there
const atOnce = 2000; // series

export function ownNumberPushes(options: OwnNumbersOptions): Reconciler {
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
  { sources, push }: OwnNumbersOptions,
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
