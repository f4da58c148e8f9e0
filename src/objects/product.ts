// The object storage: the S3 service on a listener of its own, its metadata in the state, its bytes in a blob engine.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { builtInDomain } from '../surface/http/host-names.ts';
import { contracts, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { AccessKeys } from './access/access-keys.ts';
import { openBlobs } from './engine/open.ts';
import { Buckets } from './metadata/bucket.ts';
import { Objects } from './metadata/objects.ts';
import { Uploads } from './metadata/uploads.ts';
import { operations } from './operations/operations.ts';
import { homeRegion } from './service/host.ts';
import { s3Service } from './service/service.ts';

export interface ObjectsSettings {
  engine: string; // embedded, or s3+http(s)://… of another storage
  port: number | undefined; // absent: the usual one
}

export async function openObjects(context: Context, ports: Ports, settings: ObjectsSettings): Promise<Product> {
  const { store, clock, secrets, log, dataFolder, addresses } = context;
  const folder = join(dataFolder, 'objects');
  const isEmbedded = settings.engine === 'embedded' || settings.engine === 'here';
  if (isEmbedded) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const blobs = await openBlobs(isEmbedded ? `embedded:${folder}` : settings.engine);
  // A removal that fails is left to the sweep.
  const release = (handles: string[]): void => {
    blobs.remove(handles).catch((error: unknown) => log.warn('objects: blobs could not be removed', { error }));
  };
  const buckets = new Buckets(store);
  const objects = new Objects(store, buckets, clock.now, release);
  const uploads = new Uploads(store, buckets, release);
  const keys = new AccessKeys({
    store,
    seal: secrets.seal,
    asMember: (user, contract) => ports.use(contracts).asMember(user, contract),
  });
  const tools = { store, buckets, objects, uploads, blobs, now: clock.now, homeRegion };
  const domains = ['ionoscloud.com', builtInDomain, ...(addresses.domain === undefined ? [] : [addresses.domain])];
  return {
    name: 'objects',
    resources: [],
    services: () => [s3Service({ tools, keys, operations, domains, realNow: clock.real })],
    listeners: [
      {
        name: 'objects',
        scheme: 'http',
        defaultPort: 7071,
        option: '--objects-port',
        port: settings.port,
        open: (_contexts, http) => http('objects'),
      },
    ],
    close: () => blobs.close(),
  };
}
