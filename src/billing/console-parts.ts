// The page of billing in the console.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [{ title: 'Costs', group: 'Region', icon: 'costs', address: '/console/costs', words: 'bill invoice prices' }],
};
