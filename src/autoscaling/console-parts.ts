// The pages of auto scaling in the console.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    {
      title: 'Auto scaling',
      group: 'Compute',
      icon: 'scaling',
      collection: ['autoscaling', '/groups'],
      counted: { title: 'Scaling groups' },
      leadsToOthers: true,
    },
  ],
};
