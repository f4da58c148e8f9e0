// Puts event streaming together: the management of clusters and topics, and the engine that runs the brokers.
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { GatheredUsage } from '../core/metering/gathered-usage.ts';
import { HomeJobs } from '../core/nodes/home-jobs.ts';
import type { Row } from '../core/state/engine.ts';
import { keptBy } from '../surface/http/forward.ts';
import {
  advertisedBrokers,
  consoleParts,
  consoleRoutes,
  labBrokers,
  logSources,
  metricSources,
  type Ports,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { BrokerLog } from './broker-log.ts';
import { BrokerAssignment } from './clusters/broker-assignment.ts';
import { everyCluster } from './clusters/cluster-rows.ts';
import { clusterWork, reachBrokers } from './clusters/cluster-work.ts';
import { brokerLab } from './clusters/lab-brokers.ts';
import { Supervisor } from './clusters/supervisor.ts';
import { syncTopics } from './clusters/topic-sync.ts';
import { inspectionRoutes } from './console/routes.ts';
import { ownParts } from './console-parts.ts';
import { listDamage } from './engine/embedded/check.ts';
import { openStreamingEngine } from './engine/open.ts';
import { clusterNumbers } from './figures/cluster-metrics.ts';
import { metricsRoute } from './figures/metrics-route.ts';
import { Readings } from './figures/readings.ts';
import { streamingFigures } from './figures/table.ts';
import { writeUsage } from './figures/usage.ts';
import { streamingResources, streamingService } from './index.ts';
import type { StreamingSettings } from './settings.ts';
import type { Job } from './tools.ts';

export async function openStreaming(context: Context, ports: Ports, settings: StreamingSettings): Promise<Product> {
  ports.add(consoleParts, ownParts);
  const { store, model, clock, log, secrets, dataFolder } = context;
  if (settings.advertised) ports.fill(advertisedBrokers, settings.advertised);
  const brokerLog = new BrokerLog(store, log, clock.now);
  ports.add(logSources, brokerLog);
  const folder = join(dataFolder, 'streaming');
  const engine = await openStreamingEngine({
    address: settings.engine === 'here' ? 'embedded' : settings.engine,
    folder,
    flushMs: settings.flushMs,
    clock,
    log,
    clusterLog: (id) => brokerLog.of(id),
  });
  const takes = settings.engine === 'here';
  const home = context.homes.add({
    name: 'streaming',
    data: 'brokers',
    isShared: engine.outside !== undefined,
    engine: engine.outside ? 'kafka://…' : settings.engine, // each node has its own list
    takes,
  });
  const { seal } = secrets;
  const running = new Set<string>();
  const onFallback = (): void =>
    log.warn('only 127.0.0.1 can be bound on loopback: the brokers of a cluster use free ports of it');
  const assignment = new BrokerAssignment({ store, engine, log, addresses: { ...settings, onFallback } });
  const supervisor = new Supervisor({ store, engine, seal, log, running });
  const jobs = new HomeJobs({
    store,
    home,
    name: 'streaming-job',
    everyMs: 1000,
    isAwaited: true,
    work: clusterWork({ store, engine, seal, assignment, running }),
  });
  // This node does not know whether the brokers of another node are running.
  const isServing = (id: string): boolean => home.isOnOtherNode || supervisor.isServing(id);
  const perform = (job: Job): Promise<void> => jobs.perform(`${job.verb} ${job.path}`, job);
  const tools = {
    assignment,
    jobs: { perform },
    isServing,
    seal,
    realNow: clock.real,
  };
  const reach = (cluster: Row): Promise<void> => reachBrokers({ engine, seal, running }, cluster);
  // On other nodes the rows are as old as the last sync; if the brokers do not answer, they stay unchanged.
  const sync = async (cluster: Row): Promise<boolean> => {
    if (!home.isHere || cluster.state === 'DELETING') return false;
    try {
      await reach(cluster);
      return await syncTopics({ store, engine, now: clock.now }, cluster);
    } catch (error) {
      if (error instanceof Fault && error.kind === 'unavailable') return false;
      throw error;
    }
  };
  const readings = new Readings(store, engine, (id) => home.isHere && running.has(id));
  const usage = new GatheredUsage(store, clock.now);
  ports.add(metricSources, clusterNumbers(readings));
  ports.fill(labBrokers, brokerLab({ store, engine, home }));
  const metrics = keptBy(home, [metricsRoute(context, engine, reach)]);
  for (const route of keptBy(home, inspectionRoutes({ machinery: context, engine }))) ports.add(consoleRoutes, route);
  const atHome = { home, everywhere: true };
  let starting: Promise<void> = Promise.resolve();
  return {
    resources: model.add(streamingResources, tools),
    services: () => [streamingService(context, tools, { sync, more: metrics })],
    reconcilers: [
      {
        ...atHome,
        name: 'streaming-clusters',
        everyMs: 5000,
        run: () => supervisor.run(),
        leave: () => supervisor.leave(),
      },
      jobs.reconciler(),
      {
        ...atHome,
        name: 'streaming-topics',
        everyMs: 10_000,
        async run() {
          for await (const cluster of everyCluster(store)) await sync(cluster);
        },
      },
      { ...atHome, name: 'streaming-retention', everyMs: 60_000, run: () => engine.tidy() },
      { ...atHome, name: 'streaming-usage', everyMs: 60_000, run: () => writeUsage(readings, usage) },
    ],
    figures: [{ of: 'cumulet_streaming', table: streamingFigures, read: () => readings.figures() }],
    damage: () => (engine.outside ? [] : listDamage(folder)),
    async start() {
      if (home.isHere)
        starting = supervisor.run().catch((error: unknown) => log.error('clusters cannot be started', { error }));
    },
    async close() {
      await writeUsage(readings, usage).catch((error: unknown) => log.warn('usage is lost', { error }));
      await Promise.all([engine.close(), starting]); // a start that takes long ends with its engine
    },
  };
}
