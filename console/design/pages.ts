// The page of the design tokens, for people who change the console.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

export const designPages: readonly Page[] = [
  { path: '/design', title: 'Design', view: lazyView(() => import('./design-page.tsx').then((m) => m.DesignPage)) },
];
