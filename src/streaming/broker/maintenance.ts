// The broker's periodic jobs. Each job runs alone, and again some time after it has finished; a failed job is logged
// and repeated.
import type { Log } from '../../base/log.ts';
import type { Cluster } from './handlers/handler.ts';
import { compact, isCompactionDue } from './log/compaction.ts';
import type { PartitionLog } from './log/partition-log.ts';
import { enforceRetention, enforceStorage } from './log/retention.ts';

export interface Job {
  name: string;
  everyMs: number;
  run(): Promise<void>;
}

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

async function flush(cluster: Cluster): Promise<void> {
  await forEachLog(cluster, 'flush', (log) => log.sync());
  await cluster.topics.reopenFailed((error) => cluster.log.error('broker: a log cannot be reopened', { error }));
  await cluster.state.sync();
}

export async function clean(cluster: Cluster): Promise<void> {
  const { clock, topics, storageBytes } = cluster;
  const { settings, nodes } = cluster;
  const producerIdleMs = settings.number('producer.id.expiration.ms', nodes.controller);
  await forEachLog(cluster, 'retention', async (log) => {
    log.producers.prune(clock.real() - producerIdleMs, log.startOffset);
    await enforceRetention(log, clock.now());
    for (const segment of log.segments.slice(0, -1)) await segment.closeIdle(clock.real() - handleIdleMs);
  });
  await enforceStorage(topics.partitions.map(({ log }) => log).filter(isUsable), storageBytes);
}

export async function compactAll(cluster: Cluster): Promise<void> {
  const { clock } = cluster;
  await forEachLog(cluster, 'compaction', async (log) => {
    if (log.config.isCompacted && isCompactionDue(log, clock.now())) await compact(log, clock.now());
  });
}

const isUsable = ({ isClosed, failure }: PartitionLog): boolean => !isClosed && !failure;

// A failing log does not stop the others.
async function forEachLog(
  { topics, log: logger }: Cluster,
  job: string,
  work: (log: PartitionLog) => Promise<void>,
): Promise<void> {
  for (const { topic, index, log } of topics.partitions) {
    if (!isUsable(log)) continue;
    await work(log).catch((error: unknown) => {
      if (!log.isClosed) logger.error(`broker: ${job} failed`, { topic: topic.name, partition: index, error });
    });
  }
}

export interface RunningJobs {
  run(name: string): Promise<void>; // runs it now, in addition to its timer; never twice at a time
  stop(): Promise<void>; // waits for running jobs
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
