// What is special about auto scaling groups: what they did, and why.
import { lazyView } from '../lazy.tsx';
import type { Extension } from '../resources/extension.ts';
import { orphanText } from './group.ts';

export const autoscalingExtensions: readonly Extension[] = [
  {
    of: 'autoscalinggroup',
    obstacles: { autoscalinggroup_replace: orphanText },
    tabs: [
      {
        name: 'scaling',
        title: 'Scaling',
        first: true,
        view: lazyView(() => import('./group-tab.tsx').then((m) => m.ScalingTab)),
      },
    ],
  },
];
