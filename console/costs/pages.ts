// Costs in the console.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

export const costsPages: readonly Page[] = [
  { path: '/costs', title: 'Costs', view: lazyView(() => import('./costs-page.tsx').then((m) => m.CostsPage)) },
];
