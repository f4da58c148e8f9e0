// The pages of requests: the timeline, and one request.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

export const requestsPages: readonly Page[] = [
  {
    path: '/requests',
    title: 'Requests',
    view: lazyView(() => import('./requests-page.tsx').then((m) => m.RequestsPage)),
  },
  {
    path: '/requests/{id}',
    title: 'Request',
    view: lazyView(() => import('./request-page.tsx').then((m) => m.RequestPage)),
  },
];
