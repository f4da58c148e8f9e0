// Log pipelines as the platform sees them: management, the data plane, and central logging.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardAddress, fixedAddresses } from '../surface/pipelines/addresses.ts';
import { PipelineNumbers } from '../surface/pipelines/numbers.ts';
import { alerting, alertSources, ownLogs, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { logSource } from './alerts/log-source.ts';
import { central } from './central.ts';
import { CentralLogs } from './central-logs.ts';
import { openDataPlane } from './data-plane.ts';
import { listDamage } from './engine/embedded/check.ts';
import { logFigures } from './engine/figures.ts';
import { usualPort } from './forward/listener.ts';
import { loggingResources, loggingService } from './index.ts';
import { addressNames, pipeline, scope } from './pipeline.ts';
import { LogThreads } from './threads/threads.ts';
import type { LoggingTools } from './tools.ts';

export interface LoggingSettings {
  engine: string; // embedded, here (embedded, in this node's folder from now on), or a server that runs elsewhere
  port: number | undefined; // of the forward protocol; absent: the usual one
  grafana: string | undefined; // absent: our own pages
}

// Where rules are written is where Loki's ruler has them, so that lokitool works.
const ruleFronts = [
  { path: `/pipelines/{${pipeline.name}Id}`, name: 'logalert' },
  { path: `/central/{${central.name}Id}`, name: 'centrallogalert' },
].map((front) => ({ ...front, rules: '/loki/api/v1/rules', reads: ['/prometheus'] }));
const alertsEveryMs = 1000;

export function openLogging(context: Context, ports: Ports, settings: LoggingSettings): Product {
  const { store, model, clock, log, secrets, regions, dataFolder } = context;
  const { seal } = secrets;
  const isEmbedded = settings.engine === 'embedded' || settings.engine === 'here';
  const home = isEmbedded ? context.engineHome('logs') : undefined;
  const folder = join(dataFolder, 'logs');
  const address = isEmbedded ? `embedded:${folder}` : settings.engine;
  const logs = new LogThreads({ address, log });
  let forward = { host: '127.0.0.1', port: settings.port ?? usualPort }; // until it listens
  const listening = (place: typeof forward): void => {
    forward = place;
  };
  const plane = openDataPlane({ store, clock, log, seal, logs, regions, home, port: settings.port, listening });
  const centralLogs = new CentralLogs({
    store,
    logs,
    log,
    now: clock.now,
    isHere: () => home?.isHere ?? true,
    sources: () => ports.list(ownLogs),
  });
  const addresses = { ...context.addresses, grafana: settings.grafana };
  const source = logSource({
    store,
    regions,
    logs,
    dashboardUrl(contract, region) {
      const owned = { contract, region };
      return dashboardAddress(addressNames, addresses, owned, fixedAddresses(addressNames, addresses, 0, owned));
    },
  });
  ports.add(alertSources, source);
  const rules = () => ports.find(alerting);
  const tools: LoggingTools = {
    logs: {
      async drop(tenant) {
        await rules()?.forget(tenant);
        await plane.drop(tenant);
      },
    },
    addresses,
    seal,
    products: () => centralLogs.products,
    numbers: new PipelineNumbers(store, scope),
    forwardAddress: () => `${forward.host}:${forward.port}`,
    forwardPort: () => forward.port,
  };
  return {
    name: 'logging',
    resources: model.add(loggingResources, tools),
    // The longer prefix comes first.
    services: () => {
      const more = [...plane.routes, ...(rules()?.routes(source, ruleFronts) ?? [])];
      return [plane.service(rules()), loggingService({ machinery: context, regions, seal, more })];
    },
    listeners: [plane.listener],
    reconcilers: [
      ...plane.reconcilers,
      plane.atHome(centralLogs.reconciler()),
      plane.atHome({ name: 'log-alerts', everyMs: alertsEveryMs, run: async () => rules()?.run(source.name) }),
    ],
    figures: [{ of: 'cumulet_logs', table: logFigures, read: () => logs.figures() }],
    damage: () => (isEmbedded && existsSync(folder) ? listDamage(folder) : []),
    async start() {
      await home?.settle(context.addresses.node(), settings.engine === 'here');
      centralLogs.begin();
    },
    async close() {
      await centralLogs.close();
      await logs.close();
    },
  };
}
