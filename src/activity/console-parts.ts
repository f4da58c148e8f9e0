// The page of the activity log in the console.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    { title: 'Activity', group: 'Region', icon: 'activity', address: '/console/activity', words: 'audit log history' },
  ],
};
