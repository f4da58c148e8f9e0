// The declaration of the object storage product.
import type { Declaration } from '../surface/product.ts';
import { platformDomains } from './service/host.ts';
import { type ObjectsSettings, objectsSettings } from './settings.ts';

export const objects: Declaration<ObjectsSettings> = {
  name: 'objects',
  labels: { objectstorage: 'S3 keys', objects: 'S3' },
  clientEndpoints: [
    { name: 'objectstoragemanagement', path: '/objectstorage-management', host: 's3' },
    // The S3 interface of buckets: the gateway accepts signed calls at its root. Without an entry, clients call the
    // public hosts.
    { name: 'objectstorage', path: '', locations: ['eu-central-3', 'eu-central-4', 'us-central-1'] },
  ],
  domains: platformDomains,
  settings: objectsSettings,
  resources: async () => [(await import('./management/access-key.ts')).accessKey],
  data: {
    part: { name: 'objects', what: 'bytes of objects', backup: { format: 3, neededBy: 'object' } },
    load: async () => (await import('./data.ts')).objectsData,
  },
  open: async (context, ports, settings) => (await import('./product.ts')).openObjects(context, ports, settings),
};
