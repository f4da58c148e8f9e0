// The 2FA tab on a user's page. Only administrators see the users of a contract.
import { lazyView } from '../lazy.tsx';
import type { Extension } from '../resources/extension.ts';

const view = lazyView(() => import('./user-tab.tsx').then((module) => module.UserFactorTab));

export const accountExtensions: readonly Extension[] = [{ of: 'user', tabs: [{ name: '2fa', title: '2FA', view }] }];
