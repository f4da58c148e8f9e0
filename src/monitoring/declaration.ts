// The declaration of the monitoring product.
import type { Declaration } from '../surface/product.ts';
import { type MonitoringSettings, monitoringSettings } from './settings.ts';

export const monitoring: Declaration<MonitoringSettings> = {
  name: 'monitoring',
  labels: { monitoring: 'Monitoring' },
  clientEndpoints: [{ name: 'monitoring', path: '/monitoring', host: 'monitoring.<region>', isRegional: true }],
  settings: monitoringSettings,
  resources: async () => (await import('./index.ts')).monitoringResources,
  data: {
    part: { name: 'metrics', what: 'metrics', backup: { format: 2 } },
    load: async () => (await import('./data.ts')).monitoringData,
  },
  open: async (context, ports, settings) => (await import('./product.ts')).openMonitoring(context, ports, settings),
};
