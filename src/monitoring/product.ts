// Puts metric pipelines together: management, the data plane, alerts, and the platform's own metrics.
import { join } from 'node:path';
import { dashboardAddress, fixedAddresses } from '../surface/pipelines/addresses.ts';
import { alerting, alertSources, consoleParts, metricSources, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { Alerts } from './alerts/alerts.ts';
import { metricSource, pushSeries } from './alerts/metric-source.ts';
import { AlertSources } from './alerts/sources.ts';
import { ownParts } from './console-parts.ts';
import { openDataPlane } from './data-plane.ts';
import { listDamage } from './engine/embedded/check.ts';
import { metricFigures } from './engine/figures.ts';
import { central, monitoringResources, monitoringService, monitoringTools, pipeline } from './index.ts';
import { addressNames } from './names.ts';
import { resourceMetricPushes } from './own-metrics.ts';
import type { MonitoringSettings } from './settings.ts';

// Rules are written at the paths of Mimir's ruler, so that mimirtool works.
const ruleFronts = [
  { path: `/pipelines/{${pipeline.name}Id}`, name: 'alert' },
  { path: `/central/{${central.name}Id}`, name: 'centralalert' },
].map((front) => ({ ...front, rules: '/prometheus/config/v1/rules', reads: ['', '/prometheus'] }));
const alertsEveryMs = 1000;

export function openMonitoring(context: Context, ports: Ports, settings: MonitoringSettings): Product {
  ports.add(consoleParts, ownParts);
  const { store, model, clock, log, secrets, authority, regions, dataFolder } = context;
  const isEmbedded = settings.engine === 'embedded' || settings.engine === 'here';
  const takes = settings.engine === 'here';
  const home = context.homes.add({
    name: 'metrics',
    data: 'metrics',
    isShared: !isEmbedded,
    engine: settings.engine,
    takes,
  });
  const folder = join(dataFolder, 'metrics');
  const address = isEmbedded ? `embedded:${folder}` : settings.engine;
  const { addresses } = context;
  const plane = openDataPlane({ store, clock, log, address, regions, home });
  const dashboardUrl = (contract: number, region: string): string => {
    const owned = { contract, region };
    return dashboardAddress(addressNames, addresses, owned, fixedAddresses(addressNames, addresses, 0, owned));
  };
  const source = metricSource({ store, regions, threads: plane.threads, now: clock.now, dashboardUrl });
  const push = pushSeries(plane.threads, clock.now);
  const alerts = new Alerts({
    store,
    seal: secrets.seal,
    log,
    now: clock.now,
    real: clock.real,
    authorities: [authority.certificate],
    dashboardUrl,
    push,
    sources: new AlertSources(() => ports.list(alertSources)),
    defaultRegion: regions.home,
  });
  ports.add(alertSources, source);
  ports.fill(alerting, alerts);
  const port = {
    async drop(tenant: string): Promise<void> {
      await alerts.forget(tenant);
      await plane.drops.perform(tenant, undefined);
    },
  };
  const tools = monitoringTools(store, { metrics: port, products: ['compute', 'objects', 'streaming'], addresses });
  const own = resourceMetricPushes({ store, now: clock.now, sources: () => ports.list(metricSources), push });
  return {
    resources: model.add(monitoringResources, tools),
    // The longer prefix comes first.
    services: () => [
      plane.service(alerts),
      monitoringService(context, regions, [
        ...plane.routes,
        ...alerts.routes(source, ruleFronts),
        ...alerts.commonRoutes(),
      ]),
    ],
    reconcilers: [
      ...plane.reconcilers,
      { ...own, home },
      { name: 'metric-alerts', everyMs: alertsEveryMs, home, run: () => alerts.run(source.name) },
    ],
    figures: [{ of: 'cumulet_metrics', table: metricFigures, read: () => plane.threads.figures() }],
    damage: () => (isEmbedded ? listDamage(folder) : []),
    async close() {
      await alerts.close();
      await plane.threads.close();
    },
  };
}
