// What the broker does by itself from time to time. Each job runs alone and again some time after its end; one that
// fails is logged and tried again.
import type { Log } from '../../base/log.ts';
import type { Cluster } from './handlers/handler.ts';
import { compact, isCompactionDue } from './log/compaction.ts';
import { enforceRetention, enforceStorage } from './log/retention.ts';

export interface Job {
  name: string;
  everyMs: number;
  run(): Promise<void>;
}

const producerIdleMs = 86_400_000;
const handleIdleMs = 60_000;

export function jobsOf(cluster: Cluster, flushMs: number): Job[] {
  return [
    { name: 'flush', everyMs: flushMs, run: () => flush(cluster) },
    { name: 'transactions', everyMs: 1_000, run: () => cluster.transactions.expire() },
    { name: 'retention', everyMs: 10_000, run: () => clean(cluster) },
    { name: 'compaction', everyMs: 15_000, run: () => compactAll(cluster) },
    { name: 'groups', everyMs: 60_000, run: () => cluster.groups.expire() },
  ];
}

async function flush({ topics, state }: Cluster): Promise<void> {
  await state.sync();
  for (const { log } of topics.partitions) if (!log.isClosed && !log.failure) await log.sync();
  await topics.reopenFailed();
}

export async function clean({ topics, clock, storageBytes }: Cluster): Promise<void> {
  const logs = topics.partitions.map(({ log }) => log).filter(({ isClosed, failure }) => !isClosed && !failure);
  for (const log of logs) {
    log.producers.prune(clock.now() - producerIdleMs, log.startOffset);
    await enforceRetention(log, clock.now());
    for (const segment of log.segments.slice(0, -1)) await segment.closeIdle(clock.real() - handleIdleMs);
  }
  await enforceStorage(logs, storageBytes);
}

export async function compactAll({ topics, clock }: Cluster): Promise<void> {
  const logs = topics.partitions.map(({ log }) => log).filter(({ isClosed, failure }) => !isClosed && !failure);
  for (const log of logs)
    if (log.config.isCompacted && isCompactionDue(log, clock.now())) await compact(log, clock.now());
}

export interface RunningJobs {
  run(name: string): Promise<void>; // now, besides its timer; never beside itself
  stop(): Promise<void>; // what runs is waited for
}

export function startJobs(jobs: Job[], log: Log): RunningJobs {
  let isStopped = false;
  const timers = new Map<string, NodeJS.Timeout>();
  const running = new Map<string, Promise<void>>();
  const plan = ({ name, everyMs }: Job): void => {
    const timer = setTimeout(() => void run(name), everyMs);
    timer.unref();
    timers.set(name, timer);
  };
  const run = async (name: string): Promise<void> => {
    const job = jobs.find((one) => one.name === name);
    await running.get(name);
    if (!job || isStopped) return;
    clearTimeout(timers.get(name));
    const work = job
      .run()
      .catch((error: unknown) => log.error(`broker: ${name} failed`, { error }))
      .finally(() => {
        running.delete(name);
        if (!isStopped) plan(job);
      });
    running.set(name, work);
    await work;
  };
  for (const job of jobs) plan(job);
  return {
    run,
    async stop() {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(running.values());
    },
  };
}
