// The activity log in the console.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

export const activityPages: readonly Page[] = [
  {
    path: '/activity',
    title: 'Activity',
    view: lazyView(() => import('./activity-page.tsx').then((m) => m.ActivityPage)),
  },
];
