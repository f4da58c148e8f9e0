// The console pages of model inference.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    { title: 'Models', group: 'Data and AI', icon: 'model', collection: ['modelhub', '/models'], leadsToOthers: true },
    { title: 'Playground', group: 'Data and AI', icon: 'playground', address: '/console/playground' },
  ],
  titles: { nativemodel: 'Model' },
};
