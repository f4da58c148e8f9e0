// Central monitoring: whether the platform's products push their metrics for a contract and region.

import { dashboardAddress } from '../surface/pipelines/addresses.ts';
import { centralSwitch } from '../surface/pipelines/central.ts';
import { addressNames, scope } from './names.ts';
import { privilege } from './pipeline.ts';
import type { MonitoringTools } from './tools.ts';

const monitoring = centralSwitch<MonitoringTools>({
  name: 'centralmonitoring',
  type: 'central-monitoring',
  root: 'monitoring/',
  actions: 'monitoring.central',
  privilege,
  scope,
  title: 'central monitoring',
  heading: 'Central monitoring',
  noted: (owned, { addresses, products }) => ({
    grafanaEndpoint: dashboardAddress(addressNames, addresses, owned, {}),
    products: [...products],
  }),
});

export const {
  resource: central,
  id: centralId, // the tenant of these metrics
  enabled: enabledCentrals,
  find: findCentral,
  routes: centralRoutes,
} = monitoring;
