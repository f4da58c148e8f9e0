// The series that rules write back to their pipeline: ALERTS and ALERTS_FOR_STATE of each alert, and the results of
// recording rules. A series that is missing since the previous evaluation ends with a stale marker.
import { type Labels, type SeriesData, stale } from '../../series.ts';
import { merged } from '../rules/rule-group.ts';
import type { ActiveAlert, Sample } from './alert-state.ts';

export function alertSamples(active: readonly ActiveAlert[]): Sample[] {
  return active.flatMap(({ labels, state, activeAt }) => [
    { labels: merged(labels, [['alertstate', state]], [['__name__', 'ALERTS']]), value: 1 },
    { labels: merged(labels, [['__name__', 'ALERTS_FOR_STATE']]), value: Math.floor(activeAt / 1000) },
  ]);
}

export function recordSamples(name: string, added: Labels, samples: readonly Sample[]): Sample[] {
  return samples.map(({ labels, value }) => ({ labels: merged(labels, added, [['__name__', name]]), value }));
}

// Returns all series at that time, and stale markers for missing ones.
export function seriesAt(samples: readonly Sample[], before: ReadonlyMap<string, Labels>, time: number): SeriesData[] {
  const now = keyed(samples);
  const gone = [...before].filter(([key]) => !now.has(key)).map(([, labels]) => ({ labels, value: stale }));
  return [...samples, ...gone].map(({ labels, value }) => ({
    labels,
    times: Float64Array.of(time),
    values: Float64Array.of(value),
  }));
}

export const keyed = (samples: readonly Sample[]): Map<string, Labels> =>
  new Map(samples.map(({ labels }) => [JSON.stringify(labels), labels]));
