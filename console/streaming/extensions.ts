// Console extensions for event streaming: tabs for brokers and groups of clusters, and for messages and partitions of
// topics.
import { lazyView } from '../lazy.tsx';
import type { Extension } from '../resources/extension.ts';

export const streamingExtensions: readonly Extension[] = [
  {
    of: 'cluster',
    mainList: 'topics',
    tabs: [
      {
        name: 'brokers',
        title: 'Brokers and groups',
        view: lazyView(() => import('./cluster-tab.tsx').then((module) => module.ClusterTab)),
      },
    ],
  },
  {
    of: 'topic',
    firstTabs: ['messages'],
    head: lazyView(() => import('./topic-head.tsx').then((module) => module.TopicHead)),
    tabs: [
      {
        name: 'messages',
        title: 'Messages',
        view: lazyView(() => import('./messages-tab.tsx').then((module) => module.MessagesTab)),
      },
      {
        name: 'partitions',
        title: 'Partitions and lag',
        view: lazyView(() => import('./partitions-tab.tsx').then((module) => module.PartitionsTab)),
      },
    ],
  },
];
