// The pages of object storage.
import { lazyView } from '../lazy.tsx';
import type { Page } from '../router.ts';

export const objectPages: readonly Page[] = [
  {
    path: '/buckets',
    title: 'Buckets',
    view: lazyView(() => import('./buckets/buckets-page.tsx').then((m) => m.BucketsPage)),
  },
  {
    path: '/buckets/{bucket}',
    title: ({ bucket }) => `Bucket ${bucket}`,
    view: lazyView(() => import('./bucket-page.tsx').then((m) => m.BucketPage)),
  },
  {
    path: '/buckets/{bucket}/object',
    title: ({ bucket }) => `Object in ${bucket}`,
    view: lazyView(() => import('./object/object-page.tsx').then((m) => m.ObjectPage)),
  },
];
