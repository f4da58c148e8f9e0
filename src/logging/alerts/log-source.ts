// Makes log pipelines available to alert rules: metric queries of LogQL, evaluated in the reader threads.
import { Fault } from '../../base/fault.ts';
import type { Store } from '../../core/store.ts';
import { LostCall } from '../../core/threads/worker-pool.ts';
import { pipelineFinder } from '../../surface/alerting/pipelines.ts';
import { samplesIn } from '../../surface/alerting/samples.ts';
import { type AlertSource, HeavyRule, RuleError } from '../../surface/alerting/source.ts';
import type { Regions } from '../../surface/product.ts';
import { centralId } from '../central.ts';
import { logPipelines, privilege } from '../pipeline.ts';
import type { LogStore } from '../store.ts';
import type { LogAnswer } from '../threads/question.ts';

const mostBytes = 4 * 1024 * 1024; // of the result of a rule, which the main thread reads
const timedOut = 504;

export interface LogSourceOptions {
  store: Store;
  regions: Pick<Regions, 'all'>;
  logs: Pick<LogStore, 'ask'>;
  dashboardUrl(contract: number, region: string): string;
}

export const logSource = ({ store, regions, logs, dashboardUrl }: LogSourceOptions): AlertSource => ({
  name: 'logging',
  privilege,
  language: {
    module: new URL('./expression.ts', import.meta.url).href,
    example: 'count_over_time({tag="app"} |= "error" [5m]) > 10',
    records: false,
  },
  ...pipelineFinder({ source: 'logging', store, regions, kind: logPipelines, centralId, privilege }),
  dashboardUrl,
  query: logQuery(logs),
});

export const logQuery =
  (logs: Pick<LogStore, 'ask'>): AlertSource['query'] =>
  async ({ id: tenant, contract }, query, timeMs) => {
    const time = BigInt(Math.trunc(timeMs)) * 1_000_000n;
    const parameters = new URLSearchParams({ query, time: String(time) }).toString();
    const question = { tenant, path: 'query', parameters, nowMs: timeMs };
    try {
      const answer = await logs.ask(question, { group: `rules of ${contract}` });
      const text = await textOf(answer);
      if (answer.status === 200) return samplesIn(text);
      throw new (answer.status === timedOut ? HeavyRule : RuleError)(text.trim());
    } catch (error) {
      if (error instanceof LostCall && error.reason !== 'other') throw new HeavyRule(tooHeavy[error.reason]);
      throw error instanceof Fault ? new RuleError(error.message) : error;
    }
  };

const tooHeavy = {
  deadline: 'query timed out: it ran for too long',
  memory: 'query processing would need too much memory',
};

async function textOf({ body }: LogAnswer): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > mostBytes) throw new RuleError(`the result of a rule exceeds ${mostBytes / 1024 / 1024} MB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
