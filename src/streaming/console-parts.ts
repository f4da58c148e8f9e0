// Registers the page of event streams in the console.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    {
      title: 'Event streams',
      group: 'Data and AI',
      icon: 'stream',
      collection: ['streaming', '/clusters'],
      words: 'Kafka topics',
      counted: { privilege: 'manageDataplatform' },
      leadsToOthers: true,
    },
  ],
};
