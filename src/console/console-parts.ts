// Pages of the console itself in the navigation.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const consoleParts: ConsoleParts = {
  pages: [
    { title: 'Overview', group: 'Region', icon: 'overview', address: '/console' },
    {
      title: 'Requests',
      group: 'Region',
      icon: 'requests',
      address: '/console/requests',
      collection: ['cloudapi', '/requests'],
    },
    { title: 'Limits', group: 'Region', icon: 'limits', address: '/console/limits', words: 'quota' },
    { title: 'API pages', group: 'Access', icon: 'api', address: '/docs' },
  ],
};
