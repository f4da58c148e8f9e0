// The page of the contract's limits.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

export const limitsPages: readonly Page[] = [
  { path: '/limits', title: 'Limits', view: lazyView(() => import('./limits-page.tsx').then((m) => m.LimitsPage)) },
];
