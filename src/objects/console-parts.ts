// Registers the pages and words of object storage in the console.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    {
      title: 'Buckets',
      group: 'Data and AI',
      icon: 'bucket',
      address: '/console/buckets',
      words: 'upload files objects S3',
      counted: { path: '/objectstorage-management/accesskeys', privilege: 's3Privilege' },
    },
    {
      title: 'Access keys',
      group: 'Access',
      icon: 'key',
      collection: ['objectstorage', '/accesskeys'],
      leadsToOthers: true,
    },
  ],
  titles: { objectlink: 'Object link', storageregion: 'Storage region' },
};
