// Log pipelines as the platform sees them: management, the data plane, and central logging.
import { join } from 'node:path';
import { PipelineNumbers } from '../surface/pipelines/numbers.ts';
import { ownLogs, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { CentralLogs } from './central-logs.ts';
import { openDataPlane } from './data-plane.ts';
import { logFigures } from './engine/figures.ts';
import { usualPort } from './forward/listener.ts';
import { loggingResources, loggingService } from './index.ts';
import { scope } from './pipeline.ts';
import { LogThreads } from './threads/threads.ts';
import type { LoggingTools } from './tools.ts';

export interface LoggingSettings {
  engine: string; // embedded, here (embedded, in this node's folder from now on), or a server that runs elsewhere
  port: number | undefined; // of the forward protocol; absent: the usual one
  grafana: string | undefined; // absent: our own pages
}

export function openLogging(context: Context, ports: Ports, settings: LoggingSettings): Product {
  const { store, model, clock, log, secrets, regions, dataFolder } = context;
  const { seal } = secrets;
  const isEmbedded = settings.engine === 'embedded' || settings.engine === 'here';
  const home = isEmbedded ? context.engineHome('logs') : undefined;
  const address = isEmbedded ? `embedded:${join(dataFolder, 'logs')}` : settings.engine;
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
  const tools: LoggingTools = {
    logs: { drop: (tenant) => plane.drop(tenant) },
    addresses: { ...context.addresses, grafana: settings.grafana },
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
    services: () => [plane.service, loggingService({ machinery: context, regions, seal, more: plane.routes })],
    listeners: [plane.listener],
    reconcilers: [...plane.reconcilers, plane.atHome(centralLogs.reconciler())],
    figures: [{ of: 'cumulet_logs', table: logFigures, read: () => logs.figures() }],
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
