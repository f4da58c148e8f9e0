// Makes metric pipelines available to rules: they use the same queries and pushes as clients.
import { Fault } from '../../base/fault.ts';
import type { Store } from '../../core/store.ts';
import { pipelineFinder } from '../../surface/alerting/pipelines.ts';
import { samplesIn } from '../../surface/alerting/samples.ts';
import { type AlertSource, HeavyRule, RuleError } from '../../surface/alerting/source.ts';
import type { Regions } from '../../surface/product.ts';
import { centralId } from '../central.ts';
import { pushLimits } from '../ingest.ts';
import { metricPipelines, privilege } from '../pipeline.ts';
import { encodeRemoteWrite } from '../push/remote-write/encode.ts';
import type { MetricThreads } from '../threads/threads.ts';
import type { PushSeries } from './ports.ts';

const dayMs = 86_400_000;
const mostBytes = 4 * 1024 * 1024; // of the result of a rule, which the main thread reads

export interface MetricSourceOptions {
  store: Store;
  regions: Pick<Regions, 'all'>;
  threads: Pick<MetricThreads, 'query'>;
  now(): number;
  dashboardUrl(contract: number, region: string): string;
}

export const metricSource = ({ store, regions, threads, now, dashboardUrl }: MetricSourceOptions): AlertSource => ({
  name: 'monitoring',
  privilege,
  language: { module: new URL('./rules/expression.ts', import.meta.url).href, example: 'up == 0', records: true },
  ...pipelineFinder({ source: 'monitoring', store, regions, kind: metricPipelines, centralId, privilege }),
  dashboardUrl,
  async query({ id: tenant, contract }, expression, timeMs) {
    const parameters = new URLSearchParams({ query: expression, time: (timeMs / 1000).toFixed(3) }).toString();
    const question = { tenant, path: 'query', parameters, nowMs: now(), mostBytes };
    const { status, body, isTooHeavy } = await threads.query(question, { group: `rules of ${contract}` });
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
    if (status === 200) return samplesIn(text);
    const { error } = JSON.parse(text) as { error?: string };
    throw new (isTooHeavy ? HeavyRule : RuleError)(error ?? `the query failed with status ${status}`);
  },
});

export const pushSeries =
  (threads: Pick<MetricThreads, 'push'>, now: () => number): PushSeries =>
  async ({ id: tenant, contract }, series) => {
    const time = now();
    const body = new Uint8Array(encodeRemoteWrite(series)); // a copy, because it is transferred
    const push = { format: 'remote-write-1', coding: 'snappy', body, receivedMs: time } as const;
    const limits = { ...pushLimits, oldestMs: time - dayMs, newestMs: time + dayMs };
    const { fault, rejected, reasons } = await threads.push({ tenant, account: String(contract), push, limits });
    if (fault) throw new Fault('unavailable', fault.message);
    if (rejected > 0) throw new Fault('refused', `${rejected} samples were rejected: ${reasons.join('; ')}`);
  };
