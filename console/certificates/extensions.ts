// Console extensions for certificates: the tab Chain.
import { lazyView } from '../lazy.tsx';
import type { Extension } from '../resources/extension.ts';

export const certificateExtensions: readonly Extension[] = [
  {
    of: 'certificate',
    tabs: [
      {
        name: 'chain',
        title: 'Chain',
        first: true,
        view: lazyView(() => import('./chain-tab.tsx').then((m) => m.ChainTab)),
      },
    ],
  },
];
