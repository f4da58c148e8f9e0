// Event streaming as the platform sees it: management of clusters and topics, and the engine that runs the brokers.
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { GatheredUsage } from '../core/metering/gathered-usage.ts';
import type { Reconciler } from '../core/reconciler.ts';
import type { Row } from '../core/state/engine.ts';
import { consoleRoutes, labBrokers, ownLogs, ownNumbers, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { BrokerLog } from './broker-log.ts';
import { everyCluster } from './clusters/cluster-rows.ts';
import { Jobs } from './clusters/jobs.ts';
import { brokerLab } from './clusters/lab-brokers.ts';
import { Supervisor } from './clusters/supervisor.ts';
import { syncTopics } from './clusters/topic-sync.ts';
import { inspectionRoutes } from './console/routes.ts';
import { listDamage } from './engine/embedded/check.ts';
import { openStreamingEngine } from './engine/open.ts';
import { clusterNumbers } from './figures/cluster-metrics.ts';
import { metricsRoute } from './figures/metrics-route.ts';
import { Readings } from './figures/readings.ts';
import { streamingFigures } from './figures/table.ts';
import { writeUsage } from './figures/usage.ts';
import { streamingResources, streamingService } from './index.ts';

export interface StreamingSettings {
  engine: string; // embedded, here (embedded, on this node from now on), kafka+jvm:FOLDER, or kafka://…
  advertised: { host: string; port: number } | undefined; // of brokers that clients elsewhere reach
  flushMs: number;
}

const clustersReconciler = 'streaming-clusters';

export async function openStreaming(context: Context, ports: Ports, settings: StreamingSettings): Promise<Product> {
  const { store, model, clock, log, secrets, reconcilers, dataFolder } = context;
  const brokerLog = new BrokerLog(store, log, clock.now);
  ports.add(ownLogs, brokerLog);
  const folder = join(dataFolder, 'streaming');
  const engine = await openStreamingEngine({
    address: settings.engine === 'here' ? 'embedded' : settings.engine,
    folder,
    flushMs: settings.flushMs,
    clock,
    log,
    clusterLog: (id) => brokerLog.of(id),
  });
  const home = engine.elsewhere ? undefined : context.engineHome('streaming');
  const isHere = (): boolean => home?.isHere ?? true;
  const elsewhere = async (): Promise<string | undefined> => home?.elsewhere();
  const { seal } = secrets;
  const running = new Set<string>();
  const supervisor = new Supervisor({ store, engine, home, seal, log, running });
  const jobs = new Jobs({ store, engine, home, seal, running });
  // Whether the brokers of another node run is not known here.
  const isServing = (id: string): boolean => home?.isElsewhere === true || running.has(id);
  const onFallback = (): void =>
    log.warn('no loopback addresses besides 127.0.0.1 can be bound: the brokers of a cluster get free ports of it');
  const tools = { engine, jobs, isServing, addresses: { ...settings, onFallback }, seal, realNow: clock.real };
  // On other nodes the list is as old as the last sync; where the brokers do not answer, it is what it was.
  const sync = async (cluster: Row): Promise<boolean> => {
    if (!isHere() || cluster.state === 'DELETING') return false;
    try {
      return await syncTopics({ store, engine, now: clock.now }, cluster);
    } catch (error) {
      if (error instanceof Fault && error.kind === 'unavailable') return false;
      throw error;
    }
  };
  const readings = new Readings(store, engine, isHere);
  const usage = new GatheredUsage(store, clock.now);
  ports.add(ownNumbers, clusterNumbers(readings));
  ports.fill(labBrokers, brokerLab({ store, engine, elsewhere }));
  const metrics = metricsRoute(context, engine, elsewhere);
  for (const route of inspectionRoutes({ machinery: context, engine, elsewhere })) ports.add(consoleRoutes, route);
  const atHome = (one: Reconciler): Reconciler => ({
    ...one,
    everywhere: true,
    run: async () => (isHere() ? one.run() : undefined),
  });
  let starting: Promise<void> = Promise.resolve();
  return {
    name: 'streaming',
    resources: model.add(streamingResources, tools),
    services: () => [streamingService(context, tools, { sync, more: [metrics] })],
    reconcilers: [
      {
        name: clustersReconciler,
        everyMs: 5000,
        everywhere: true,
        async run() {
          await home?.check();
          await supervisor.run();
        },
      },
      atHome({
        name: 'streaming-jobs',
        everyMs: 1000,
        run: async () => (store.engine.exclusive ? undefined : jobs.runLeft()),
      }),
      atHome({
        name: 'streaming-topics',
        everyMs: 10_000,
        async run() {
          for await (const cluster of everyCluster(store)) await sync(cluster);
        },
      }),
      atHome({ name: 'streaming-retention', everyMs: 60_000, run: () => engine.tidy() }),
      atHome({
        name: 'streaming-usage',
        everyMs: 60_000,
        run: () => writeUsage(readings, usage),
      }),
    ],
    figures: [{ of: 'cumulet_streaming', table: streamingFigures, read: () => readings.figures() }],
    damage: () => (engine.elsewhere ? [] : listDamage(folder)),
    async start() {
      const lookAfterClusters = (): void => void reconcilers.nudge(clustersReconciler).catch(() => undefined);
      await home?.settle(context.addresses.node(), settings.engine === 'here', lookAfterClusters);
      starting = supervisor.run().catch((error: unknown) => log.error('clusters can not be started', { error }));
    },
    async close() {
      await writeUsage(readings, usage).catch((error: unknown) => log.warn('usage is lost', { error }));
      await Promise.all([engine.close(), starting]); // a start that takes long ends with its engine
    },
  };
}
