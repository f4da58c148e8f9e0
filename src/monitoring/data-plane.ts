// The data plane: the threads of the engine, the endpoints for pushes and queries, and the reconcilers for retention
// and maintenance.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { EngineHome } from '../core/nodes/engine-home.ts';
import type { Reconciler } from '../core/reconciler.ts';
import type { Resource } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import type { Route, Service } from '../surface/http/exchange.ts';
import { everyPipeline, keysOf } from '../surface/pipelines/key-check.ts';
import { dropLeft, leaveDrop } from '../surface/pipelines/left-drops.ts';
import type { Regions } from '../surface/product.ts';
import { findRegional } from '../surface/regional-dialect/find.ts';
import type { Alerts } from './alerts/alerts.ts';
import { central, enabledCentrals, findCentral } from './central.ts';
import { ingestService } from './ingest.ts';
import { scope } from './names.ts';
import { defaultRetentionDays, metricPipelines, pipeline } from './pipeline.ts';
import { type Elsewhere, type QueryTools, queryRoutes } from './query-api.ts';
import { MetricThreads } from './threads/threads.ts';
import type { MetricPort } from './tools.ts';

export interface DataPlaneOptions {
  store: Store;
  clock: Clock;
  log: Log;
  address: string; // of the engine
  regions: Regions;
  home: EngineHome | undefined; // of an embedded engine; a remote one is shared by all nodes
}

export interface DataPlane {
  threads: MetricThreads;
  atHome(reconciler: Reconciler): Reconciler; // runs on the node that has the metrics
  port: MetricPort;
  service(alerts: Alerts): Service; // the pipelines' own endpoints
  routes: Route[]; // queries with a token, on the management side
  reconcilers: Reconciler[];
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export function openDataPlane({ store, clock, log, address, regions, home }: DataPlaneOptions): DataPlane {
  const threads = new MetricThreads({ address, log });
  const isHere = (): boolean => home?.isHere ?? true;
  const elsewhere: Elsewhere = async () => home?.elsewhere();
  const tools = { threads, now: clock.now, elsewhere };
  const service = (alerts: Alerts): Service =>
    ingestService({ ...tools, keys: keysOf(store, metricPipelines), real: clock.real, alerts });
  return {
    threads,
    service,
    atHome: (one) => (home ? { ...one, everywhere: true, run: async () => (isHere() ? one.run() : undefined) } : one),
    port: { drop: (tenant) => (isHere() ? threads.drop(tenant) : leaveDrop(store, scope, tenant)) },
    routes: tokenRoutes(store, tools, regions),
    reconcilers: [
      { name: 'metric-home', everyMs: 5000, everywhere: true, run: async () => home?.check() },
      { name: 'metric-blocks', everyMs: 60_000, everywhere: true, run: () => tidy(threads) },
      {
        name: 'metric-retention',
        everyMs: hourMs,
        everywhere: true,
        run: async () => (isHere() ? prune(store, threads, clock.now()) : undefined),
      },
      {
        name: 'metric-drops',
        everyMs: 10_000,
        everywhere: true,
        run: async () =>
          isHere() && !store.engine.exclusive ? dropLeft(store, scope, (tenant) => threads.drop(tenant)) : undefined,
      },
    ],
  };
}

const restMs = 1;
function tokenRoutes(store: Store, tools: QueryTools, regions: Regions): Route[] {
  const ofPipeline = `/pipelines/{${pipeline.name}Id}`;
  const ofCentral = `/central/{${central.name}Id}`;
  const fronts = [ofPipeline, `${ofPipeline}/prometheus`, ofCentral, `${ofCentral}/prometheus`];
  return fronts.flatMap((front) =>
    queryRoutes(tools, {
      front,
      name: `${front.startsWith(ofPipeline) ? pipeline.name : central.name}${front.endsWith('prometheus') ? '_below' : ''}`,
      async tenant(x) {
        if (front.startsWith(ofCentral)) return (await findCentral(store, regions, x)).id;
        await findRegional({ store }, x, [], pipeline as Resource, 'get');
        return (x.rows[0] as Row).id;
      },
    }),
  );
}

// In slices, with pauses between them for pushes and other work on the same core.
async function tidy(threads: MetricThreads): Promise<void> {
  if (threads.isRunning) while (await threads.tidy()) await new Promise((resolve) => setTimeout(resolve, restMs));
}

async function prune(store: Store, threads: MetricThreads, now: number): Promise<void> {
  for await (const { id, retentionInDays } of everyPipeline(store, metricPipelines))
    await threads.prune(id, now - retentionInDays * dayMs);
  for await (const { id } of enabledCentrals(store)) await threads.prune(id, now - defaultRetentionDays * dayMs);
}
