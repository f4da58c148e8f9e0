// Delivers notifications to their channels: sends due ones, and retries with growing delays for a day. A notification
// is marked as sent only after the receiver accepted it, so a crash in between sends it twice.
import type { Log } from '../../../base/log.ts';
import type { Seal } from '../../../base/seal.ts';
import type { Row } from '../../../core/state/engine.ts';
import type { Store } from '../../../core/store.ts';
import { LimitedTasks } from '../limited-tasks.ts';
import { type Channel, type ChannelSecrets, channelOf, channelRow } from './channel.ts';
import { type AlertNotification, accepted, type Failed, failed } from './notification.ts';
import {
  allNotifications,
  contractOf,
  notificationOf,
  notificationWrite,
  type StoredNotification,
} from './notification-rows.ts';
import { type AlertPayload, payloadOf } from './payload.ts';
import { mailbox } from './target.ts';
import { callWebhook, DeliveryError } from './webhook.ts';

export interface DeliveryTools {
  store: Store;
  seal: Seal;
  log: Log;
  now: () => number; // the movable clock, which decides when notifications are due
  real: () => number; // real time, which receivers compare with their clocks
  authorities: readonly string[]; // additional trusted certificates
  dashboardUrl(contract: number, region: string): string;
}

const mostAtOnce = 16;
const mostOfContract = 4; // unresponsive receivers delay only their own contract
const patienceMs = 2000;
const restMs = 60_000; // pause after our own failures, so that no delivery is repeated every second

export class Deliveries {
  #tools: DeliveryTools;
  #tasks = new LimitedTasks(mostAtOnce, mostOfContract);
  #rows: Row[] = [];
  #epoch: number | string | undefined;
  #resting = new Map<string, number>();

  constructor(tools: DeliveryTools) {
    this.#tools = tools;
  }

  async run(): Promise<void> {
    const { store, now, log } = this.#tools;
    const epoch = await store.epochOf(0);
    if (epoch !== this.#epoch) this.#rows = await allNotifications(store);
    this.#epoch = epoch;
    const time = now();
    for (const row of this.#rows) {
      const key = `${row.place}/${row.id}`;
      if (row.time > time || (this.#resting.get(key) ?? 0) > time) continue;
      this.#resting.delete(key);
      const rest = (error: unknown): void => {
        log.error('notification not delivered', { error });
        this.#resting.set(key, time + restMs);
      };
      this.#tasks.start(key, () => this.#deliver(row).catch(rest), contractOf(row));
    }
    await this.#tasks.settled(patienceMs);
  }

  async close(): Promise<void> {
    await this.#tasks.settled(patienceMs);
  }

  async #deliver({ place, id }: Row): Promise<void> {
    const { store, now, log } = this.#tools;
    const row = await store.get(0, place, id);
    if (!row || row.time > now()) return; // another node was faster
    const kept = notificationOf(row);
    const channel = await this.#channelOf(kept);
    if (!channel) return void (await store.apply([notificationWrite(kept, undefined)]));
    try {
      const notification = forChannel(channel, kept.notification);
      if (notification.alerts.length > 0) await this.#send(channel, kept, notification);
      await this.#settle(kept, (current) => accepted(current, kept.notification, now()));
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const result = await this.#settle(kept, (current) => failed(current, error.message, now()));
      const { lost = 0, notification } = result as Partial<Failed>;
      log.warn('alert not delivered', { channel: channel.id, reason: error.message, attempts: notification?.attempts });
      if (lost > 0) await this.#noteTrouble(kept, error.message, lost);
    }
  }

  async #channelOf({ channel: { contract, place, id } }: StoredNotification): Promise<Channel | undefined> {
    const row = await this.#tools.store.get(contract, place, id);
    return row && channelOf(row, this.#tools.seal);
  }

  async #send(channel: Channel, { about }: StoredNotification, notification: AlertNotification): Promise<void> {
    const { dashboardUrl } = this.#tools;
    const url = dashboardUrl(channel.contract, channel.region);
    await send(
      this.#tools,
      channel,
      payloadOf(about, notification, channel.properties.name, url),
      notification.delivery,
    );
  }

  // The notification may have changed since it was read: the result is applied to its current version.
  #settle(
    kept: StoredNotification,
    next: (current: AlertNotification) => AlertNotification | Failed | undefined,
  ): Promise<AlertNotification | Failed | undefined> {
    const { store } = this.#tools;
    return store.change(async () => {
      const row = await store.get(0, kept.row.place, kept.row.id);
      if (!row) return { writes: [], value: undefined };
      const current = notificationOf(row);
      const value = next(current.notification);
      return { writes: [notificationWrite(current, value && 'lost' in value ? value.notification : value)], value };
    });
  }

  async #noteTrouble({ channel }: StoredNotification, message: string, lost: number): Promise<void> {
    const { store, seal, now } = this.#tools;
    await store.change(async () => {
      const row = await store.get(channel.contract, channel.place, channel.id);
      if (!row) return { writes: [], value: undefined };
      const trouble = { at: now(), message, lost };
      const next = channelRow(row, { ...channelOf(row, seal), trouble }, seal);
      return { writes: [{ op: 'update', table: 'resource', row: next }], value: undefined };
    });
  }
}

// Resolved alerts are omitted for channels that do not want them.
const forChannel = ({ properties }: Channel, notification: AlertNotification): AlertNotification =>
  properties.sendResolved
    ? notification
    : { ...notification, alerts: notification.alerts.filter(({ endsAt }) => endsAt === 0) };

// Returns the answer of the receiver; throws a DeliveryError if it did not accept.
export async function send(
  { real, authorities }: Pick<DeliveryTools, 'real' | 'authorities'>,
  { properties, secrets }: { properties: Channel['properties']; secrets: ChannelSecrets },
  payload: AlertPayload,
  delivery: string,
): Promise<string> {
  const nowMs = real();
  const { url, recipients } = properties;
  if (properties.type === 'webhook') {
    const { secret, authorization } = secrets;
    return callWebhook({ url, body: JSON.stringify(payload), secret, authorization, delivery, nowMs, authorities });
  }
  const [{ letterText }, { sendMail }] = await Promise.all([import('./letter.ts'), import('./mail.ts')]);
  const from = properties.from ?? senderOf(url);
  const message = letterText({ from, to: recipients, payload, delivery, nowMs });
  return sendMail({ url, password: secrets.password, from, recipients, message, authorities });
}

// A user name that is an e-mail address is the sender.
function senderOf(url: string): string {
  const { username, hostname } = new URL(url);
  const user = decodeURIComponent(username);
  if (mailbox.test(user)) return user;
  const host = /^[\w.-]*[a-z][\w.-]*$/i.test(hostname) ? hostname : 'localhost';
  return `cumulet@${host}`;
}
