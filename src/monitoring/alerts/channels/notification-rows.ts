// The rows of notifications, stored until they are delivered and while their alerts are firing. The time of a row is
// its due time, so that a scan for due ones does not parse the others.
import { hash } from 'node:crypto';
import { uuid } from '../../../base/ids.ts';
import { type Key, type Row, rowOf, type Write } from '../../../core/state/engine.ts';
import type { Store } from '../../../core/store.ts';
import type { AlertPipeline } from '../../../surface/alerting/source.ts';
import { type OfPipeline, ofPipeline, rowsBelow, sourceIn } from '../alert-rows.ts';
import { type Channel, channelKey } from './channel.ts';
import { type AlertNotification, type NotifiedAlert, newNotification, withNews } from './notification.ts';

const place = 'alerting/notices';

// The group of a notification.
export interface GroupName {
  pipeline: AlertPipeline;
  namespace: string;
  group: string;
}

export interface StoredNotification {
  row: Row;
  about: GroupName;
  channel: Key; // key of the channel's row
  notification: AlertNotification;
}

type Body = Omit<AlertNotification, 'dueAt'> & OfPipeline & { pipeline: string; namespace: string; group: string };

export const notificationsPlace = ({ contract, id }: Pick<Channel, 'contract' | 'id'>): string =>
  `${place}/${contract}/${id}`;

// The contract of the channel.
export const contractOf = ({ place: of }: Row): string => of.split('/')[2] ?? '';

export function notificationOf(row: Row): StoredNotification {
  const { pipeline: id, region, source, namespace, group, ...rest } = JSON.parse(row.body) as Body;
  const contract = Number(contractOf(row));
  const [, , , channel = ''] = row.place.split('/');
  return {
    row,
    about: {
      pipeline: { source: sourceIn({ region, source }), id, contract, region },
      namespace,
      group,
    },
    channel: channelKey(contract, region, channel),
    notification: { ...rest, dueAt: row.time },
  };
}

function rowBody({ pipeline, namespace, group }: GroupName, { dueAt: _, ...notification }: AlertNotification): string {
  return JSON.stringify({
    pipeline: pipeline.id,
    ...ofPipeline(pipeline),
    namespace,
    group,
    ...notification,
  } satisfies Body);
}

export function notificationWrite({ row, about }: StoredNotification, next: AlertNotification | undefined): Write {
  if (!next) return { op: 'remove', table: 'resource', key: row, version: row.version };
  return { op: 'update', table: 'resource', row: { ...row, time: next.dueAt, body: rowBody(about, next) } };
}

// The writes that add changed alerts to the notification of a channel.
export async function newsWrites(
  store: Store,
  about: GroupName,
  channel: Channel,
  news: readonly NotifiedAlert[],
  now: number,
): Promise<Write[]> {
  const { pipeline, namespace, group } = about;
  const id = hash('sha256', JSON.stringify([pipeline.id, namespace, group]));
  const row = await store.get(0, notificationsPlace(channel), id);
  const kept = row && notificationOf(row);
  const next = withNews(kept?.notification ?? newNotification(''), news, uuid(), now);
  if (kept) return [notificationWrite(kept, next)];
  const fresh = { contract: 0, place: notificationsPlace(channel), id, kind: 'alert-notice', time: next.dueAt };
  return [{ op: 'insert', table: 'resource', row: rowOf({ ...fresh, body: rowBody(about, next) }) }];
}

export const allNotifications = (store: Store): Promise<Row[]> => rowsBelow(store, `${place}/`);

export const notificationsOf = async (
  store: Store,
  channel: Pick<Channel, 'contract' | 'id'>,
): Promise<StoredNotification[]> => (await store.children(0, notificationsPlace(channel))).map(notificationOf);
