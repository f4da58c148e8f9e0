// What the first page shows: each part is asked for on its own, so that none waits for another, and what a user may not
// see is left out.
import { type Entry, nothingFound, searchFurther } from '../activity/activity-api.ts';
import { fitsKind } from '../activity/activity-model.ts';
import { call } from '../api.ts';
import type { IconName } from '../components/icon-names.ts';
import { listBuckets } from '../objects/s3/buckets.ts';
import { regionNowMs } from '../region-clock.ts';
import { listRequests, noFilter, type Requested } from '../requests/requests-api.ts';
import { regionOf } from '../resources/place.ts';
import { hasPrivilege, type Session } from '../session.ts';
import { bucketsUrl, resourceUrl, type ServiceName } from '../urls.ts';

export interface Kind {
  title: string;
  icon: IconName;
  url: string; // of its list in the console
  path: string; // of its list in the API
  privilege: string; // that it takes to see them; empty: none
  count?(signal: AbortSignal): Promise<number>; // absent: the items of its list
}

const kind = (
  title: string,
  icon: IconName,
  service: ServiceName,
  prefix: string,
  path: string,
  privilege = '',
): Kind => ({
  title,
  icon,
  url: resourceUrl(service, path),
  path: prefix + path,
  privilege,
});

export const kinds: readonly Kind[] = [
  kind('Datacenters', 'datacenter', 'cloudapi', '/cloudapi/v6', '/datacenters'),
  kind('Servers', 'server', 'cloudapi', '/console/across', '/datacenters/-/servers'),
  kind('Volumes', 'volume', 'cloudapi', '/console/across', '/datacenters/-/volumes'),
  kind('IP blocks', 'network', 'cloudapi', '/cloudapi/v6', '/ipblocks'),
  kind('Snapshots', 'image', 'cloudapi', '/cloudapi/v6', '/snapshots'),
  kind('Scaling groups', 'scaling', 'autoscaling', '/autoscaling/v1.ea', '/groups'),
  kind('DNS zones', 'dns', 'dns', '/dns', '/zones', 'accessAndManageDns'),
  kind(
    'Certificates',
    'certificate',
    'certificates',
    '/certificate-manager',
    '/certificates',
    'accessAndManageCertificates',
  ),
  kind('Event streams', 'stream', 'streaming', '/streaming', '/clusters', 'manageDataplatform'),
  kind('Metric pipelines', 'monitoring', 'monitoring', '/monitoring', '/pipelines', 'accessAndManageMonitoring'),
  kind('Log pipelines', 'logs', 'logging', '/logging', '/pipelines', 'accessAndManageLogging'),
  {
    title: 'Buckets',
    icon: 'bucket',
    url: bucketsUrl(),
    path: '/objectstorage-management/accesskeys',
    privilege: 's3Privilege',
    count: async (signal) => (await listBuckets(signal)).length,
  },
];

const mostCounted = 100;

export type Count = string | undefined; // undefined: not theirs to see

// The lists tell no totals: what is more than a page is told as such.
export async function countOf({ path, privilege, count }: Kind, session: Session, signal: AbortSignal): Promise<Count> {
  if (privilege !== '' && !hasPrivilege(session, privilege)) return undefined;
  if (count) return String(await count(signal));
  const { items } = await call<{ items: unknown[] }>('GET', `${path}?limit=${mostCounted + 1}`, { signal });
  return items.length > mostCounted ? `${mostCounted}+` : String(items.length);
}

export const isNothing = (counts: readonly Count[]): boolean => counts.every((one) => one === undefined || one === '0');

export interface RequestsGlance {
  running: readonly Requested[];
  failed: readonly Requested[];
}

const mostRequests = 5;
const failedMs = 7 * 86_400_000;

export async function requestsGlance(signal: AbortSignal): Promise<RequestsGlance> {
  const after = new Date(regionNowMs() - failedMs).toISOString();
  const [running, failed] = await Promise.all([
    listRequests({ ...noFilter, state: 'BUSY', after }, 0, mostRequests, signal),
    listRequests({ ...noFilter, state: 'FAILED', after }, 0, mostRequests, signal),
  ]);
  return { running: running.items, failed: failed.items };
}

export interface Firing {
  id: string;
  name: string;
  region: string;
  count: number;
}

interface ShownRule {
  id: string;
  metadata: { state: string; alerts: unknown[]; resourceURN?: string };
  properties: { name: string };
}

export async function alertsFiring(home: string, signal: AbortSignal): Promise<{ rules: number; firing: Firing[] }> {
  const { items } = await call<{ items: ShownRule[] }>('GET', '/monitoring/alerting/rules', { signal });
  const firing = items
    .filter(({ metadata }) => metadata.state === 'firing')
    .map(({ id, metadata, properties }) => ({
      id,
      name: properties.name,
      region: regionOf({ metadata }) ?? home,
      count: metadata.alerts.length,
    }));
  return { rules: items.length, firing };
}

const mostEntries = 8;
const mostRead = 3000; // of the log, which has the calls that only read too

export interface LastChanges {
  entries: readonly Entry[];
  read: number; // of the log
  isWhole: boolean; // all of it was
}

export async function lastChanges(signal: AbortSignal): Promise<LastChanges> {
  const now = regionNowMs();
  const span = { from: now - 35 * 86_400_000, to: now + 1000 };
  const bounds = { enough: mostEntries, most: mostRead };
  const isChange = (one: Entry): boolean => fitsKind(one, 'changes') && !/login/i.test(one.action);
  const { entries, read, total } = await searchFurther(span, isChange, nothingFound, bounds, signal);
  return { entries: entries.slice(0, mostEntries), read, isWhole: read >= total };
}
