// The page of the lab in the console.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [{ title: 'Lab', group: 'Region', icon: 'lab', address: '/console/lab' }],
};
