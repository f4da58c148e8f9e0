// The read side: raw samples by instant queries of range selectors, which all such servers support; they only differ in
// whether the range includes its start, so a little more is queried and filtered here.

import { byLabels } from '../../label-order.ts';
import { type Described, type Labels, type MetricType, metricTypes, type SeriesData } from '../../series.ts';
import type { MetricReader, Selection } from '../engine.ts';
import { describedLabel, describedName, isOurs, labelsFrom, pipelineLabel, selectorOf } from './pipeline-label.ts';
import type { Parameters, Server } from './server.ts';
import { describeAgainMs } from './writer.ts';

const longestRangeMs = 100 * 366 * 86_400_000;

interface RawSeries {
  metric: Record<string, string>;
  values: [time: number, value: string][];
}

export class RemoteReader implements MetricReader {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  async select({ tenant, matchers, fromMs, toMs }: Selection): Promise<SeriesData[]> {
    const range = Math.min(longestRangeMs, Math.max(1, toMs - fromMs + 1));
    const found = await this.#raw(`${selectorOf(tenant, matchers)}[${range}ms]`, toMs);
    return found
      .map(({ metric, values }) => seriesFrom(labelsFrom(metric), values, fromMs, toMs))
      .filter(({ times }) => times.length > 0)
      .sort(byLabels);
  }

  async #raw(query: string, atMs?: number): Promise<RawSeries[]> {
    const parameters: Parameters = [['query', query]];
    if (atMs !== undefined) parameters.push(['time', secondsOf(atMs)]);
    const data = (await this.#server.data(this.#server.post('api/v1/query', parameters))) as { result?: RawSeries[] };
    return data.result ?? [];
  }

  async series(selections: readonly Selection[]): Promise<Labels[]> {
    const found = (await this.#query('series', selections)) as Record<string, string>[];
    return found.map(labelsFrom);
  }

  async names(selections: readonly Selection[]): Promise<string[]> {
    const found = (await this.#query('labels', selections)) as string[];
    // A server may list label names that all series have, even without any series.
    return found.includes(pipelineLabel) ? found.filter((name) => !isOurs(name)).sort() : [];
  }

  async values(name: string, selections: readonly Selection[]): Promise<string[]> {
    if (isOurs(name) || selections.length === 0) return [];
    const path = `api/v1/label/${encodeURIComponent(name)}/values`;
    const found = (await this.#server.data(this.#server.get(path, parametersOf(selections)))) as string[] | null;
    return (found ?? []).sort();
  }

  async #query(what: string, selections: readonly Selection[]): Promise<unknown> {
    if (selections.length === 0) return [];
    return (await this.#server.data(this.#server.post(`api/v1/${what}`, parametersOf(selections)))) ?? [];
  }

  // Returns the newest metadata of each metric.
  async described(tenant: string): Promise<Described[]> {
    const selector = `${describedName}{${describedLabel}=${JSON.stringify(tenant)}}`;
    const found = await this.#raw(`${selector}[${describeAgainMs * 4}ms]`);
    const newest = new Map<string, { at: number; described: Described }>();
    for (const { metric, values } of found) {
      const name = metric.name ?? '';
      const at = values.at(-1)?.[0] ?? 0;
      if ((newest.get(name)?.at ?? -1) <= at) newest.set(name, { at, described: describedFrom(name, metric) });
    }
    return [...newest.values()].map(({ described }) => described).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async close(): Promise<void> {}
}

function parametersOf(selections: readonly Selection[]): Parameters {
  const parameters: Parameters = selections.map(({ tenant, matchers }) => ['match[]', selectorOf(tenant, matchers)]);
  const from = Math.max(0, Math.min(...selections.map(({ fromMs }) => fromMs)));
  parameters.push(['start', secondsOf(from)], ['end', secondsOf(Math.max(...selections.map(({ toMs }) => toMs)))]);
  return parameters;
}

const secondsOf = (ms: number): string => (ms / 1000).toFixed(3);

function seriesFrom(labels: Labels, raw: [number, string][], fromMs: number, toMs: number): SeriesData {
  const kept = raw
    .map(([time, value]): [number, number] => [Math.round(time * 1000), numberFrom(value)])
    .filter(([time], at, all) => time >= fromMs && time <= toMs && time !== all[at + 1]?.[0]);
  return {
    labels,
    times: Float64Array.from(kept, ([time]) => time),
    values: Float64Array.from(kept, ([, value]) => value),
  };
}

function numberFrom(text: string): number {
  if (text.endsWith('Inf')) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}

function describedFrom(name: string, { type, help = '', unit = '' }: Record<string, string>): Described {
  return { name, type: metricTypes.find((one) => one === type) ?? ('unknown' satisfies MetricType), help, unit };
}
