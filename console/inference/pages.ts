// The page of the model playground.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

export const inferencePages: readonly Page[] = [
  {
    path: '/playground',
    title: 'Playground',
    view: lazyView(() => import('./playground-page.tsx').then((module) => module.PlaygroundPage)),
  },
];
