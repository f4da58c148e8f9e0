// The API of notification channels, one set for each contract and region. The signing secret of webhooks is returned
// once, when it is created or replaced.

import { iso } from '../../../base/clock.ts';
import { Fault } from '../../../base/fault.ts';
import { randomText, uuid } from '../../../base/ids.ts';
import type { Values } from '../../../base/json.ts';
import { missingResource, missingRow } from '../../../core/missing-resource.ts';
import { changedBy, madeBy } from '../../../core/stamps.ts';
import type { Row, Write, WriteSet } from '../../../core/state/engine.ts';
import { applyChange, withEntry } from '../../../surface/change.ts';
import { always, propertiesSchema, textSchema } from '../../../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../../../surface/http/exchange.ts';
import { regionalBody } from '../../../surface/regional-dialect/body.ts';
import { bodySchema, collection, collectionSchema, hrefOf, shownSchema, stamps } from '../envelope.ts';
import type { AlertTools } from '../ports.ts';
import {
  type Channel,
  channelOf,
  channelProperties,
  channelRow,
  channelRows,
  newChannelRow,
  readChannel,
} from './channel.ts';
import { send } from './deliveries.ts';
import { notificationsOf } from './notification-rows.ts';
import { payloadOf } from './payload.ts';
import { DeliveryError } from './webhook.ts';

const mostChannels = 50; // per contract and region
const secretBytes = 32;
const path = '/alerting/channels';
const one = `${path}/{channelId}`;
const noStore = ['Cache-Control', 'no-store'];

const found = new WeakMap<Exchange, Row>();

export function channelRoutes(tools: AlertTools): Route[] {
  const route = (method: string, at: string, verb: string, summary: string, call: Route['call']): Route => ({
    method,
    path: at,
    operation: `alertchannel_${verb}`,
    summary,
    resolve: (x) => resolve(tools, x),
    call,
  });
  const body = (isNew: boolean): Partial<Route> => ({
    takesBody: true,
    bodySchema: bodySchema(propertiesSchema(channelProperties, isNew ? 'create' : 'replace'), isNew),
  });
  return [
    {
      ...route('GET', path, 'list', 'List notification channels', (x) => list(tools, x)),
      replySchema: collectionSchema(schema),
    },
    {
      ...route('POST', path, 'create', 'Create a notification channel; its secret is returned only once', (x) =>
        create(tools, x),
      ),
      ...body(true),
      replyStatus: 201,
      replySchema: schema,
    },
    {
      ...route('GET', one, 'get', 'Read a notification channel', async (x) =>
        json(200, await shown(tools, x, rowOf(x))),
      ),
      replySchema: schema,
    },
    {
      ...route('PUT', one, 'replace', 'Replace a notification channel', (x) => replace(tools, x)),
      ...body(false),
      replySchema: schema,
    },
    {
      ...route('DELETE', one, 'remove', 'Delete a notification channel with its pending notifications', (x) =>
        remove(tools, x),
      ),
      replyStatus: 204,
    },
    {
      ...route(
        'POST',
        `${one}/secret`,
        'secret_replace',
        'Create a new secret for signatures; it is returned only once',
        (x) => newSecret(tools, x),
      ),
      replySchema: always({ secret: textSchema }),
    },
    {
      ...route('POST', `${one}/test`, 'test', 'Send a test notification', (x) => test(tools, x)),
      replySchema: always({ delivered: { type: 'boolean' }, detail: textSchema }),
    },
  ];
}

const rowOf = (x: Exchange): Row => found.get(x) as Row;

async function resolve({ store, sources }: AlertTools, x: Exchange): Promise<void> {
  sources.demandPrivilege(x);
  const [id] = x.params;
  if (id === undefined) return;
  const row = (await channelRows(store, x.who.contract, x.region)).find((each) => each.id === id.toLowerCase());
  if (!row) throw missingResource({ name: 'channel' }, id);
  found.set(x, row);
  x.rows = [row];
}

async function list(tools: AlertTools, x: Exchange): Promise<Reply> {
  const rows = await channelRows(tools.store, x.who.contract, x.region);
  const items: object[] = [];
  for (const row of rows) items.push(await shown(tools, x, row));
  return json(200, collection(x, 'channels', items));
}

async function create(tools: AlertTools, x: Exchange): Promise<Reply> {
  const { store, seal, now, defaultRegion } = tools;
  const { contract } = x.who;
  const region = x.region ?? defaultRegion;
  const { properties, secrets } = readChannel(regionalBody(x.body, 'create', '').properties);
  const secret = properties.type === 'webhook' ? randomText(secretBytes) : '';
  const time = now();
  const fresh = {
    ...newChannelRow(contract, region, uuid()),
    time,
    owner: x.who.user,
    meta: madeBy(x.who, x.who.user),
  };
  const row = channelRow(fresh, { properties, secrets: { ...secrets, secret }, trouble: undefined }, seal);
  await applyChange(store, async () => {
    if ((await channelRows(store, contract, region)).length >= mostChannels)
      throw new Fault('refused', `A contract can have at most ${mostChannels} channels in a region. Delete one first.`);
    return entered(x, row, 'create', [{ op: 'insert', table: 'resource', row }], time);
  });
  const once = secret === '' ? {} : { secret };
  return json(201, await shown(tools, x, row, once), noStore);
}

async function replace(tools: AlertTools, x: Exchange): Promise<Reply> {
  const row = await change(tools, x, 'replace', (before) => {
    const { properties, secrets } = readChannel(regionalBody(x.body, 'replace', before.id).properties, before);
    return { ...before, properties, secrets: { ...before.secrets, ...secrets }, trouble: undefined };
  });
  return json(200, await shown(tools, x, row));
}

async function newSecret(tools: AlertTools, x: Exchange): Promise<Reply> {
  const secret = randomText(secretBytes);
  await change(tools, x, 'secret', (before) => {
    if (before.properties.type !== 'webhook') throw new Fault('refused', 'Only webhooks have a secret.');
    return { ...before, secrets: { ...before.secrets, secret } };
  });
  return json(200, { secret }, noStore);
}

async function change(
  { store, seal, now }: AlertTools,
  x: Exchange,
  verb: string,
  decide: (before: Channel) => Channel,
): Promise<Row> {
  const { place, id } = rowOf(x);
  let row = rowOf(x);
  await applyChange(store, async () => {
    const current = await store.get(0, place, id);
    if (!current) throw missingRow(row);
    const time = now();
    row = {
      ...channelRow(current, decide(channelOf(current, seal)), seal),
      meta: changedBy(current.meta, x.who, time),
    };
    return entered(x, row, verb, [{ op: 'update', table: 'resource', row }], time);
  });
  return row;
}

async function remove({ store, now }: AlertTools, x: Exchange): Promise<Reply> {
  const row = rowOf(x);
  await applyChange(store, async () => {
    const notifications = await notificationsOf(store, { contract: x.who.contract, id: row.id });
    const rows = [row, ...notifications.map((notification) => notification.row)];
    const writes = rows.map((key): Write => ({ op: 'remove', table: 'resource', key, loose: true }));
    return entered(x, row, 'remove', writes, now());
  });
  return { status: 204 };
}

async function test(tools: AlertTools, x: Exchange): Promise<Reply> {
  const { seal, now, dashboardUrl } = tools;
  const channel = channelOf(rowOf(x), seal);
  const { contract, region } = channel;
  const externalURL = dashboardUrl(contract, region);
  const time = now();
  const alert = {
    labels: [['alertname', 'TestNotification']] as const,
    annotations: [['summary', 'A test of this channel. Nothing is wrong.']] as const,
    startsAt: time,
    endsAt: 0,
    untoldSince: time,
    generatorURL: externalURL,
  };
  const about = { pipeline: { source: '', id: 'test', contract, region }, namespace: 'test', group: 'test' };
  try {
    const payload = payloadOf(about, { alerts: [alert] }, channel.properties.name, externalURL);
    return json(200, { delivered: true, detail: await send(tools, channel, payload, uuid()) });
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return json(200, { delivered: false, detail: error.message });
  }
}

function entered(x: Exchange, row: Row, verb: string, writes: WriteSet, now: number): WriteSet {
  const target = { kind: 'alertchannel', path: `channels/${row.id}`, action: `monitoring.channel.${verb}` };
  return withEntry(x, { writes, targets: [target] }, now);
}

async function shown({ store, seal }: AlertTools, x: Exchange, row: Row, once: Values = {}): Promise<object> {
  const channel = channelOf(row, seal);
  const waiting = (await notificationsOf(store, channel)).filter(({ notification }) =>
    notification.alerts.some(({ untoldSince }) => untoldSince > 0),
  );
  const lastError = waiting.find(({ notification }) => notification.lastError !== '')?.notification.lastError;
  const { trouble } = channel;
  return {
    id: row.id,
    type: 'alert-channel',
    href: hrefOf(x, 'channels', row.id),
    metadata: {
      ...stamps(row),
      status: 'AVAILABLE',
      region: channel.region,
      waiting: waiting.length,
      ...(lastError !== undefined && { lastError }),
      ...(trouble && { lost: { ...trouble, at: iso(trouble.at) } }),
      ...once,
    },
    properties: { ...channel.properties, authorization: null },
  };
}

const schema = shownSchema('alert-channel', propertiesSchema(channelProperties, 'read'), {
  waiting: { type: 'integer', description: 'The number of undelivered notifications' },
  lastError: { type: 'string', description: 'Why the last delivery failed' },
  lost: { type: 'object', description: 'Alerts that could not be delivered for a day' },
  secret: { type: 'string', description: 'Signs webhooks; returned only at the creation' },
});
