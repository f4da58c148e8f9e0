// Registers the pages of logging in the console.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    { title: 'Logs', group: 'Observability', icon: 'logs', address: '/console/logging' },
    {
      title: 'Log pipelines',
      group: 'Observability',
      icon: 'pipeline',
      collection: ['logging', '/pipelines'],
      under: 'Pipelines',
      counted: { privilege: 'accessAndManageLogging' },
      leadsToOthers: true,
    },
  ],
};
