// How rules reach the metrics of a pipeline: by the same queries and pushes as clients.
import { Fault } from '../../base/fault.ts';
import { pushLimits } from '../ingest.ts';
import { encodeRemoteWrite } from '../push/remote-write/encode.ts';
import type { MetricThreads } from '../threads/threads.ts';
import type { AlertMetrics } from './ports.ts';

const dayMs = 86_400_000;
const mostBytes = 4 * 1024 * 1024; // of the result of a rule, which the main thread reads

export const alertMetrics = (threads: Pick<MetricThreads, 'query' | 'push'>, now: () => number): AlertMetrics => ({
  query: ({ id: tenant, contract }, path, parameters) =>
    threads.query(
      { tenant, path, parameters: parameters.toString(), nowMs: now(), mostBytes },
      { group: `rules of ${contract}` },
    ),
  async push({ id: tenant, contract }, series) {
    const time = now();
    const body = new Uint8Array(encodeRemoteWrite(series)); // a copy: it is given away
    const push = { format: 'remote-write-1', coding: 'snappy', body, receivedMs: time } as const;
    const limits = { ...pushLimits, oldestMs: time - dayMs, newestMs: time + dayMs };
    const { fault, rejected, reasons } = await threads.push({ tenant, account: String(contract), push, limits });
    if (fault) throw new Fault('unavailable', fault.message);
    if (rejected > 0) throw new Fault('refused', `${rejected} samples were not taken: ${reasons.join('; ')}`);
  },
});
