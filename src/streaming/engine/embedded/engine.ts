// The embedded engine: our own broker in separate threads, so that produce traffic does not delay the gateway, nor the
// gateway the producers. A new cluster gets the thread that has the fewest. A thread that dies of a bug is restarted
// with its clusters; their acknowledged records are on disk.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { holdFolder, releaseFolder } from '../../../base/held-folders.ts';
import type { Level, Log } from '../../../base/log.ts';
import { bodyMemoryLimit } from '../../../core/body-memory.ts';
import { WorkerPool } from '../../../core/threads/worker-pool.ts';
import type { ClusterFigures, ClusterSpec, EngineOptions, StreamingEngine, TopicFacts, TopicSpec } from '../engine.ts';
import type {
  BrokerFacts,
  ClusterInspection,
  MessagePage,
  MessageQuestion,
  NewMessage,
  Produced,
  TopicInspection,
} from '../inspection.ts';

export interface StartJob {
  spec: ClusterSpec;
  folder: string;
  flushMs: number;
  memoryBytes: number; // for requests of all clusters of the thread, and the same for answers
  clockOffsetMs: number;
}

export interface BrokerCalls {
  start(job: StartJob): Promise<void>;
  stop(id: string): Promise<void>;
  remove(job: { id: string; folder: string }): Promise<void>;
  createTopic(job: { id: string; topic: TopicSpec }): Promise<void>;
  deleteTopic(job: { id: string; name: string }): Promise<void>;
  topics(id: string): Promise<TopicFacts[]>;
  figures(id: string): Promise<ClusterFigures>;
  brokers(id: string): Promise<BrokerFacts[]>;
  setServing(job: { id: string; brokerId: number; isServing: boolean }): Promise<void>;
  inspectCluster(id: string): Promise<ClusterInspection>;
  inspectTopic(job: { id: string; name: string }): Promise<TopicInspection>;
  messages(question: MessageQuestion): Promise<MessagePage>;
  produce(message: NewMessage): Promise<Produced>;
  tidy(clockOffsetMs: number): Promise<void>;
}

// A log line that a thread sends in addition to its answers.
export interface LoggedLine {
  id: string; // of the cluster
  level: Level;
  message: string;
  fields: Record<string, unknown>;
}

interface Thread {
  pool: WorkerPool<BrokerCalls>;
  jobs: Map<string, StartJob>; // of the clusters that run in it
  deaths: number; // since it last ran for a long time
}

const mostThreads = 4;
const leastMemory = 32 * 1024 * 1024; // per thread: twice the largest answer
const revivalMs = [200, 1_000, 5_000, 30_000];

export function openEmbedded({ folder, flushMs, clock, log, clusterLog }: EngineOptions): StreamingEngine {
  let isClosed = false;
  const threads: Thread[] = [];
  const count = Math.min(mostThreads, availableParallelism());
  for (let index = 0; index < count; index++) threads.push(newThread());
  const memoryBytes = Math.max(leastMemory, bodyMemoryLimit() / 2 / count);

  function newThread(): Thread {
    const thread: Thread = {
      jobs: new Map(),
      deaths: 0,
      pool: new WorkerPool<BrokerCalls>({
        name: 'The broker',
        module: new URL('./worker.ts', import.meta.url),
        onStart: (worker) => followLog(worker, clusterLog),
        onError(error) {
          log.error('broker thread failed', { error });
          planRevival(thread);
        },
      }),
    };
    return thread;
  }

  const planRevival = (thread: Thread): void => {
    const waitMs = revivalMs[Math.min(thread.deaths++, revivalMs.length - 1)];
    setTimeout(() => void revive(thread), waitMs).unref();
  };
  // Clusters that can't be started are tried again, without touching those that run.
  const revive = async (thread: Thread): Promise<void> => {
    let isWhole = true;
    for (const job of thread.jobs.values()) {
      if (isClosed) return;
      const started = thread.pool.call('start', { ...job, clockOffsetMs: clock.offset() });
      await started.catch((error: unknown) => {
        isWhole = false;
        log.error('a cluster could not be restarted', { id: job.spec.id, error });
      });
    }
    if (!isWhole && !isClosed) planRevival(thread);
  };
  const threadOf = (id: string): Thread | undefined => threads.find(({ jobs }) => jobs.has(id));
  const leastUsed = (): Thread => threads.toSorted((a, b) => a.jobs.size - b.jobs.size)[0] as Thread;
  const folderOf = (id: string): string => join(folder, id);
  const poolOf = (id: string): WorkerPool<BrokerCalls> => (threadOf(id) ?? leastUsed()).pool;

  return {
    async start(spec) {
      const thread = threadOf(spec.id) ?? leastUsed();
      const job = { spec, folder: folderOf(spec.id), flushMs, memoryBytes, clockOffsetMs: clock.offset() };
      thread.jobs.set(spec.id, job);
      holdFolder(folder, spec.id);
      try {
        await thread.pool.call('start', job);
      } catch (error) {
        thread.jobs.delete(spec.id);
        throw error;
      }
      return {};
    },
    async stop(id) {
      const thread = threadOf(id);
      thread?.jobs.delete(id);
      await thread?.pool.call('stop', id);
    },
    async remove(id) {
      const { pool, jobs } = threadOf(id) ?? leastUsed();
      jobs.delete(id);
      await pool.call('remove', { id, folder: folderOf(id) });
      releaseFolder(folder, id);
    },
    createTopic: (id, topic) => poolOf(id).call('createTopic', { id, topic }),
    deleteTopic: (id, name) => poolOf(id).call('deleteTopic', { id, name }),
    topics: (id) => poolOf(id).call('topics', id),
    figures: (id) => poolOf(id).call('figures', id),
    inspections: {
      cluster: (id) => poolOf(id).call('inspectCluster', id),
      topic: (id, name) => poolOf(id).call('inspectTopic', { id, name }),
      messages: (question) => poolOf(question.id).call('messages', question),
      produce: (message) => poolOf(message.id).call('produce', message),
    },
    brokers: {
      list: (id) => poolOf(id).call('brokers', id),
      setServing: (id, brokerId, isServing) => poolOf(id).call('setServing', { id, brokerId, isServing }),
    },
    async tidy() {
      const busy = threads.filter(({ jobs }) => jobs.size > 0);
      await Promise.all(busy.map(({ pool }) => pool.call('tidy', clock.offset())));
      for (const thread of busy) thread.deaths = 0;
    },
    async close() {
      isClosed = true;
      await Promise.all(threads.map(({ pool }) => pool.close()));
    },
  };
}

// Uses a separate channel, because the worker's own channel carries answers.
function followLog(worker: Worker, clusterLog: (id: string) => Log): void {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', ({ id, level, message, fields }: LoggedLine) => clusterLog(id)[level](message, fields));
  port1.unref();
  worker.postMessage({ log: port2 }, [port2]);
  worker.once('exit', () => port1.close());
}
