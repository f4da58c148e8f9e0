// Puts log pipelines together: management, the data plane, and central logging.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardAddress, fixedAddresses } from '../surface/pipelines/addresses.ts';
import { PipelineNumbers } from '../surface/pipelines/numbers.ts';
import { alerting, alertSources, certificateTargets, consoleParts, logSources, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { logSource } from './alerts/log-source.ts';
import { central } from './central.ts';
import { CentralLogs } from './central-logs.ts';
import { ownParts } from './console-parts.ts';
import { openDataPlane } from './data-plane.ts';
import { listDamage } from './engine/embedded/check.ts';
import { logFigures } from './engine/figures.ts';
import { usualPort } from './forward/listener.ts';
import { loggingResources, loggingService } from './index.ts';
import { pipelineHosts } from './ingest.ts';
import { addressNames, pipeline, scope } from './pipeline.ts';
import type { LoggingSettings } from './settings.ts';
import { LogThreads } from './threads/threads.ts';
import type { LoggingTools } from './tools.ts';

// Rules are written at the paths of Loki's ruler, so that lokitool works.
const ruleFronts = [
  { path: `/pipelines/{${pipeline.name}Id}`, name: 'logalert' },
  { path: `/central/{${central.name}Id}`, name: 'centrallogalert' },
].map((front) => ({ ...front, rules: '/loki/api/v1/rules', reads: ['/prometheus'] }));
const alertsEveryMs = 1000;

export function openLogging(context: Context, ports: Ports, settings: LoggingSettings): Product {
  ports.add(consoleParts, ownParts);
  const { store, model, clock, log, secrets, regions, dataFolder } = context;
  const { seal } = secrets;
  const isEmbedded = settings.engine === 'embedded' || settings.engine === 'here';
  const takes = settings.engine === 'here';
  const home = context.homes.add({ name: 'logs', data: 'logs', isShared: !isEmbedded, engine: settings.engine, takes });
  const folder = join(dataFolder, 'logs');
  const address = isEmbedded ? `embedded:${folder}` : settings.engine;
  const logs = new LogThreads({ address, log });
  let forward = { host: '127.0.0.1', port: settings.port ?? usualPort }; // until it listens
  const listening = (place: typeof forward): void => {
    forward = place;
  };
  const plane = openDataPlane({
    ...{ store, clock, log, seal, logs, regions, home, listening },
    bodyMemory: context.bodyMemory,
    port: settings.port,
  });
  const centralLogs = new CentralLogs({
    store,
    logs,
    log,
    now: clock.now,
    isHere: () => home.isHere,
    sources: () => ports.list(logSources),
  });
  const { addresses } = context;
  const { publicAddress } = settings;
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
  ports.add(certificateTargets, { name: 'logs', hosts: pipelineHosts });
  const rules = () => ports.find(alerting);
  const tools: LoggingTools = {
    logs: {
      async drop(tenant) {
        await rules()?.forget(tenant);
        await plane.drops.perform(tenant, undefined);
      },
    },
    addresses,
    seal,
    products: () => centralLogs.products,
    numbers: new PipelineNumbers(store, scope),
    forward: () => ({ host: forward.host, port: publicAddress?.port ?? forward.port }),
    forwardHost: publicAddress?.host,
  };
  return {
    resources: model.add(loggingResources, tools),
    // The longer prefix comes first.
    services: () => {
      const more = [...plane.routes, ...(rules()?.routes(source, ruleFronts) ?? [])];
      return [plane.service(rules()), loggingService({ machinery: context, regions, seal, more })];
    },
    listeners: [plane.listener],
    reconcilers: [
      ...plane.reconcilers,
      { ...centralLogs.reconciler(), home },
      { name: 'log-alerts', everyMs: alertsEveryMs, home, run: async () => rules()?.run(source.name) },
    ],
    figures: [{ of: 'cumulet_logs', table: logFigures, read: () => logs.figures() }],
    damage: () => (isEmbedded && existsSync(folder) ? listDamage(folder) : []),
    start: async () => centralLogs.begin(),
    async close() {
      await centralLogs.close();
      await logs.close();
    },
  };
}
