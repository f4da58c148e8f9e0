// Where notices are kept until they are delivered, and while what they tell of is firing. A row's time is when it is
// due, so that who looks for those need not read the others.
import { hash } from 'node:crypto';
import { uuid } from '../../../base/ids.ts';
import { type Key, type Row, rowOf, type Write } from '../../../core/state/engine.ts';
import type { Store } from '../../../core/store.ts';
import { type AlertPipeline, rowsBelow } from '../alert-rows.ts';
import { type Channel, channelKey } from './channel.ts';
import { type Notice, type NoticedAlert, newNotice, withNews } from './notification.ts';

const place = 'alerting/notices';

// The group that a notice is about.
export interface GroupName {
  pipeline: AlertPipeline;
  namespace: string;
  group: string;
}

export interface KeptNotice {
  row: Row;
  about: GroupName;
  channel: Key; // of its row
  notice: Notice;
}

type Body = Omit<Notice, 'dueAt'> & { pipeline: string; region: string; namespace: string; group: string };

export const noticesPlace = ({ contract, id }: Pick<Channel, 'contract' | 'id'>): string =>
  `${place}/${contract}/${id}`;

export function noticeOf(row: Row): KeptNotice {
  const { pipeline, region, namespace, group, ...rest } = JSON.parse(row.body) as Body;
  const [, , contract, channel = ''] = row.place.split('/');
  return {
    row,
    about: { pipeline: { id: pipeline, contract: Number(contract), region }, namespace, group },
    channel: channelKey(Number(contract), region, channel),
    notice: { ...rest, dueAt: row.time },
  };
}

function rowBody({ pipeline, namespace, group }: GroupName, { dueAt: _, ...notice }: Notice): string {
  return JSON.stringify({ pipeline: pipeline.id, region: pipeline.region, namespace, group, ...notice } satisfies Body);
}

export function noticeWrite({ row, about }: KeptNotice, next: Notice | undefined): Write {
  if (!next) return { op: 'remove', table: 'resource', key: row, version: row.version };
  return { op: 'update', table: 'resource', row: { ...row, time: next.dueAt, body: rowBody(about, next) } };
}

// The writes that leave news for a channel.
export async function newsWrites(
  store: Store,
  about: GroupName,
  channel: Channel,
  news: readonly NoticedAlert[],
  now: number,
): Promise<Write[]> {
  const { pipeline, namespace, group } = about;
  const id = hash('sha256', JSON.stringify([pipeline.id, namespace, group]));
  const row = await store.get(0, noticesPlace(channel), id);
  const kept = row && noticeOf(row);
  const next = withNews(kept?.notice ?? newNotice(''), news, uuid(), now);
  if (kept) return [noticeWrite(kept, next)];
  const fresh = { contract: 0, place: noticesPlace(channel), id, kind: 'alert-notice', time: next.dueAt };
  return [{ op: 'insert', table: 'resource', row: rowOf({ ...fresh, body: rowBody(about, next) }) }];
}

export const allNotices = (store: Store): Promise<Row[]> => rowsBelow(store, `${place}/`);

export const noticesOf = async (store: Store, channel: Pick<Channel, 'contract' | 'id'>): Promise<KeptNotice[]> =>
  (await store.children(0, noticesPlace(channel))).map(noticeOf);
