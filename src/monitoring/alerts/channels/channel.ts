// Notification channels of a contract and region: a webhook or a mailbox. Their secrets (signing key, credentials) are
// sealed and stored separately from the properties, and used only for deliveries.
import { Fault, type Problem } from '../../../base/fault.ts';
import type { Json, Values } from '../../../base/json.ts';
import type { Seal } from '../../../base/seal.ts';
import { check, flag, list, type Properties, report, text } from '../../../core/schema.ts';
import { type Key, type Row, rowOf } from '../../../core/state/engine.ts';
import type { Store } from '../../../core/store.ts';
import type { AlertPipeline } from '../../../surface/alerting/source.ts';
import { rowsBelow } from '../alert-rows.ts';
import { mailbox, readTarget } from './target.ts';

export interface Channel {
  id: string;
  contract: number;
  region: string;
  properties: ChannelProperties;
  secrets: ChannelSecrets;
  trouble: Trouble | undefined;
}

export interface ChannelProperties {
  name: string;
  type: 'webhook' | 'email';
  url: string; // without a password
  takesAll: boolean; // including alerts without a channel
  sendResolved: boolean;
  recipients: string[];
  from: string | null;
}

export interface ChannelSecrets {
  secret: string; // signs webhooks
  password: string; // of the mail server
  authorization: string; // a header that the webhook requires
}

// The last time that a notification could not be delivered for a day.
export interface Trouble {
  at: number;
  message: string;
  lost: number;
}

export const channelProperties: Properties = {
  name: text({
    required: true,
    min: 1,
    max: 100,
    pattern: /^[^,\s](?:[^,]*[^,\s])?$/,
    says: 'No commas',
    example: 'ops',
  }),
  type: text({ required: true, immutable: true, oneOf: ['webhook', 'email'], example: 'webhook' }),
  url: text({
    required: true,
    min: 1,
    max: 2048,
    description: 'https://… or http://…; for a mail server: smtp://user:password@host:port or smtps://…',
    example: 'http://127.0.0.1:9/alerts',
  }),
  takesAll: flag({ default: true, description: 'Also receives alerts without a channel' }),
  sendResolved: flag({ default: true, description: 'Also notified when an alert is resolved' }),
  recipients: list(text({ min: 3, max: 254, pattern: mailbox, says: 'Expected an e-mail address' }), {
    max: 50,
    default: [],
    description: 'E-mail addresses, for type email',
  }),
  from: text({ max: 254, pattern: mailbox, says: 'Expected an e-mail address', description: 'The sender of e-mails' }),
  authorization: text({
    writeOnly: true,
    max: 4096,
    pattern: /^(?:[!-~](?:[ -~]*[!-~])?)?$/,
    says: 'Expected printable ASCII',
    description: 'The Authorization header of the webhook; a PUT without it keeps the current value',
  }),
};

export interface ReadChannel {
  properties: ChannelProperties;
  secrets: Omit<ChannelSecrets, 'secret'>;
}

const root = '(root).properties';

// `sent` are the properties; `before` is the current channel of a PUT: omitted secrets are kept while user and host
// stay the same.
export function readChannel(sent: Json | undefined, before?: Channel): ReadChannel {
  const stood = before && ({ ...before.properties, authorization: null } as unknown as Values);
  const { values, sealed, problems } = check(channelProperties, sent, before ? 'replace' : 'create', root, stood);
  const { authorization: _, ...rest } = values;
  const properties = rest as unknown as ChannelProperties;
  const read = problems.length === 0 ? examine(properties, problems) : undefined;
  if (!read) throw new Fault('refused', 'The channel is not valid.', { problems });
  const isSame = before !== undefined && sameOrigin(before.properties.url, read.properties.url);
  const kept = isSame ? before.secrets.authorization : '';
  return {
    properties: read.properties,
    secrets: {
      password: read.password || (isSame ? before.secrets.password : ''),
      authorization: typeof sealed.authorization === 'string' ? sealed.authorization : kept,
    },
  };
}

function examine(
  properties: ChannelProperties,
  problems: Problem[],
): { properties: ChannelProperties; password: string } | undefined {
  const { type, recipients } = properties;
  const target = readTarget(properties.url, type);
  if (typeof target === 'string') report(problems, `${root}.url`, target, '100');
  if (type === 'email' && recipients.length === 0)
    report(problems, `${root}.recipients`, 'An e-mail channel needs at least one recipient', '100');
  if (type === 'webhook' && recipients.length > 0)
    report(problems, `${root}.recipients`, 'A webhook has no recipients', '100');
  if (problems.length > 0 || typeof target === 'string') return undefined;
  return { properties: { ...properties, url: target.shown }, password: target.password };
}

// Secrets belong to the user and host for which they were set.
function sameOrigin(a: string, b: string): boolean {
  const [one, other] = [new URL(a), new URL(b)];
  return one.protocol === other.protocol && one.host === other.host && one.username === other.username;
}

const place = 'alerting/channels';
export const channelsPlace = (contract: number, region: string): string => `${place}/${contract}/${region}`;
export const channelKey = (contract: number, region: string, id: string): Key => ({
  contract: 0,
  place: channelsPlace(contract, region),
  id,
});

export function newChannelRow(contract: number, region: string, id: string): Row {
  return rowOf({ ...channelKey(contract, region, id), kind: 'alert-channel' });
}

export function channelRow(
  row: Row,
  { properties, secrets, trouble }: Omit<Channel, 'id' | 'contract' | 'region'>,
  seal: Seal,
): Row {
  const hidden = JSON.stringify({ sealed: seal.close(JSON.stringify(secrets)) });
  return { ...row, body: JSON.stringify({ properties, ...(trouble && { trouble }) }), hidden };
}

export function channelOf(row: Row, seal: Seal): Channel {
  const { properties, trouble } = JSON.parse(row.body) as Pick<Channel, 'properties'> & { trouble?: Trouble };
  const { sealed } = JSON.parse(row.hidden) as { sealed: string };
  const [, , contract, region = ''] = row.place.split('/');
  const secrets = JSON.parse(seal.open(sealed)) as ChannelSecrets;
  return { id: row.id, contract: Number(contract), region, properties, secrets, trouble };
}

// Of one region, or of all regions.
export const channelRows = (store: Store, contract: number, region?: string): Promise<Row[]> =>
  region === undefined ? rowsBelow(store, `${place}/${contract}/`) : store.children(0, channelsPlace(contract, region));

// The channels of an alert: those that it names, by name or id; otherwise all with takesAll.
export function channelsFor(channels: readonly Channel[], named: string | undefined): Channel[] {
  const names = (named ?? '').split(',').map((name) => name.trim());
  const chosen = channels.filter(({ id, properties }) => names.includes(id) || names.includes(properties.name));
  return chosen.length > 0 ? chosen : channels.filter(({ properties }) => properties.takesAll);
}

export const channelsOf = async (store: Store, { contract, region }: AlertPipeline, seal: Seal): Promise<Channel[]> =>
  (await channelRows(store, contract, region)).map((row) => channelOf(row, seal));
