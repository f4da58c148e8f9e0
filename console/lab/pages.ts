// The pages of the lab, one for each part.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

const view = lazyView(() => import('./lab-page.tsx').then((m) => m.LabPage));

export const labPages: readonly Page[] = [
  { path: '/lab', title: 'Lab', view },
  { path: '/lab/{part}', title: 'Lab', view },
];
