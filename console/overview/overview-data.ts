// The data of the overview. Each part is read separately, so that none waits for another. Parts that the user may not
// read are left out.

import type { IconName } from '../../src/surface/docs/icon-names.ts';
import { type Entry, nothingFound, searchFurther } from '../activity/activity-api.ts';
import { fitsKind } from '../activity/activity-model.ts';
import { call } from '../api.ts';
import { listBuckets } from '../objects/s3/buckets.ts';
import { regionNowMs } from '../region-clock.ts';
import { listRequests, noFilter, type Requested } from '../requests/requests-api.ts';
import { regionOf } from '../resources/place.ts';
import { hasPrivilege, type Session } from '../session.ts';
import { groups } from '../sitemap.ts';
import { bucketsUrl } from '../urls.ts';

export interface Kind {
  title: string;
  icon: IconName;
  url: string; // of its list in the console
  path: string; // of its list in the API
  privilege?: string; // needed to read them
}

// What products let count, in the order of the navigation.
export const countedKinds = (): Kind[] =>
  groups()
    .flatMap(({ parts }) => parts)
    .flatMap(({ icon, ...part }) => [part, ...part.beside].map((page) => ({ ...page, icon })))
    .flatMap(({ counted, icon, url }) => (counted ? [{ ...counted, icon, url }] : []));

// Of lists that are in no API with JSON, by their pages.
const counters: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown[]>>> = { [bucketsUrl()]: listBuckets };

const mostCounted = 100;

export type Count = string | undefined; // undefined: the user may not read it

// Lists have no totals, so a count beyond one page is shown as "more than".
export async function countOf(kind: Kind, session: Session, signal: AbortSignal): Promise<Count> {
  const { path, privilege, url } = kind;
  if (privilege !== undefined && !hasPrivilege(session, privilege)) return undefined;
  const list = counters[url];
  if (list) return String((await list(signal)).length);
  const { items } = await call<{ items: unknown[] }>('GET', `${path}?limit=${mostCounted + 1}`, { signal });
  return items.length > mostCounted ? `${mostCounted}+` : String(items.length);
}

export const isNothing = (counts: readonly Count[]): boolean => counts.every((one) => one === undefined || one === '0');

export interface Glance {
  running: readonly Requested[];
  failed: readonly Requested[];
  firing: readonly Firing[]; // none for users who may not read alerts
}

const mostRequests = 5;
const failedMs = 7 * 86_400_000;

export async function readGlance(home: string, seesAlerts: boolean, signal: AbortSignal): Promise<Glance> {
  const after = new Date(regionNowMs() - failedMs).toISOString();
  const [running, failed, firing] = await Promise.all([
    listRequests({ ...noFilter, state: 'BUSY', after }, 0, mostRequests, signal),
    listRequests({ ...noFilter, state: 'FAILED', after }, 0, mostRequests, signal),
    seesAlerts ? alertsFiring(home, signal) : [],
  ]);
  return { running: running.items, failed: failed.items, firing };
}

export interface Firing {
  id: string;
  name: string;
  region: string;
  count: number;
}

interface RuleItem {
  id: string;
  metadata: { state: string; alerts: unknown[]; resourceURN?: string };
  properties: { name: string };
}

export const alertRules = '/monitoring/alerting/rules';

async function alertsFiring(home: string, signal: AbortSignal): Promise<Firing[]> {
  const { items } = await call<{ items: RuleItem[] }>('GET', alertRules, { signal });
  return items
    .filter(({ metadata }) => metadata.state === 'firing')
    .map(({ id, metadata, properties }) => ({
      id,
      name: properties.name,
      region: regionOf({ metadata }) ?? home,
      count: metadata.alerts.length,
    }));
}

const mostEntries = 8;
const mostRead = 3000; // entries; the log also contains reads

export interface LastChanges {
  entries: readonly Entry[];
  read: number; // entries of the log
  isWhole: boolean; // the whole log was read
}

const isTraffic = /login|_push$|_produce$|Object$/i; // of clients, which change no resource

export async function lastChanges(signal: AbortSignal): Promise<LastChanges> {
  const now = regionNowMs();
  const span = { from: now - 35 * 86_400_000, to: now + 1000 };
  const bounds = { enough: mostEntries, most: mostRead };
  const isChange = (one: Entry): boolean => fitsKind(one, 'changes') && !isTraffic.test(one.action);
  const { entries, read, total } = await searchFurther(span, isChange, nothingFound, bounds, signal);
  return { entries: entries.slice(0, mostEntries), read, isWhole: read >= total };
}
