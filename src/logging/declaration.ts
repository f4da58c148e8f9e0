// The declaration of the logging product.
import type { Declaration } from '../surface/product.ts';
import { type LoggingSettings, loggingSettings } from './settings.ts';

export const logging: Declaration<LoggingSettings> = {
  name: 'logging',
  labels: { logging: 'Logging', forward: 'Log agents' },
  clientEndpoints: [{ name: 'logging', path: '/logging', host: 'logging.<region>', isRegional: true }],
  settings: loggingSettings,
  resources: async () => (await import('./index.ts')).loggingResources,
  data: {
    part: { name: 'logs', what: 'log lines', backup: { format: 4 } },
    load: async () => (await import('./data.ts')).loggingData,
  },
  open: async (context, ports, settings) => (await import('./product.ts')).openLogging(context, ports, settings),
};
