// The pages of all resources, made from what the region says of them.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

export const resourcePages: readonly Page[] = [
  {
    path: '/resources/{service}/{path*}',
    title: 'Resources',
    view: lazyView(() => import('./resource-page.tsx').then(({ ResourcePage }) => ResourcePage)),
  },
];
