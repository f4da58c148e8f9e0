// Registers the pages and words of monitoring in the console.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    {
      title: 'Monitoring',
      group: 'Observability',
      icon: 'monitoring',
      address: '/console/monitoring',
      words: 'metrics charts alerts',
    },
    {
      title: 'Pipelines',
      group: 'Observability',
      icon: 'pipeline',
      collection: ['monitoring', '/pipelines'],
      among: 'Metric pipelines',
      counted: { title: 'Metric pipelines', privilege: 'accessAndManageMonitoring' },
      leadsToOthers: true,
    },
  ],
  titles: { alertrule: 'Alert rule', alertchannel: 'Notification channel' },
};
