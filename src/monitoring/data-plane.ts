// The data plane: the threads of the engine, the endpoints for pushes and queries, and the reconcilers for retention
// and maintenance.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { EngineHome } from '../core/nodes/engine-home.ts';
import { HomeJobs } from '../core/nodes/home-jobs.ts';
import type { Reconciler } from '../core/reconciler.ts';
import type { Resource } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import type { Route, Service } from '../surface/http/exchange.ts';
import { keptBy } from '../surface/http/forward.ts';
import { everyPipeline, keysOf } from '../surface/pipelines/key-check.ts';
import type { Regions } from '../surface/product.ts';
import { findRegional } from '../surface/regional-dialect/find.ts';
import type { Alerts } from './alerts/alerts.ts';
import { central, enabledCentrals, findCentral } from './central.ts';
import { ingestService } from './ingest.ts';
import { scope } from './names.ts';
import { defaultRetentionDays, metricPipelines, pipeline } from './pipeline.ts';
import { type QueryTools, queryRoutes } from './query-api.ts';
import { MetricThreads } from './threads/threads.ts';

export interface DataPlaneOptions {
  store: Store;
  clock: Clock;
  log: Log;
  address: string; // of the engine
  regions: Regions;
  home: EngineHome;
}

export interface DataPlane {
  threads: MetricThreads;
  drops: HomeJobs<undefined>; // deletes all metrics of a tenant, by its id
  service(alerts: Alerts): Service; // the pipelines' own endpoints
  routes: Route[]; // queries with a token, in the management API
  reconcilers: Reconciler[];
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export function openDataPlane({ store, clock, log, address, regions, home }: DataPlaneOptions): DataPlane {
  const threads = new MetricThreads({ address, log });
  const tools = { threads, now: clock.now };
  const drops = new HomeJobs<undefined>({
    store,
    home,
    name: `${scope}-drop`,
    everyMs: 10_000,
    isAwaited: false,
    work: (_, tenant) => threads.drop(tenant),
  });
  const service = (alerts: Alerts): Service => {
    const ingest = ingestService({ ...tools, keys: keysOf(store, metricPipelines), real: clock.real, alerts });
    return { ...ingest, routes: keptBy(home, ingest.routes) };
  };
  return {
    threads,
    service,
    drops,
    routes: keptBy(home, tokenRoutes(store, tools, regions)),
    reconcilers: [
      drops.reconciler(),
      { name: 'metric-blocks', everyMs: 60_000, everywhere: true, run: () => tidy(threads) },
      { name: 'metric-retention', everyMs: hourMs, home, run: () => prune(store, threads, clock.now()) },
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

// Works in slices, with pauses for pushes and other work on the same core.
async function tidy(threads: MetricThreads): Promise<void> {
  if (threads.isRunning) while (await threads.tidy()) await new Promise((resolve) => setTimeout(resolve, restMs));
}

async function prune(store: Store, threads: MetricThreads, now: number): Promise<void> {
  for await (const { id, retentionInDays } of everyPipeline(store, metricPipelines))
    await threads.prune(id, now - retentionInDays * dayMs);
  for await (const { id } of enabledCentrals(store)) await threads.prune(id, now - defaultRetentionDays * dayMs);
}
