// The monitoring product put together: management, the data plane, alerts, and the platform's own numbers.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Seal } from '../base/seal.ts';
import type { FigureSource } from '../core/figures.ts';
import type { EngineHome } from '../core/nodes/engine-home.ts';
import type { NumberSource } from '../core/own-numbers.ts';
import type { Reconciler } from '../core/reconciler.ts';
import type { Service } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { type AddressSettings, fixedAddresses, grafanaEndpoint } from './addresses.ts';
import { Alerts, pipelinePort } from './alerts/alerts.ts';
import { alertMetrics } from './alerts/metrics-port.ts';
import type { Regions } from './central.ts';
import { openDataPlane } from './data-plane.ts';
import { metricFigures } from './engine/figures.ts';
import { monitoringResources, monitoringService, monitoringTools } from './index.ts';
import { ownNumbers } from './own-numbers.ts';

export interface MonitoringOptions {
  machinery: Machinery;
  clock: Clock;
  log: Log;
  seal: Seal;
  authorities: readonly string[]; // certificates that webhooks and mail servers may have besides the usual ones
  engine: string; // embedded:FOLDER or prometheus+http(s)://…
  home: EngineHome | undefined; // of an embedded engine
  regions: Regions;
  addresses: AddressSettings;
  numbers: readonly NumberSource[];
}

export interface MonitoringProduct {
  services: Service[];
  reconcilers: Reconciler[];
  figures: FigureSource<typeof metricFigures>;
  close(): Promise<void>;
}

// Declares its resources in the model, too.
export function openMonitoring(options: MonitoringOptions): MonitoringProduct {
  const { machinery, clock, log, seal, authorities, engine, home, regions, addresses, numbers } = options;
  const { store, model } = machinery;
  const plane = openDataPlane({ store, clock, log, address: engine, regions, home });
  const metrics = alertMetrics(plane.threads, clock.now);
  const alerts = new Alerts({
    store,
    seal,
    log,
    now: clock.now,
    real: clock.real,
    authorities,
    dashboardUrl(contract, region) {
      const owned = { contract, region };
      return grafanaEndpoint(addresses, owned, fixedAddresses(addresses, 0, owned));
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
  model.add(monitoringResources, monitoringTools(store, { metrics: port, products: ['compute'], addresses }));
  const own = ownNumbers({ store, now: clock.now, sources: numbers, push: metrics.push });
  return {
    // The longer prefix comes first.
    services: [plane.service(alerts), monitoringService(machinery, regions, [...plane.routes, ...alerts.routes()])],
    reconcilers: [...plane.reconcilers, plane.atHome(own), plane.atHome(alerts.reconciler())],
    figures: { of: 'cumulet_metrics', table: metricFigures, read: () => plane.threads.figures() },
    async close() {
      await alerts.close();
      await plane.threads.close();
    },
  };
}
