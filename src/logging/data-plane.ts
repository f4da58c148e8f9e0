// The data plane: the threads of the engine, the addresses for pushes and queries, and the reconcilers for retention
// and maintenance.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Seal } from '../base/seal.ts';
import type { BodyMemory } from '../core/body-memory.ts';
import type { EngineHome } from '../core/nodes/engine-home.ts';
import { HomeJobs } from '../core/nodes/home-jobs.ts';
import type { Reconciler } from '../core/reconciler.ts';
import type { Resource } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import type { Alerting } from '../surface/alerting/source.ts';
import type { Route, Service } from '../surface/http/exchange.ts';
import { forwardMessage, keptBy } from '../surface/http/forward.ts';
import type { Listener, Listening } from '../surface/http/listener.ts';
import { everyPipeline, keysOf } from '../surface/pipelines/key-check.ts';
import type { Regions } from '../surface/product.ts';
import { findRegional } from '../surface/regional-dialect/find.ts';
import { central, enabledCentrals, findCentral } from './central.ts';
import { ForwardKeys } from './forward/keys.ts';
import { forwardListener } from './forward/listener.ts';
import { messageKeeper } from './forward/message-keeper.ts';
import { ingestService } from './ingest.ts';
import { logPipelines, pipeline, scope } from './pipeline.ts';
import { Pushes } from './pushes.ts';
import { type LogQueryTools, logQueryRoutes } from './query/routes.ts';
import { pruneAll } from './retention.ts';
import type { LogStore } from './store.ts';

export interface DataPlaneOptions {
  store: Store;
  clock: Clock;
  log: Log;
  seal: Seal;
  logs: LogStore;
  regions: Regions;
  home: EngineHome;
  bodyMemory: BodyMemory;
  port: number | undefined; // port of the forward protocol
  listening(place: Listening): void;
}

export interface DataPlane {
  drops: HomeJobs<undefined>; // deletes all lines of a tenant, by its id
  service(alerting: Alerting | undefined): Service; // the pipelines' own addresses
  routes: Route[]; // queries with a token, in the management API
  listener: Listener;
  reconcilers: Reconciler[];
}

const hourMs = 3_600_000;
const restMs = 1;

export function openDataPlane(options: DataPlaneOptions): DataPlane {
  const { store, clock, log, seal, logs, regions, home, bodyMemory, port, listening } = options;
  const keys = keysOf(store, logPipelines);
  const pushes = new Pushes(logs, clock);
  const queries: LogQueryTools = { store: logs, now: clock.now };
  const drops = new HomeJobs<undefined>({
    store,
    home,
    name: `${scope}-drop`,
    everyMs: 10_000,
    isAwaited: false,
    work: (_, tenant) => logs.drop(tenant),
  });
  return {
    drops,
    service(alerting) {
      const ingest = ingestService({ keys, pushes, queries, alerting });
      return { ...ingest, routes: keptBy(home, ingest.routes) };
    },
    routes: keptBy(home, tokenRoutes(store, queries, regions)),
    listener: forwardListener({
      port,
      log,
      real: clock.real,
      listening,
      keys: new ForwardKeys({ store, keys, seal, real: clock.real }),
      bodyMemory,
      keep: messageKeeper({
        pushes,
        forward: (messageOf) => forwardMessage(messageOf, home, seal),
        seal,
        log,
        real: clock.real,
      }),
      async current(known) {
        const now = await keys.pipeline(String(known.number));
        return now?.sealedKey === known.sealedKey ? now : undefined;
      },
    }),
    reconcilers: [
      drops.reconciler(),
      { name: 'log-blocks', everyMs: 60_000, everywhere: true, run: () => tidy(logs) },
      { name: 'log-retention', everyMs: hourMs, home, run: () => prune(store, logs, clock.now()) },
    ],
  };
}

function tokenRoutes(store: Store, queries: LogQueryTools, regions: Regions): Route[] {
  return [
    ...logQueryRoutes(queries, {
      front: `/pipelines/{${pipeline.name}Id}`,
      name: pipeline.name,
      async tenant(x) {
        await findRegional({ store }, x, [], pipeline as Resource, 'get');
        return (x.rows[0] as Row).id;
      },
    }),
    ...logQueryRoutes(queries, {
      front: `/central/{${central.name}Id}`,
      name: central.name,
      tenant: async (x) => (await findCentral(store, regions, x)).id,
    }),
  ];
}

// Works in slices, with pauses for pushes and other work on the same core.
async function tidy(logs: LogStore): Promise<void> {
  if (logs.isRunning) while (await logs.tidy()) await new Promise((resolve) => setTimeout(resolve, restMs));
}

async function prune(store: Store, logs: LogStore, now: number): Promise<void> {
  for await (const { id, streams } of everyPipeline(store, logPipelines)) await pruneAll(logs, id, streams, now);
  for await (const { id } of enabledCentrals(store)) await pruneAll(logs, id, [], now);
}
