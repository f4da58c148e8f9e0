// Puts object storage together: the S3 service on its own listener, its metadata in the state, its bytes in a blob
// engine.
import { mkdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { builtInDomain } from '../surface/http/host-names.ts';
import {
  authentication,
  buckets as bucketsPort,
  certificateTargets,
  consoleParts,
  consoleRoutes,
  contracts,
  logSources,
  metricSources,
  objectWriter,
  type Ports,
  undeclaredCollections,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { runningData } from '../surface/product-data.ts';
import { AccessKeys } from './access/access-keys.ts';
import { isOpenTo, mayUseStorage, ownsBucket } from './access/authorization.ts';
import { linkRoute } from './console-links.ts';
import { ownParts } from './console-parts.ts';
import type { BlobEngine } from './engine/engine.ts';
import { blobFigures } from './engine/figures.ts';
import { openBlobs } from './engine/open.ts';
import { accessKey } from './management/access-key.ts';
import { managementService } from './management/service.ts';
import { Buckets } from './metadata/bucket.ts';
import { Objects } from './metadata/objects.ts';
import { bucketsPlace } from './metadata/places.ts';
import { Uploads } from './metadata/uploads.ts';
import { objectWriterOf } from './object-writer.ts';
import { operations } from './operations/operations.ts';
import { websiteOperations } from './operations/website/website.ts';
import { AccessLog } from './service/access-log.ts';
import { consoleS3Prefix, consoleS3Service } from './service/console-service.ts';
import { homeRegion, hostPatterns, platformDomains } from './service/host.ts';
import { s3Service } from './service/service.ts';
import type { ObjectsSettings } from './settings.ts';
import { BlobRemovals } from './upkeep/blob-removals.ts';
import { sweepBlobs } from './upkeep/blobs.ts';
import { bucketMetrics } from './upkeep/bucket-metrics.ts';
import { checkObjects } from './upkeep/check.ts';
import { applyLifecycle } from './upkeep/lifecycle.ts';
import { StorageUsage } from './upkeep/usage.ts';
import { LargeDocuments } from './wire/xml/large-documents.ts';

export async function openObjects(context: Context, ports: Ports, settings: ObjectsSettings): Promise<Product> {
  ports.add(consoleParts, ownParts);
  const { store, model, clock, secrets, log, dataFolder, addresses } = context;
  const folder = join(dataFolder, 'objects');
  const isEmbedded = settings.engine === 'embedded' || settings.engine === 'here';
  if (isEmbedded) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const blobs = await openBlobs(isEmbedded ? `embedded:${folder}` : settings.engine);
  await demandUsable(blobs, log);
  const takes = settings.engine === 'here';
  const home = context.homes.add({
    name: 'objects',
    data: 'objects',
    isShared: !isEmbedded,
    engine: settings.engine,
    takes,
  });
  const removals = new BlobRemovals(blobs, log);
  const buckets = new Buckets(store, (user, contract) => ports.use(contracts).hasUser(user, contract));
  const objects = new Objects(store, buckets, clock.now, removals.add);
  const uploads = new Uploads(store, buckets, removals.add);
  ports.fill(bucketsPort, {
    async exists(caller, name) {
      const bucket = await buckets.find(name);
      return bucket !== undefined && isOpenTo(caller, bucket);
    },
  });
  ports.add(certificateTargets, { name: 's3', hosts: ['s3'], wholeHosts: hostPatterns });
  ports.add(undeclaredCollections, {
    title: 'Bucket',
    table: 'object',
    place: bucketsPlace,
    address: consoleS3Prefix,
    shows: async (caller, row) => (row ? ownsBucket(caller, await buckets.ofRow(row)) : mayUseStorage(caller)),
  });
  ports.fill(objectWriter, { home, ...objectWriterOf({ buckets, objects, blobs, now: clock.now }) });
  ports.add(runningData, {
    part: 'objects',
    hold: () => removals.hold(),
    async check() {
      if ((await home.otherAddress()) === undefined) return checkObjects(store, blobs);
      return { damage: [], notes: ['Another node stores the bytes of objects. Check them there.'] };
    },
  });
  const keys = new AccessKeys({
    store,
    seal: secrets.seal,
    asMember: (user, contract) => ports.use(contracts).asMember(user, contract),
    canonicalUserId: (user, contract) => ports.use(contracts).canonicalUserId(user, contract),
  });
  const accessLog = new AccessLog(clock.now);
  ports.add(logSources, accessLog);
  const usage = new StorageUsage(store, buckets, clock.now);
  ports.add(metricSources, bucketMetrics(store, buckets, usage, context.regions.home));
  const keyTools = { seal: secrets.seal };
  let endpoints = { s3: '', website: '' }; // of the listener, once it listens
  const { now, real: realNow } = clock;
  const documents = new LargeDocuments();
  const tools = { store, buckets, objects, uploads, blobs, removals, documents, usage, keys, now, realNow, homeRegion };
  const ownDomains = ownDomainsOf(addresses, settings.publicUrl);
  const domains = [...platformDomains, builtInDomain, ...ownDomains];
  const sweep = (): Promise<void> => sweepBlobs(store, blobs, clock.real(), removals);
  const lifecycle = async (): Promise<void> => {
    for await (const bucket of buckets.all(await ports.use(contracts).numbers())) await applyLifecycle(tools, bucket);
  };
  ports.add(consoleRoutes, linkRoute({ keys, endpoint: () => endpoints.s3, region: homeRegion, realNow }));
  const s3 = s3Service({ tools, operations, websiteOperations, domains, accessLog, home });
  const forConsole = consoleS3Service(s3, {
    session: (x) => ports.use(authentication).session?.(x, true),
    canonicalUserId: (user, contract) => ports.use(contracts).canonicalUserId(user, contract),
  });
  return {
    resources: model.add([accessKey], keyTools),
    services: () => [s3, forConsole, managementService(context, keyTools, () => endpoints)],
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
          const { publicUrl: s3 = `http://${hostname}:${place.port}` } = settings;
          const [domain = 'localhost'] = ownDomains; // names below localhost need no name server
          const website = new URL(s3);
          website.hostname = `s3-website.${domain}`;
          endpoints = { s3, website: website.origin };
        },
      },
    ],
    reconcilers: [
      { name: 'objects-lifecycle', everyMs: 3_600_000, home, run: lifecycle },
      { name: 'objects-sweep', everyMs: 6 * 3_600_000, home, run: sweep },
      { name: 'objects-usage', everyMs: 60_000, everywhere: true, run: () => usage.flush() },
      {
        name: 'objects-stored',
        everyMs: 3_600_000,
        run: async () => usage.sample(await ports.use(contracts).numbers()),
      },
    ],
    figures: [{ of: 'cumulet_objects', table: blobFigures, read: () => blobs.figures() }],
    async close() {
      await documents.close();
      await usage.flush().finally(() => blobs.close());
    },
  };
}

// A store that does not answer may do so later.
async function demandUsable(blobs: BlobEngine, log: Log): Promise<void> {
  await blobs.probe?.().catch((error: unknown) => {
    if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
    log.warn('the object store was not checked', { error });
  });
}

// The domains that can have bucket names in front of them, in addition to the platform's.
function ownDomainsOf({ domain, publicUrl }: Context['addresses'], objectsUrl: string | undefined): string[] {
  const hosts = [objectsUrl, publicUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
  const names = hosts
    .filter((host) => host !== 'localhost' && !isIP(host.replace(/^\[|\]$/g, '')))
    .map((host) => host.replace(/^s3\./, '')); // buckets are in front of it
  return [...new Set([...(domain === undefined ? [] : [domain]), ...names])];
}
