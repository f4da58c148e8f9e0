// The object storage: the S3 service on a listener of its own, its metadata in the state, its bytes in a blob engine.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Reconciler } from '../core/reconciler.ts';
import { builtInDomain } from '../surface/http/host-names.ts';
import { buckets as bucketsPort, contracts, objectWriter, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { AccessKeys } from './access/access-keys.ts';
import { blobFigures } from './engine/figures.ts';
import { openBlobs } from './engine/open.ts';
import { accessKey } from './management/access-key.ts';
import { managementService } from './management/service.ts';
import { Buckets } from './metadata/bucket.ts';
import { Objects } from './metadata/objects.ts';
import { Uploads } from './metadata/uploads.ts';
import { objectWriterOf } from './object-writer.ts';
import { operations } from './operations/operations.ts';
import { websiteOperations } from './operations/website/website.ts';
import { homeRegion } from './service/host.ts';
import { s3Service } from './service/service.ts';
import { sweepBlobs } from './upkeep/blobs.ts';
import { applyLifecycle } from './upkeep/lifecycle.ts';
import { StorageUsage } from './upkeep/usage.ts';

export interface ObjectsSettings {
  engine: string; // embedded, or s3+http(s)://… of another storage
  port: number | undefined; // absent: the usual one
}

export async function openObjects(context: Context, ports: Ports, settings: ObjectsSettings): Promise<Product> {
  const { store, model, clock, secrets, log, dataFolder, addresses } = context;
  const folder = join(dataFolder, 'objects');
  const isEmbedded = settings.engine === 'embedded' || settings.engine === 'here';
  if (isEmbedded) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const blobs = await openBlobs(isEmbedded ? `embedded:${folder}` : settings.engine);
  const home = isEmbedded ? context.engineHome('objects') : undefined;
  const atHome = (one: Reconciler): Reconciler =>
    home ? { ...one, everywhere: true, run: async () => (home.isHere ? one.run() : undefined) } : one;
  // A removal that fails is left to the sweep.
  const release = (handles: string[]): void => {
    blobs.remove(handles).catch((error: unknown) => log.warn('objects: blobs could not be removed', { error }));
  };
  const buckets = new Buckets(store);
  const objects = new Objects(store, buckets, clock.now, release);
  const uploads = new Uploads(store, buckets, release);
  ports.fill(bucketsPort, {
    exists: async (contract, name) => (await buckets.find(name))?.contract === contract,
  });
  ports.fill(
    objectWriter,
    objectWriterOf({ buckets, objects, blobs, now: clock.now, isHere: () => home?.isHere ?? true }),
  );
  const keys = new AccessKeys({
    store,
    seal: secrets.seal,
    asMember: (user, contract) => ports.use(contracts).asMember(user, contract),
  });
  const usage = new StorageUsage(store, buckets, clock.now);
  const keyTools = { seal: secrets.seal };
  let endpoint = ''; // of the listener, once it listens
  const { now, real: realNow } = clock;
  const tools = { store, buckets, objects, uploads, blobs, usage, keys, now, realNow, homeRegion };
  const domains = ['ionoscloud.com', builtInDomain, ...(addresses.domain === undefined ? [] : [addresses.domain])];
  const lifecycle = async (): Promise<void> => {
    for await (const bucket of buckets.all(await ports.use(contracts).numbers())) await applyLifecycle(tools, bucket);
  };
  return {
    name: 'objects',
    resources: model.add([accessKey], keyTools),
    services: () => [
      s3Service({ tools, operations, websiteOperations, domains, elsewhere: async () => home?.elsewhere() }),
      managementService(context, keyTools, () => endpoint),
    ],
    listeners: [
      {
        name: 'objects',
        scheme: 'http',
        defaultPort: 7071,
        option: '--objects-port',
        port: settings.port,
        open: (_contexts, http) => http('objects'),
        listening(place) {
          const { hostname } = new URL(addresses.publicUrl ?? place.url);
          endpoint = `http://${hostname}:${place.port}`;
        },
      },
    ],
    reconcilers: [
      { name: 'objects-home', everyMs: 5000, everywhere: true, run: async () => home?.check() },
      atHome({ name: 'objects-lifecycle', everyMs: 3_600_000, run: lifecycle }),
      atHome({ name: 'objects-sweep', everyMs: 6 * 3_600_000, run: () => sweepBlobs(store, blobs, clock.real()) }),
      { name: 'objects-usage', everyMs: 60_000, everywhere: true, run: () => usage.flush() },
      {
        name: 'objects-stored',
        everyMs: 3_600_000,
        run: async () => usage.sample(await ports.use(contracts).numbers()),
      },
    ],
    figures: [{ of: 'cumulet_objects', table: blobFigures, read: () => blobs.figures() }],
    start: async () => home?.settle(addresses.node(), settings.engine === 'here'),
    async close() {
      await usage.flush();
      await blobs.close();
    },
  };
}
