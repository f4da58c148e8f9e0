// What a channel has to be told of a rule group: one notice for each pair of them, which gathers changes until they
// are delivered. Each alert that fired or ended is told at least once; one that did both meanwhile is told as ended.
// Pure; where it is kept is notice-rows.ts' business.
import type { Labels } from '../../series.ts';
import { type ActiveAlert, keyOf } from '../evaluation/alert-state.ts';

export interface NoticedAlert {
  labels: Labels;
  annotations: Labels;
  startsAt: number;
  endsAt: number; // 0: it is firing
  untoldSince: number; // 0: the channel knows
  generatorURL: string;
}

export interface Notice {
  alerts: NoticedAlert[];
  delivery: string; // an id that stays the same while the same thing is tried again
  attempts: number; // that failed, since the last one that did not
  lastError: string;
  dueAt: number;
}

export const repeatMs = 4 * 3_600_000;
export const giveUpMs = 24 * 3_600_000;
const firstRetryMs = 5000;
const longestRetryMs = 15 * 60_000;
const mostAlerts = 5000; // that are gathered

export const newNotice = (delivery: string): Notice => ({
  alerts: [],
  delivery,
  attempts: 0,
  lastError: '',
  dueAt: 0,
});

export const noticed = (alert: ActiveAlert, generatorURL: string, now: number, endsAt = 0): NoticedAlert => ({
  labels: alert.labels,
  annotations: alert.annotations,
  startsAt: alert.firedAt,
  endsAt,
  untoldSince: now,
  generatorURL,
});

const episodeOf = ({ labels, startsAt }: NoticedAlert): string => `${startsAt} ${keyOf(labels)}`;

// News go out at once where the channel takes what it is sent, else with the next attempt.
export function withNews(notice: Notice, news: readonly NoticedAlert[], delivery: string, now: number): Notice {
  const byEpisode = new Map(notice.alerts.map((alert) => [episodeOf(alert), alert]));
  for (const alert of news) byEpisode.set(episodeOf(alert), alert);
  const alerts = [...byEpisode.values()].sort(byImportance).slice(0, mostAlerts);
  return { ...notice, alerts, delivery, dueAt: notice.attempts === 0 ? now : notice.dueAt };
}

// Those that are firing first, the newest of them before the others.
export const byImportance = (a: NoticedAlert, b: NoticedAlert): number =>
  Number(a.endsAt > 0) - Number(b.endsAt > 0) ||
  b.startsAt - a.startsAt ||
  (keyOf(a.labels) < keyOf(b.labels) ? -1 : 1);

// `sent` is what the channel has taken; there may be news since it was put together. Undefined: nothing is left to do.
export function accepted(notice: Notice, sent: Notice, now: number): Notice | undefined {
  const taken = new Map(sent.alerts.map((alert) => [episodeOf(alert), alert.endsAt]));
  const alerts = notice.alerts.flatMap((alert) => {
    if (taken.get(episodeOf(alert)) !== alert.endsAt) return [alert];
    return alert.endsAt > 0 ? [] : [{ ...alert, untoldSince: 0 }];
  });
  if (alerts.length === 0) return undefined;
  const isNews = alerts.some(({ untoldSince }) => untoldSince > 0);
  return { ...notice, alerts, attempts: 0, lastError: '', dueAt: isNews ? now : now + repeatMs };
}

export interface Failed {
  notice: Notice | undefined; // undefined: nothing is left to be told
  lost: number; // alerts that nobody could be told of for a day
}

export function failed(notice: Notice, error: string, now: number): Failed {
  const isOld = ({ untoldSince }: NoticedAlert): boolean => untoldSince > 0 && now - untoldSince >= giveUpMs;
  const lost = notice.alerts.filter(isOld).length;
  const alerts = notice.alerts.flatMap((alert) => {
    if (!isOld(alert)) return [alert];
    return alert.endsAt > 0 ? [] : [{ ...alert, untoldSince: 0 }]; // it is still firing: told with the next repetition
  });
  if (alerts.length === 0) return { notice: undefined, lost };
  const attempts = notice.attempts + 1;
  const isNews = alerts.some(({ untoldSince }) => untoldSince > 0);
  const next = { ...notice, alerts, attempts, lastError: error.slice(0, 500) };
  if (isNews) return { notice: { ...next, dueAt: now + retryMs(attempts) }, lost };
  return { notice: { ...next, attempts: 0, dueAt: now + repeatMs }, lost };
}

export const retryMs = (attempts: number): number => Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1));
