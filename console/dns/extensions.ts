// Console extensions for DNS zones: the tabs Resolver and Zone file.
import { lazyView } from '../lazy.tsx';
import type { Extension } from '../resources/extension.ts';

const resolver = {
  name: 'resolver',
  title: 'Resolver',
  view: lazyView(() => import('./resolver-tab.tsx').then((m) => m.ResolverTab)),
};

export const dnsExtensions: readonly Extension[] = [
  {
    of: 'zone',
    firstTabs: ['records'],
    tabs: [
      resolver,
      {
        name: 'zonefile',
        title: 'Zone file',
        view: lazyView(() => import('./zone-file-tab.tsx').then((m) => m.ZoneFileTab)),
      },
    ],
  },
  { of: 'secondaryzone', tabs: [resolver] },
];
