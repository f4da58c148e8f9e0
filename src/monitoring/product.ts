// Metric pipelines as the platform sees them: management, the data plane, alerts, and the platform's own numbers.
import { join } from 'node:path';
import { dashboardAddress, fixedAddresses } from '../surface/pipelines/addresses.ts';
import { ownNumbers, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { Alerts, pipelinePort } from './alerts/alerts.ts';
import { alertMetrics } from './alerts/metrics-port.ts';
import { openDataPlane } from './data-plane.ts';
import { metricFigures } from './engine/figures.ts';
import { monitoringResources, monitoringService, monitoringTools } from './index.ts';
import { addressNames } from './names.ts';
import { ownNumberPushes } from './own-metrics.ts';

export interface MonitoringSettings {
  engine: string; // embedded, here (embedded, in this node's folder from now on), or prometheus+http(s)://…
  grafana: string | undefined; // absent: our own dashboards
}

export function openMonitoring(context: Context, ports: Ports, settings: MonitoringSettings): Product {
  const { store, model, clock, log, secrets, authority, regions, dataFolder } = context;
  const isEmbedded = settings.engine === 'embedded' || settings.engine === 'here';
  const home = isEmbedded ? context.engineHome('metrics') : undefined;
  const address = isEmbedded ? `embedded:${join(dataFolder, 'metrics')}` : settings.engine;
  const addresses = { ...context.addresses, grafana: settings.grafana };
  const plane = openDataPlane({ store, clock, log, address, regions, home });
  const metrics = alertMetrics(plane.threads, clock.now);
  const alerts = new Alerts({
    store,
    seal: secrets.seal,
    log,
    now: clock.now,
    real: clock.real,
    authorities: [authority.certificate],
    dashboardUrl(contract, region) {
      const owned = { contract, region };
      const fixed = fixedAddresses(addressNames, addresses, 0, owned);
      return dashboardAddress(addressNames, addresses, owned, fixed);
    },
    metrics,
    pipelines: pipelinePort(store, regions),
    defaultRegion: regions.home,
  });
  const port = {
    async drop(tenant: string): Promise<void> {
      await alerts.forget(tenant);
      await plane.port.drop(tenant);
    },
  };
  const tools = monitoringTools(store, { metrics: port, products: ['compute', 'streaming'], addresses });
  const own = ownNumberPushes({ store, now: clock.now, sources: () => ports.list(ownNumbers), push: metrics.push });
  return {
    name: 'monitoring',
    resources: model.add(monitoringResources, tools),
    // The longer prefix comes first.
    services: () => [plane.service(alerts), monitoringService(context, regions, [...plane.routes, ...alerts.routes()])],
    reconcilers: [...plane.reconcilers, plane.atHome(own), plane.atHome(alerts.reconciler())],
    figures: [{ of: 'cumulet_metrics', table: metricFigures, read: () => plane.threads.figures() }],
    start: async () => home?.settle(context.addresses.node(), settings.engine === 'here'),
    async close() {
      await alerts.close();
      await plane.threads.close();
    },
  };
}
