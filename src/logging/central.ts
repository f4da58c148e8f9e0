// Central logging: whether the platform's products log for a contract and region.
import { dashboardAddress } from '../surface/pipelines/addresses.ts';
import { centralSwitch } from '../surface/pipelines/central.ts';
import { addressNames, privilege, scope, stateWords } from './pipeline.ts';
import type { LoggingTools } from './tools.ts';

const logging = centralSwitch<LoggingTools>({
  name: 'centrallogging',
  type: 'central-logging',
  root: 'logging/',
  actions: 'logging.central',
  stateWords,
  privilege,
  scope,
  title: 'central logging',
  heading: 'Central logging',
  listTells: true,
  noted: (owned, { addresses, products }) => ({
    grafanaEndpoint: dashboardAddress(addressNames, addresses, owned, {}),
    products: products(),
  }),
});

export const {
  resource: central,
  id: centralId, // the tenant of these lines
  enabled: enabledCentrals,
  find: findCentral,
  routes: centralRoutes,
} = logging;
