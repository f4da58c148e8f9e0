// The page of the user's own account.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

export const accountPages: readonly Page[] = [
  {
    path: '/account',
    title: 'Account',
    view: lazyView(() => import('./account-page.tsx').then((module) => module.AccountPage)),
  },
];
