// The changes collected in a notification until it is delivered, and its payload.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AlertNotification,
  accepted,
  failed,
  giveUpMs,
  type NotifiedAlert,
  newNotification,
  repeatMs,
  retryMs,
  withNews,
} from './notification.ts';
import { fingerprint, payloadOf } from './payload.ts';

const minute = 60_000;
const start = 1_800_000_000_000;
const alertOf = (host: string, startsAt = start, endsAt = 0, untoldSince = start): NotifiedAlert => ({
  labels: [
    ['alertname', 'High'],
    ['host', host],
  ],
  annotations: [['summary', `${host} is high`]],
  startsAt,
  endsAt,
  untoldSince,
  generatorURL: 'http://localhost/console',
});
const shown = (notification: AlertNotification | undefined): string[] =>
  notification?.alerts.map(({ labels, endsAt, untoldSince }) => {
    const host = new Map(labels).get('host');
    return `${host}${endsAt > 0 ? '!' : ''}${untoldSince > 0 ? '?' : ''}`;
  }) ?? [];

test('changes are due at once; accepted alerts are repeated after four hours while they fire', () => {
  const fresh = withNews(newNotification(''), [alertOf('a')], 'd1', start);
  assert.deepEqual([shown(fresh), fresh.dueAt, fresh.delivery], [['a?'], start, 'd1']);
  const delivered = accepted(fresh, fresh, start + 100);
  assert.deepEqual([shown(delivered), delivered?.dueAt], [['a'], start + 100 + repeatMs]);
  const over = withNews(
    delivered as AlertNotification,
    [alertOf('a', start, start + minute, start + minute)],
    'd2',
    start + minute,
  );
  assert.deepEqual([shown(over), over.dueAt], [['a!?'], start + minute]);
  assert.equal(accepted(over, over, start + minute), undefined);
});

test('changes during a delivery are not lost', () => {
  const sent = withNews(newNotification(''), [alertOf('a')], 'd1', start);
  const meanwhile = withNews(sent, [alertOf('b'), alertOf('a', start, start + minute)], 'd2', start + minute);
  const next = accepted(meanwhile, sent, start + minute);
  assert.deepEqual([shown(next), next?.dueAt], [['b?', 'a!?'], start + minute]);
});

test('an alert that fired again during failures is notified as resolved and as firing', () => {
  let notification = withNews(newNotification(''), [alertOf('a')], 'd1', start);
  notification = failed(notification, 'no', start).notification as AlertNotification;
  notification = withNews(notification, [alertOf('a', start, start + minute)], 'd2', start + minute);
  assert.deepEqual(shown(notification), ['a!?']);
  notification = withNews(notification, [alertOf('a', start + 2 * minute)], 'd3', start + 2 * minute);
  assert.deepEqual(shown(notification), ['a?', 'a!?']);
  assert.equal(notification.dueAt, start + retryMs(1), 'changes do not speed up retries');
});

test('failures are retried with growing delays, for a day', () => {
  let notification: AlertNotification | undefined = withNews(
    newNotification(''),
    [alertOf('a'), alertOf('b', start, start + 1)],
    'd1',
    start,
  );
  const waits: number[] = [];
  let now = start;
  let lost = 0;
  while (notification?.alerts.some(({ untoldSince }) => untoldSince > 0)) {
    const result = failed(notification, 'answered 500', now);
    ({ lost } = result);
    notification = result.notification;
    const wait: number = (notification?.dueAt ?? 0) - now;
    if (lost === 0) waits.push(wait / 1000);
    now += wait;
  }
  assert.deepEqual(waits.slice(0, 9), [5, 10, 20, 40, 80, 160, 320, 640, 900]);
  assert.ok(waits.every((wait) => wait <= 900));
  assert.equal(lost, 2);
  assert.ok(now - repeatMs - start >= giveUpMs && now - repeatMs - start < giveUpMs + 900_000);
  assert.deepEqual(shown(notification), ['a'], 'the firing one is notified with the next repetition');
});

test('[METRIC-07] the payload is that of Alertmanager', () => {
  const about = {
    pipeline: { source: 'monitoring', id: 'p', contract: 1, region: 'de-txl' },
    namespace: 'app',
    group: 'web',
  };
  const alerts = [alertOf('b', start, start + minute), alertOf('a')];
  const payload = payloadOf(about, { alerts }, 'ops', 'http://localhost/console');
  assert.deepEqual(Object.keys(payload), [
    'version',
    'groupKey',
    'truncatedAlerts',
    'status',
    'receiver',
    'groupLabels',
    'commonLabels',
    'commonAnnotations',
    'externalURL',
    'alerts',
  ]);
  assert.deepEqual([payload.version, payload.status, payload.receiver], ['4', 'firing', 'ops']);
  assert.deepEqual([payload.commonLabels, payload.commonAnnotations], [{ alertname: 'High' }, {}]);
  assert.deepEqual(payload.alerts[0], {
    status: 'firing',
    labels: { alertname: 'High', host: 'a' },
    annotations: { summary: 'a is high' },
    startsAt: '2027-01-15T08:00:00.000Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://localhost/console',
    fingerprint: fingerprint(alertOf('a').labels),
  });
  assert.deepEqual([payload.alerts[1]?.status, payload.alerts[1]?.endsAt], ['resolved', '2027-01-15T08:01:00.000Z']);
  const over = payloadOf(about, { alerts: alerts.slice(0, 1) }, 'ops', '');
  assert.equal(over.status, 'resolved');
  const many = payloadOf(about, { alerts: Array.from({ length: 700 }, (_, at) => alertOf(`h${at}`)) }, 'ops', '');
  assert.deepEqual([many.alerts.length, many.truncatedAlerts], [500, 200]);
});

test("fingerprints are Alertmanager's", () => {
  const labels = [
    ['fear', 'love is not enough'],
    ['name', 'garland, briggs'],
  ] as const;
  assert.equal(BigInt(`0x${fingerprint(labels)}`), 5799056148416392346n);
  assert.equal(BigInt(`0x${fingerprint([])}`), 14695981039346656037n);
});

test('changes collected during failures are bounded, and firing alerts stay first', () => {
  const large = (n: number, endsAt: number): NotifiedAlert => ({
    ...alertOf(`${n}`, start + n, endsAt),
    annotations: [['text', `${n} ${'x'.repeat(64 * 1024)}`]],
  });
  let notification = withNews(newNotification(''), [large(0, 0)], 'd1', start);
  for (let n = 1; n < 400; n += 50)
    notification = withNews(
      notification,
      Array.from({ length: 50 }, (_, at) => large(n + at, start + minute)),
      'd2',
      start,
    );
  assert.ok(JSON.stringify(notification).length < 5 * 1024 * 1024);
  assert.deepEqual(shown(notification).slice(0, 2), ['0?', '400!?']);
});
