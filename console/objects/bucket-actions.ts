// The actions of a bucket in the palette, the same as on its page.
import type { ItemAction } from '../resources/actions/item-action.ts';
import { go } from '../router.ts';
import { bucketsUrl, bucketUrl } from '../urls.ts';
import { openBucketDeletion } from './deletion/delete-bucket.tsx';

const pages = [
  ['settings', 'Settings', 'Versioning, lifecycle, object lock, website'],
  ['access', 'Access', 'Policy, public access, CORS'],
  ['uploads', 'Uploads', 'Unfinished uploads'],
] as const;

export const bucketActions = (bucket: string): ItemAction[] => [
  ...pages.map(([tab, title, note]) => ({
    operation: `bucket_${tab}`,
    title,
    note,
    obstacle: undefined,
    url: bucketUrl(bucket, { tab }),
  })),
  {
    operation: 'bucket_delete',
    title: 'Delete',
    note: 'Delete the bucket and everything in it',
    obstacle: undefined,
    act: () =>
      openBucketDeletion(bucket, () => {
        if (location.pathname.startsWith(bucketUrl(bucket))) go(bucketsUrl());
      }),
  },
];
