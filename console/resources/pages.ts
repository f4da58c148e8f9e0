// The pages of all resources, derived from the models of the region.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

export const resourcePages: readonly Page[] = [
  {
    path: '/resources/{service}/{path*}',
    title: 'Resources',
    view: lazyView(() => import('./resource-page.tsx').then(({ ResourcePage }) => ResourcePage)),
  },
];
