// The load of a running demo. Parts of the shop that the user has deleted get none.
import type { Json, Values } from '../../base/json.ts';
import { S3Client } from '../../core/s3-client/client.ts';
import { operatorAccounts, operatorLab } from '../../surface/operator.ts';
import { machineEngine } from '../../surface/ports.ts';
import { type SeededRegion, storageOf, withClient } from '../region-seed.ts';
import { bucketScheme } from '../seed-buckets.ts';
import { SeedClient } from '../seed-client.ts';
import {
  type Flow,
  linesFlow,
  machineFlow,
  metricsFlow,
  objectsFlow,
  ordersFlow,
  type Post,
  type Produce,
  postTo,
  visitorsFlow,
  workersFlow,
} from './flows.ts';

const storageKeys = '/objectstorage-management/accesskeys';

interface Endpoint {
  path: string;
  key: string;
}

// The targets of the load, with their keys.
export interface Shop {
  metrics: Endpoint[];
  lines: Endpoint[];
  servers: string[]; // ids
  groups: string[];
  balancers: string[]; // addresses
  topics?: { token: string; id: string; pathOf: { [topic: string]: string } }; // and the id of the token
  storage?: { bucket: string; id: string; accessKey: string; secretKey: string };
}

// Finds the parts of the shop that still exist, and gets new keys for them.
export const findShop = (
  region: SeededRegion,
  contract: number,
  made: readonly string[],
  before: Shop | undefined,
): Promise<Shop> =>
  withClient(
    region,
    async (client) => {
      const found = await foundIn(client, made);
      const all = (pattern: RegExp): Found[] => found.filter(({ path }) => pattern.test(path));
      const endpointsOf = (pattern: RegExp, addressOf: (one: Found) => Json | undefined): Promise<Endpoint[]> =>
        Promise.all(
          all(pattern).map(async (one) => {
            const { body } = await client.call('POST', `${one.path}/key`);
            return { path: new URL(String(addressOf(one))).pathname, key: String(body.key) };
          }),
        );
      await dropKeys(region, client, contract, before);
      const storage = await storageKeyFor(client, made);
      const topics = await topicsOf(region, contract, all(/\/topics\/[^/]+$/));
      return {
        metrics: await endpointsOf(/\/monitoring\/pipelines\/[^/]+$/, ({ metadata }) => metadata.httpEndpoint),
        lines: await endpointsOf(/\/logging\/pipelines\/[^/]+$/, ({ properties }) => properties.httpAddress),
        servers: all(/\/servers\/[^/]+$/).map(idOf),
        groups: all(/\/autoscaling\/.*groups\/[^/]+$/).map(idOf),
        balancers: all(/\/applicationloadbalancers\/[^/]+$/).map(
          ({ properties }) => (properties.ips as string[])[0] ?? '',
        ),
        ...(topics && { topics }),
        ...(storage && { storage }),
      };
    },
    { contract },
  );

// `withHistory`: the first push of a new shop contains the last hours.
export function flowsOf(region: SeededRegion, contract: number, shop: Shop, withHistory: boolean): Flow[] {
  const now = region.clock.now();
  const post = ({ path, key }: Endpoint, below: string): Post => postTo(region.addresses.gateway() + path + below, key);
  const flows = [
    ...shop.metrics.map((one) => metricsFlow(post(one, '/api/v1/push'), now, withHistory)),
    ...shop.lines.map((one) => linesFlow(post(one, '/shop'), now, withHistory)),
  ];
  if (shop.storage) {
    const { url, region: name, now: time } = storageOf(region);
    const s3 = new S3Client({ origin: url, credentials: { ...shop.storage, region: name }, now: time });
    flows.push(objectsFlow(s3, shop.storage.bucket));
  }
  if (shop.topics) flows.push(ordersFlow(producerOf(region, shop.topics), withHistory));
  if (region.ports.use(machineEngine).isReal) return flows; // only simulated machines accept a load and packets
  const lab = region.ports.use(operatorLab);
  return [
    ...flows,
    ...shop.servers.map((id, index) => machineFlow(lab, contract, id, index)),
    ...shop.groups.map((id) => workersFlow(lab, contract, id)),
    ...shop.balancers.map((address) => visitorsFlow(lab, contract, address)),
  ];
}

const tokenTtlS = 31_536_000;

async function topicsOf(region: SeededRegion, contract: number, found: readonly Found[]): Promise<Shop['topics']> {
  if (found.length === 0) return undefined;
  const { id, token } = await region.ports.use(operatorAccounts).generateToken({ contract, ttlS: tokenTtlS });
  return { id, token, pathOf: Object.fromEntries(found.map((one) => [String(one.properties.name), one.path])) };
}

// Through the console's route for messages, which the brokers of Apache Kafka do not offer.
const producerOf =
  (region: SeededRegion, { token, pathOf }: NonNullable<Shop['topics']>): Produce =>
  async (topic, key, value) => {
    const path = pathOf[topic]?.replace(/^.*(?=\/streaming\/)/, '');
    if (path === undefined) return;
    const client = new SeedClient(region.addresses.gateway(), token);
    const bytes = (text: string): string => Buffer.from(text).toString('base64');
    const message = { key: bytes(key), value: bytes(JSON.stringify(value)) };
    const { status } = await client.call('POST', `/console${path}/messages`, message);
    if (status >= 300 && status !== 422) throw new Error(`the topic ${topic} returned ${status}`);
  };

async function storageKeyFor(client: SeedClient, made: readonly string[]): Promise<Shop['storage']> {
  const bucket = made.find((path) => path.startsWith(bucketScheme))?.slice(bucketScheme.length);
  if (bucket === undefined) return undefined;
  const { body } = await client.call('POST', storageKeys, { properties: { description: 'demo' } });
  const { accessKey = '', secretKey = '' } = (body.properties ?? {}) as { accessKey?: string; secretKey?: string };
  return { bucket, id: String(body.id), accessKey, secretKey };
}

export async function dropKeys(
  region: SeededRegion,
  client: SeedClient,
  contract: number,
  shop: Shop | undefined,
): Promise<void> {
  if (shop?.storage) await client.call('DELETE', `${storageKeys}/${shop.storage.id}`);
  const accounts = region.ports.use(operatorAccounts);
  if (shop?.topics) await accounts.deleteTokens({ contract, id: shop.topics.id }).catch(() => {}); // it may be gone
}

interface Found {
  path: string;
  properties: Values;
  metadata: Values;
}

async function foundIn(client: SeedClient, made: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const path of made.filter((one) => loaded.test(one))) {
    const { status, body } = await client.call('GET', path);
    if (status !== 200) continue; // deleted in the meantime
    found.push({ path, properties: body.properties as Values, metadata: (body.metadata ?? {}) as Values });
  }
  return found;
}

const loaded = /\/(pipelines|servers|groups|applicationloadbalancers|topics)\/[^/]+$/;
const idOf = ({ path }: Found): string => path.slice(path.lastIndexOf('/') + 1);
