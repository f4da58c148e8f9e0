// The states of alerts step by step: the input of each evaluation, and the new state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeavyRule, RuleError } from '../../../surface/alerting/source.ts';
import { isStale, type Labels } from '../../series.ts';
import type { AlertRule } from '../rules/rule-group.ts';
import { alertSamples, keyed, seriesAt } from './alert-series.ts';
import { type ActiveAlert, type Sample, stepAlerts } from './alert-state.ts';

const minute = 60_000;
const start = 1_800_000_000_000;
const rule: AlertRule = {
  kind: 'alert',
  name: 'High',
  expr: 'x > 1',
  forMs: 0,
  keepMs: 0,
  labels: [['severity', 'page']],
  annotations: [['summary', '{{ $labels.host }} has {{ $value }}']],
};

const factsOf = (changes: Partial<AlertRule>, limit = 0) => {
  const changed = { ...rule, ...changes };
  return { rule: changed, labels: changed.labels, limit, externalURL: '' };
};
const sampleOf = (host: string, value = 5): Sample => ({
  labels: [
    ['__name__', 'x'],
    ['host', host],
  ],
  value,
});

// The minute, the hosts over the threshold, and then `host:state` of all, with a ! for resolved ones.
type Step = [minute: number, hosts: string, wanted: string];

function walk(changes: Partial<AlertRule>, steps: Step[]): ActiveAlert[] {
  let active: ActiveAlert[] = [];
  for (const [at, hosts, wanted] of steps) {
    const samples = hosts
      .split(' ')
      .filter(Boolean)
      .map((host) => sampleOf(host));
    const before = states(active);
    const stepped = stepAlerts(factsOf(changes), active, samples, start + at * minute);
    ({ active } = stepped);
    const shown = [...states(active), ...stepped.resolved.map((alert) => `${hostOf(alert)}!`)];
    assert.deepEqual(shown.sort(), wanted.split(' ').filter(Boolean).sort(), `minute ${at}`);
    if (states(active).join() !== before.join()) assert.ok(stepped.isChanged, `minute ${at}: a change is reported`);
  }
  return active;
}

const hostOf = ({ labels }: ActiveAlert): string => new Map(labels).get('host') ?? '';
const states = (active: ActiveAlert[]): string[] => active.map((alert) => `${hostOf(alert)}:${alert.state}`);

test('[METRIC-07] without a waiting time an alert fires at once, and is resolved when its condition ends', () => {
  walk({}, [
    [0, '', ''],
    [1, 'a', 'a:firing'],
    [2, 'a b', 'a:firing b:firing'],
    [3, 'b', 'a! b:firing'],
    [4, '', 'b!'],
    [5, '', ''],
    [6, 'a', 'a:firing'],
  ]);
});

test('[METRIC-07] with a waiting time it is pending for that time', () => {
  walk({ forMs: 5 * minute }, [
    [0, 'a', 'a:pending'],
    [4, 'a b', 'a:pending b:pending'],
    [5, 'a b', 'a:firing b:pending'],
    [8, 'a', 'a:firing'],
    [9, 'a b', 'a:firing b:pending'],
    [14, 'a b', 'a:firing b:firing'],
    [15, '', 'a! b!'],
    [16, 'a', 'a:pending'],
    [17, '', ''],
  ]);
});

test('keep_firing_for keeps firing for a while after the condition ends', () => {
  walk({ keepMs: 3 * minute }, [
    [0, 'a', 'a:firing'],
    [1, '', 'a:firing'],
    [3, '', 'a:firing'],
    [4, '', 'a!'],
    [5, 'a', 'a:firing'],
    [6, '', 'a:firing'],
    [8, 'a', 'a:firing'],
    [9, '', 'a:firing'],
    [11, '', 'a:firing'],
    [12, '', 'a!'],
  ]);
});

test('a pending alert ends at once with its condition', () => {
  walk({ forMs: 5 * minute, keepMs: 10 * minute }, [
    [0, 'a', 'a:pending'],
    [1, '', ''],
    [2, 'a', 'a:pending'],
    [7, 'a', 'a:firing'],
    [8, '', 'a:firing'],
    [18, '', 'a!'],
  ]);
});

test('values and annotations are of the last evaluation, and do not count as changes', () => {
  const first = stepAlerts(factsOf({}), [], [sampleOf('a', 5)], start);
  assert.deepEqual(first.active[0]?.labels, [
    ['alertname', 'High'],
    ['host', 'a'],
    ['severity', 'page'],
  ]);
  assert.deepEqual(first.active[0]?.annotations, [['summary', 'a has 5']]);
  const second = stepAlerts(factsOf({}), first.active, [sampleOf('a', 7)], start + minute);
  assert.deepEqual([second.isChanged, second.active[0]?.value, second.active[0]?.firedAt], [false, 7, start]);
  assert.deepEqual(second.active[0]?.annotations, [['summary', 'a has 7']]);
});

test('labels are templates too, and two series that become one alert are an error', () => {
  const labels: Labels = [['host', 'all']];
  const both = [sampleOf('a'), sampleOf('b')];
  assert.throws(() => stepAlerts(factsOf({ labels }), [], both, start), RuleError);
  const named: Labels = [['name', '{{ $labels.host }}-{{ $value }}']];
  const { active } = stepAlerts(factsOf({ labels: named }), [], both, start);
  assert.deepEqual(
    active.map((alert) => new Map(alert.labels).get('name')),
    ['a-5', 'b-5'],
  );
});

test('more alerts than the limit are an error, and change nothing', () => {
  assert.throws(
    () => stepAlerts(factsOf({}, 1), [], [sampleOf('a'), sampleOf('b')], start),
    /limit of 1 with 2 alerts/,
  );
  assert.equal(stepAlerts(factsOf({}, 2), [], [sampleOf('a'), sampleOf('b')], start).active.length, 2);
});

test('ALERTS and ALERTS_FOR_STATE are written, and end with a stale marker', () => {
  const pending = stepAlerts(factsOf({ forMs: minute }), [], [sampleOf('a')], start).active;
  const firing = stepAlerts(factsOf({ forMs: minute }), pending, [sampleOf('a')], start + minute).active;
  const names = (labels: Labels): string => labels.map(([name, value]) => `${name}=${value}`).join(' ');
  const series = seriesAt(alertSamples(firing), keyed(alertSamples(pending)), start + minute);
  assert.deepEqual(
    series.map(({ labels, times, values }) => [
      names(labels),
      times[0],
      isStale(values[0] as number) ? 'stale' : values[0],
    ]),
    [
      ['__name__=ALERTS alertname=High alertstate=firing host=a severity=page', start + minute, 1],
      ['__name__=ALERTS_FOR_STATE alertname=High host=a severity=page', start + minute, start / 1000],
      ['__name__=ALERTS alertname=High alertstate=pending host=a severity=page', start + minute, 'stale'],
    ],
  );
  const over = seriesAt([], keyed(alertSamples(firing)), start + 2 * minute);
  assert.ok(over.length === 2 && over.every(({ values }) => isStale(values[0] as number)));
});

test('alerts with too long texts are an error, and so are templates that take too long', () => {
  const samples = Array.from({ length: 100 }, (_, n) => sampleOf(`host ${n}`));
  const long: Labels = [['text', `{{ $labels.host }} ${'x'.repeat(10_000)}`]];
  const most = (mostText: number) => ({ ...factsOf({ annotations: long }), mostText });
  assert.equal(stepAlerts(most(2_000_000), [], samples, start).active.length, 100);
  assert.throws(() => stepAlerts(most(1_000_000), [], samples, start), /more than 1000000 characters/);
  const heavy: Labels = [['text', '{{ if eq (print $labels) "x" }}{{ end }}'.repeat(400)]];
  const large = samples.map(({ labels, value }) => ({ labels: [...labels, ['z', 'z'.repeat(4096)] as const], value }));
  assert.throws(() => stepAlerts(factsOf({ annotations: heavy }), [], large, start), HeavyRule);
  const repeated: Labels = [['text', '{{ $labels }}'.repeat(1000)]];
  const { active } = stepAlerts(factsOf({ annotations: repeated }), [], large, start);
  assert.equal(active[0]?.annotations[0]?.[1].length, 65_536);
});
