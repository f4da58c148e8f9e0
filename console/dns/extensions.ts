// What is special about DNS zones: a resolver beside them, and their zone file.
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
    firstList: 'records',
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
