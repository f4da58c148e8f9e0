// Console extensions for auto scaling groups: the tab Scaling, and a note about groups whose datacenter is gone.
import { call } from '../api.ts';
import { lazyView } from '../lazy.tsx';
import type { Extension } from '../resources/extension.ts';
import type { Item } from '../resources/model.ts';
import { groupStart } from './form-start.ts';
import { groupsIn, orphanText } from './group.ts';

const groupsShown = 1000;

export const autoscalingExtensions: readonly Extension[] = [
  {
    of: 'datacenter',
    async leftBehind({ id }, signal) {
      const { items } = await call<{ items: Item[] }>('GET', `/autoscaling/groups?depth=1&limit=${groupsShown}`, {
        signal,
      });
      return groupsIn(items, id);
    },
  },
  {
    of: 'autoscalinggroup',
    firstTabs: ['scaling'],
    start: groupStart,
    obstacles: { autoscalinggroup_replace: orphanText },
    tabs: [
      {
        name: 'scaling',
        title: 'Scaling',
        view: lazyView(() => import('./group-tab.tsx').then((m) => m.ScalingTab)),
      },
    ],
  },
];
