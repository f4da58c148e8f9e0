// The write side: each push is decoded here and forwarded as remote write 1.0, with its pipeline as a label. It is
// acknowledged when the server has acknowledged it.

import { UnreadablePush } from '../../../core/push/push-body.ts';
import { encodeRemoteWrite, type Pushable, remoteWriteHeaders } from '../../push/remote-write/encode.ts';
import type { Push, Sink } from '../../push/sink.ts';
import type { Described } from '../../series.ts';
import type { MetricWriter, Pushed, PushJob } from '../engine.ts';
import type { MetricFigures } from '../figures.ts';
import { CollectingSink } from './collecting-sink.ts';
import { describedLabel, describedName, selectorOf, withPipeline } from './pipeline-label.ts';
import { type Server, shortened } from './server.ts';

// Metadata is sent again after this time, so that readers find it among recent samples.
export const describeAgainMs = 6 * 3_600_000;

const deleting = 'api/v1/admin/tsdb/delete_series';

interface Pipeline {
  account: string;
  seen: Set<string>; // its series
  described: Map<string, { text: string; at: number }>;
}

export class RemoteWriter implements MetricWriter {
  readonly #server: Server;
  readonly #decode: (push: Push, sink: Sink) => void;
  readonly #warn: (message: string) => void;
  readonly #warned = new Set<string>();
  readonly #pipelines = new Map<string, Pipeline>();
  readonly #figures = { pushes: 0, samples: 0, refusedPushes: 0 };

  constructor(server: Server, decode: (push: Push, sink: Sink) => void, warn: (message: string) => void) {
    this.#server = server;
    this.#decode = decode;
    this.#warn = warn;
  }

  // Pushes of a pipeline are sent one after the other, so that the last push wins.
  async append(jobs: readonly PushJob[]): Promise<Pushed[]> {
    const outcomes = new Array<Pushed>(jobs.length);
    const byTenant = Map.groupBy(jobs.entries(), ([, { tenant }]) => tenant);
    const sent = [...byTenant.values()].map(async (own) => {
      for (const [at, job] of own) outcomes[at] = await this.#send(job);
    });
    await Promise.all(sent);
    return outcomes;
  }

  async #send({ tenant, account, push, limits }: PushJob): Promise<Pushed> {
    const pipeline = this.#pipelineOf(tenant, account);
    const collected = new CollectingSink(limits, pipeline.seen, this.#seriesBeside(pipeline));
    try {
      this.#decode(push, collected);
    } catch (error) {
      if (!(error instanceof UnreadablePush)) throw error;
      const kind = error.tooLarge ? 'oversized' : 'unreadable';
      return { samples: 0, rejected: 0, reasons: [], fault: { kind, message: error.message } };
    }
    const news = newsOf(pipeline, collected.described, push.receivedMs);
    const series: Pushable[] = collected.series().map((one) => ({ ...one, labels: withPipeline(one.labels, tenant) }));
    for (const one of news) series.push(descriptionOf(tenant, one, push.receivedMs));
    const { status, text } = await this.#push(series, news);
    this.#figures.pushes += 1;
    if (status >= 300) {
      this.#figures.refusedPushes += 1;
      return collected.refused(`the metric server answered ${status}: ${shortened(text)}`);
    }
    for (const one of news) pipeline.described.set(one.name, { text: textOf(one), at: push.receivedMs });
    const outcome = collected.kept();
    this.#figures.samples += outcome.samples;
    return outcome;
  }

  async #push(series: Pushable[], described: Described[]): Promise<{ status: number; text: string }> {
    if (series.length === 0) return { status: 204, text: '' };
    const body = encodeRemoteWrite(series, described);
    return this.#server.push(new Uint8Array(body), remoteWriteHeaders);
  }

  #pipelineOf(tenant: string, account: string): Pipeline {
    let pipeline = this.#pipelines.get(tenant);
    if (!pipeline) {
      pipeline = { account, seen: new Set(), described: new Map() };
      this.#pipelines.set(tenant, pipeline);
    }
    return pipeline;
  }

  #seriesBeside(pipeline: Pipeline): number {
    const others = this.#pipelines.values().filter((one) => one.account === pipeline.account && one !== pipeline);
    return others.reduce((sum, { seen }) => sum + seen.size, 0);
  }

  // Some servers lack this call, or delete only whole series: there, their own retention applies.
  async prune(tenant: string, beforeMs: number): Promise<void> {
    this.#pipelines.get(tenant)?.seen.clear();
    const parameters: [string, string][] = [
      ['match[]', selectorOf(tenant, [])],
      ['start', '0'],
      ['end', (beforeMs / 1000 - 0.001).toFixed(3)],
    ];
    const { status, text } = await this.#server.post(deleting, parameters);
    if (status >= 300)
      this.#warnOnce(`the metric server does not delete old samples before its own retention:  ${shortened(text)}`);
  }

  async drop(tenant: string): Promise<void> {
    this.#pipelines.delete(tenant);
    for (const selector of [selectorOf(tenant, []), `{${describedLabel}=${JSON.stringify(tenant)}}`]) {
      const { status, text } = await this.#server.post(deleting, [['match[]', selector]]);
      if (status >= 300) this.#warnOnce(`the metric server does not delete ${selector}: ${shortened(text)}`);
    }
  }

  #warnOnce(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#warn(message);
  }

  async tidy(): Promise<boolean> {
    return false;
  }

  async figures(): Promise<MetricFigures> {
    return { ...this.#figures };
  }

  async close(): Promise<void> {
    this.#pipelines.clear();
  }
}

const textOf = ({ type, help, unit }: Described): string => JSON.stringify([type, help, unit]);

// Returns metadata that was not sent to the server recently.
function newsOf({ described }: Pipeline, given: readonly Described[], nowMs: number): Described[] {
  const isNews = (one: Described): boolean => {
    const before = described.get(one.name);
    return before?.text !== textOf(one) || nowMs - before.at >= describeAgainMs;
  };
  return [...new Map(given.filter(isNews).map((one) => [one.name, one])).values()];
}

function descriptionOf(tenant: string, { name, type, help, unit }: Described, timeMs: number): Pushable {
  const labels: [string, string][] = [
    ['__name__', describedName],
    [describedLabel, tenant],
    ['help', help.slice(0, 1024)],
    ['name', name],
    ['type', type],
    ['unit', unit.slice(0, 64)],
  ];
  return { labels: labels.filter(([, value]) => value !== ''), times: [timeMs], values: [1] };
}
