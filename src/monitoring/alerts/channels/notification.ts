// The notification of a channel about a rule group: one for each pair, which collects changes until they are delivered.
// Each alert that fired or ended is sent at least once; one that did both in between is sent as resolved. Pure
// functions; notification-rows.ts stores it.
import type { Labels } from '../../series.ts';
import { type ActiveAlert, keyOf, textOf } from '../evaluation/alert-state.ts';

export interface NotifiedAlert {
  labels: Labels;
  annotations: Labels;
  startsAt: number;
  endsAt: number; // 0: it is firing
  untoldSince: number; // since when its change is not delivered; 0: the channel was notified
  generatorURL: string;
}

export interface AlertNotification {
  alerts: NotifiedAlert[];
  delivery: string; // an id that stays the same for all attempts of a delivery
  attempts: number; // failed attempts since the last success
  lastError: string;
  dueAt: number;
}

export const repeatMs = 4 * 3_600_000;
export const giveUpMs = 24 * 3_600_000;
const firstRetryMs = 5000;
const longestRetryMs = 15 * 60_000;
const mostAlerts = 5000; // limit for collected alerts
const mostText = 4 * 1024 * 1024; // limit for their characters

export const newNotification = (delivery: string): AlertNotification => ({
  alerts: [],
  delivery,
  attempts: 0,
  lastError: '',
  dueAt: 0,
});

export const notifiedAlert = (alert: ActiveAlert, generatorURL: string, now: number, endsAt = 0): NotifiedAlert => ({
  labels: alert.labels,
  annotations: alert.annotations,
  startsAt: alert.firedAt,
  endsAt,
  untoldSince: now,
  generatorURL,
});

const episodeOf = ({ labels, startsAt }: NotifiedAlert): string => `${startsAt} ${keyOf(labels)}`;

// Changes are sent at once while deliveries succeed, otherwise with the next attempt.
export function withNews(
  notification: AlertNotification,
  news: readonly NotifiedAlert[],
  delivery: string,
  now: number,
): AlertNotification {
  const byEpisode = new Map(notification.alerts.map((alert) => [episodeOf(alert), alert]));
  for (const alert of news) byEpisode.set(episodeOf(alert), alert);
  const alerts = fitting([...byEpisode.values()].sort(byImportance).slice(0, mostAlerts));
  return { ...notification, alerts, delivery, dueAt: notification.attempts === 0 ? now : notification.dueAt };
}

function fitting(alerts: NotifiedAlert[]): NotifiedAlert[] {
  let left = mostText;
  return alerts.filter((alert) => {
    left -= textOf(alert);
    return left >= 0;
  });
}

// Firing alerts first, newest first.
export const byImportance = (a: NotifiedAlert, b: NotifiedAlert): number =>
  Number(a.endsAt > 0) - Number(b.endsAt > 0) ||
  b.startsAt - a.startsAt ||
  (keyOf(a.labels) < keyOf(b.labels) ? -1 : 1);

// `sent` is the notification that the channel accepted; alerts may have changed since. Undefined: there is nothing left
// to do.
export function accepted(
  notification: AlertNotification,
  sent: AlertNotification,
  now: number,
): AlertNotification | undefined {
  const taken = new Map(sent.alerts.map((alert) => [episodeOf(alert), alert.endsAt]));
  const alerts = notification.alerts.flatMap((alert) => {
    if (taken.get(episodeOf(alert)) !== alert.endsAt) return [alert];
    return alert.endsAt > 0 ? [] : [{ ...alert, untoldSince: 0 }];
  });
  if (alerts.length === 0) return undefined;
  const isNews = alerts.some(({ untoldSince }) => untoldSince > 0);
  return { ...notification, alerts, attempts: 0, lastError: '', dueAt: isNews ? now : now + repeatMs };
}

export interface Failed {
  notification: AlertNotification | undefined; // undefined: there is nothing left to send
  lost: number; // alerts that could not be delivered for a day
}

export function failed(notification: AlertNotification, error: string, now: number): Failed {
  const isOld = ({ untoldSince }: NotifiedAlert): boolean => untoldSince > 0 && now - untoldSince >= giveUpMs;
  const lost = notification.alerts.filter(isOld).length;
  const alerts = notification.alerts.flatMap((alert) => {
    if (!isOld(alert)) return [alert];
    return alert.endsAt > 0 ? [] : [{ ...alert, untoldSince: 0 }]; // still firing: sent with the next repetition
  });
  if (alerts.length === 0) return { notification: undefined, lost };
  const attempts = notification.attempts + 1;
  const isNews = alerts.some(({ untoldSince }) => untoldSince > 0);
  const next = { ...notification, alerts, attempts, lastError: error.slice(0, 500) };
  if (isNews) return { notification: { ...next, dueAt: now + retryMs(attempts) }, lost };
  return { notification: { ...next, attempts: 0, dueAt: now + repeatMs }, lost };
}

export const retryMs = (attempts: number): number => Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1));
