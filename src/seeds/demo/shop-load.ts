// The load of a running demo. It finds the parts of the shop and gets new keys for them; parts that the user has deleted
// get no load.
import type { Values } from '../../base/json.ts';
import { S3Client } from '../../core/s3-client/client.ts';
import { operatorLab } from '../../surface/operator.ts';
import { machineEngine } from '../../surface/ports.ts';
import { type SeededRegion, storageOf, withClient } from '../region-seed.ts';
import { bucketScheme } from '../seed-buckets.ts';
import type { SeedClient } from '../seed-client.ts';
import {
  type Endpoint,
  type Flow,
  linesFlow,
  machineFlow,
  metricsFlow,
  objectsFlow,
  visitorsFlow,
  workersFlow,
} from './flows.ts';

const storageKeys = '/objectstorage-management/accesskeys';

export interface ShopToLoad {
  contract: number;
  made: readonly string[];
  storageKey: string | undefined; // of the previous load
  withHistory: boolean; // sends the last hours, too
}

export interface Connected {
  flows: Flow[];
  storageKey: string | undefined;
}

export const connectShop = (region: SeededRegion, shop: ShopToLoad): Promise<Connected> =>
  withClient(region, (client) => connect(region, client, shop), shop);

async function connect(region: SeededRegion, client: SeedClient, shop: ShopToLoad): Promise<Connected> {
  const { contract, made, withHistory } = shop;
  const now = region.clock.now();
  const flows: Flow[] = [];
  const found = await foundIn(client, made);
  const endpointOf = async (path: string, address: unknown, below: string): Promise<Endpoint> => {
    const { body } = await client.call('POST', `${path}/key`);
    return { url: region.addresses.gateway() + new URL(String(address)).pathname + below, key: String(body.key) };
  };
  for (const { path, properties, metadata } of found) {
    if (/\/monitoring\/pipelines\/[^/]+$/.test(path)) {
      const endpoint = await endpointOf(path, metadata.httpEndpoint, '/api/v1/push');
      flows.push(metricsFlow(endpoint, now, withHistory));
    }
    if (/\/logging\/pipelines\/[^/]+$/.test(path))
      flows.push(linesFlow(await endpointOf(path, properties.httpAddress, '/shop'), now, withHistory));
  }
  if (!region.ports.use(machineEngine).isReal) flows.push(...simulatedFlows(region, contract, found));
  await dropKey(client, shop.storageKey);
  const bucket = made.find((path) => path.startsWith(bucketScheme))?.slice(bucketScheme.length);
  if (bucket === undefined) return { flows, storageKey: undefined };
  const { body } = await client.call('POST', storageKeys, { properties: { description: 'demo' } });
  const { accessKey = '', secretKey = '' } = (body.properties ?? {}) as { accessKey?: string; secretKey?: string };
  const { url, now: time, region: name } = storageOf(region);
  const s3 = new S3Client({ origin: url, credentials: { accessKey, secretKey, region: name }, now: time });
  flows.push(objectsFlow(s3, bucket));
  return { flows, storageKey: String(body.id) };
}

// Only simulated machines and networks accept a load and packets of the lab.
function simulatedFlows(region: SeededRegion, contract: number, found: readonly Found[]): Flow[] {
  const lab = region.ports.use(operatorLab);
  const servers = found.filter(({ path }) => /\/servers\/[^/]+$/.test(path));
  const groups = found.filter(({ path }) => /autoscaling.*\/groups\/[^/]+$/.test(path));
  const balancers = found.filter(({ path }) => /\/applicationloadbalancers\/[^/]+$/.test(path));
  return [
    ...servers.map(({ path }, index) => machineFlow(lab, contract, idIn(path), index)),
    ...groups.map(({ path }) => workersFlow(lab, contract, idIn(path))),
    ...balancers.map(({ properties }) => visitorsFlow(lab, contract, String((properties.ips as string[])[0]))),
  ];
}

export async function dropKey(client: SeedClient, id: string | undefined): Promise<void> {
  if (id !== undefined) await client.call('DELETE', `${storageKeys}/${id}`);
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

const loaded = /\/(pipelines|servers|groups|applicationloadbalancers|clusters)\/[^/]+$/;
const idIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
