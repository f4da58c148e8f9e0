// Console extensions for certificates: the tab Chain.
import { lazyView } from '../lazy.tsx';
import type { Extension } from '../resources/extension.ts';

export const certificateExtensions: readonly Extension[] = [
  {
    of: 'certificate',
    firstTabs: ['chain'],
    tabs: [
      {
        name: 'chain',
        title: 'Chain',
        view: lazyView(() => import('./chain-tab.tsx').then((m) => m.ChainTab)),
      },
    ],
  },
];
