// Evaluated rules, changing alerts, and notified channels, with a real store and receivers, and a clock that the test
// moves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signature } from './channels/webhook.ts';
import { AlertBench, Hook, pipeline } from './testing.ts';

const minute = 60_000;
const hour = 60 * minute;
const group = (rules: string, more = ''): string => `name: web\n${more}rules:\n${rules}`;
const high = group('- alert: High\n  expr: x > 1\n  annotations: {summary: "{{ $value }}"}\n');

test('[METRIC-07] an alert is notified when it fires and when it ends, and its series are written', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  await bench.channel({ url: hook.url });
  await bench.rules(high.replace('expr: x > 1', 'expr: x > 1\n  for: 2m'));
  bench.results.set('x > 1', { 'host=a': 5 });
  await bench.pass(minute);
  assert.deepEqual(await bench.states(), ['High{host=a}:pending']);
  assert.deepEqual(bench.pushed.splice(0)[0], 'ALERTS{alertname=High,alertstate=pending,host=a} 1');
  await bench.pass(minute);
  assert.deepEqual(hook.take(), []);
  await bench.pass(minute);
  assert.deepEqual(await bench.states(), ['High{host=a}:firing']);
  assert.ok(bench.pushed.includes('ALERTS{alertname=High,alertstate=pending,host=a} stale'), bench.pushed.join('\n'));
  assert.deepEqual(hook.take(), ['firing: High{host=a} firing']);
  bench.results.set('x > 1', { 'host=a': 5, 'host=b': 7 });
  await bench.pass(minute);
  assert.deepEqual(hook.take(), []);
  bench.results.set('x > 1', { 'host=b': 7 });
  await bench.pass(minute);
  assert.deepEqual(hook.take(), ['resolved: High{host=a} resolved']);
  await bench.pass(minute);
  assert.deepEqual(hook.take(), ['firing: High{host=b} firing']);
  assert.deepEqual(await bench.states(), ['High{host=b}:firing']);
});

test('a group is evaluated once per interval, at the start of its slot, with its query offset', async () => {
  await using bench = await AlertBench.open();
  await bench.rules(high.replace('name: web', 'name: web\ninterval: 10s\nquery_offset: 30s'));
  await bench.pass(0);
  assert.equal(bench.queries.length, 0, 'it waits for its first slot');
  for (let second = 0; second < 60; second++) await bench.pass(1000);
  assert.equal(bench.queries.length, 6);
  const times = bench.queries.map(({ time }) => time);
  for (const [at, time] of times.entries()) assert.equal(time - (times[0] ?? 0), at * 10_000);
  await bench.pass(hour);
  assert.equal(bench.queries.length, 7, 'missed slots are skipped');
  const [last = 0] = times.slice(-1);
  assert.equal(((bench.queries.at(-1)?.time ?? 0) - last) % 10_000, 0);
  assert.ok(bench.time - 30_000 - (bench.queries.at(-1)?.time ?? 0) < 10_000);
});

test('recording rules are written in order, and end with a stale marker', async () => {
  await using bench = await AlertBench.open();
  const rules = '- {record: "job:x", expr: sum(x), labels: {by: rule}}\n- {alert: Sum, expr: "job:x > 1"}\n';
  await bench.rules(group(rules, 'labels: {team: web}\n'));
  bench.results.set('sum(x)', { 'job=a': 1, 'job=b': 2 });
  await bench.pass(minute);
  assert.deepEqual(bench.pushed.splice(0), ['job:x{by=rule,job=a,team=web} 1', 'job:x{by=rule,job=b,team=web} 2']);
  assert.deepEqual(
    bench.queries.map(({ expr }) => expr),
    ['sum(x)', 'job:x > 1'],
  );
  bench.results.set('sum(x)', { 'job=b': 3 });
  await bench.pass(minute);
  assert.deepEqual(bench.pushed, ['job:x{by=rule,job=b,team=web} 3', 'job:x{by=rule,job=a,team=web} stale']);
});

test('a rule with a slow query is paused with a reason, for a while or until it is changed', async () => {
  await using bench = await AlertBench.open();
  const rules = (expr: string) => group(`- {alert: A, expr: ${expr}}\n- {record: "b:b", expr: b}\n`);
  await bench.rules(rules('a > 1'));
  bench.results.set('a > 1', { '': 5 });
  bench.results.set('b', { '': 1 });
  const count = (expr: string) => bench.queries.splice(0).filter((one) => one.expr === expr).length;
  const status = async () => {
    const answer = await bench.alerts.answer(pipeline, 'rules', new URLSearchParams());
    const [shown] = (answer as { data: { groups: { rules: Record<string, string>[] }[] } }).data.groups;
    return shown?.rules[0];
  };
  await bench.pass(minute);
  bench.tooHeavy.add('a > 1');
  for (let times = 0; times < 2; times++) await bench.pass(minute);
  assert.deepEqual([(await status())?.health, (await status())?.lastError], ['err', 'query timed out']);
  for (let times = 0; times < 4; times++) await bench.pass(minute);
  assert.equal(count('a > 1'), 4, 'one success, three failures, then no more');
  const { health, lastError, state } = (await status()) ?? {};
  assert.deepEqual([health, state], ['err', 'firing'], 'its alert stays');
  assert.match(
    lastError ?? '',
    /^paused until 20.*, or until the rule is changed, after 3 consecutive failures: query/,
  );
  assert.match(bench.warnings.join(), /rule paused.*"A"/);
  for (let times = 0; times < 5; times++) await bench.pass(minute);
  assert.equal(count('a > 1'), 1, 'it is tried again after five minutes');
  for (let times = 0; times < 6; times++) await bench.pass(minute);
  assert.equal(count('a > 1'), 0, 'and then paused for ten');
  assert.equal((await status())?.health, 'err');
  bench.results.set('a > 2', { '': 5 });
  await bench.rules(rules('a > 2'));
  await bench.pass(minute);
  assert.equal(count('a > 2'), 1, 'a changed rule is tried at once');
  assert.deepEqual([(await status())?.health, (await status())?.lastError], ['ok', undefined]);
  assert.equal(bench.pushed.filter((line) => line.startsWith('b:b')).length, 19, 'the other rule continued');
});

test('a failing rule keeps its alerts, reports the reason, and does not delay others', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  await bench.channel({ url: hook.url });
  await bench.rules(group('- {alert: A, expr: a > 1}\n- {alert: B, expr: b > 1}\n'));
  bench.results.set('a > 1', { '': 5 });
  await bench.pass(minute);
  assert.deepEqual(hook.take(), ['firing: A{} firing']);
  bench.results.set('a > 1', 'found duplicate series');
  bench.results.set('b > 1', { '': 5 });
  await bench.pass(minute);
  assert.deepEqual(hook.take(), ['firing: B{} firing, A{} firing']);
  assert.deepEqual(await bench.states(), ['A{}:firing', 'B{}:firing']);
  const { data } = (await bench.alerts.answer(pipeline, 'rules', new URLSearchParams('rule_name[]=A'))) as {
    data: { groups: { rules: Record<string, unknown>[] }[] };
  };
  const [rule] = data.groups[0]?.rules ?? [];
  assert.deepEqual([rule?.health, rule?.lastError, rule?.state], ['err', 'found duplicate series', 'firing']);
});

test('limits of a rule are errors of that rule', async () => {
  await using bench = await AlertBench.open();
  await bench.rules(group('- {alert: A, expr: a > 1}\n- {record: r, expr: b}\n', 'limit: 2\n'));
  const three = { 'host=a': 1, 'host=b': 1, 'host=c': 1 };
  bench.results.set('a > 1', three).set('b', three);
  await bench.pass(minute);
  assert.deepEqual([await bench.states(), bench.pushed], [[], []]);
  const text = JSON.stringify(await bench.alerts.answer(pipeline, 'rules', new URLSearchParams()));
  assert.match(text, /exceeded limit of 2 with 3 alerts/);
  assert.match(text, /exceeded limit of 2 with 3 series/);
});

test('[METRIC-07] the state of alerts survives a restart, which repeats no notification', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  await bench.channel({ url: hook.url });
  await bench.rules(high.replace('expr: x > 1', 'expr: x > 1\n  for: 10m'));
  bench.results.set('x > 1', { 'host=a': 5 });
  await bench.pass(minute);
  await bench.restart();
  await bench.pass(9 * minute);
  assert.deepEqual(await bench.states(), ['High{host=a}:pending']);
  await bench.restart();
  await bench.pass(minute);
  assert.deepEqual(hook.take(), ['firing: High{host=a} firing']);
  await bench.restart();
  await bench.pass(minute);
  assert.deepEqual([hook.take(), await bench.states()], [[], ['High{host=a}:firing']]);
  bench.results.set('x > 1', {});
  await bench.restart();
  await bench.pass(minute);
  assert.deepEqual(hook.take(), ['resolved: High{host=a} resolved']);
  assert.deepEqual(await bench.rows(), ['channels', 'rules']);
});

test('no row is written while only values change', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  await bench.channel({ url: hook.url });
  await bench.rules(high);
  bench.results.set('x > 1', { 'host=a': 5 });
  await bench.pass(minute);
  const before = bench.store.engine.figures();
  for (let value = 6; value < 20; value++) {
    bench.results.set('x > 1', { 'host=a': value });
    await bench.pass(minute);
  }
  assert.deepEqual(bench.store.engine.figures(), before);
  const text = JSON.stringify(await bench.alerts.answer(pipeline, 'alerts', new URLSearchParams()));
  assert.match(text, /"summary":"19".*"value":"1.9e\+01"/);
});

test('[METRIC-07] a webhook is signed, and retried with growing delays until it accepts', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  const id = await bench.channel({ url: hook.url, authorization: 'Bearer x' });
  await bench.rules(high);
  bench.results.set('x > 1', { 'host=a': 5 });
  hook.status = 503;
  await bench.pass(minute);
  assert.equal(hook.received.length, 1);
  await bench.restart();
  await bench.pass(4000);
  assert.equal(hook.received.length, 1, 'not before its time, nor because of the restart');
  await bench.pass(1000);
  assert.equal(hook.received.length, 2);
  hook.status = 302;
  hook.headers = { location: hook.url.replace('/hook', '/other') };
  await bench.pass(10_000);
  hook.status = 200;
  await bench.pass(20_000);
  await bench.pass(hour);
  assert.equal(hook.received.length, 4);
  assert.ok(
    hook.received.every(({ path }) => path === '/hook'),
    'redirects are not followed',
  );
  assert.equal(new Set(hook.received.map(({ headers }) => headers['x-cumulet-delivery'])).size, 1);
  for (const { headers, text } of hook.received) {
    const seconds = Number(headers['x-cumulet-timestamp']);
    assert.equal(headers['x-cumulet-signature'], signature('signing secret', seconds, text));
    assert.equal(headers.authorization, 'Bearer x');
    assert.equal(headers['content-type'], 'application/json');
  }
  assert.ok(bench.warnings.some((line) => line.includes(id) && line.includes('answered 503')));
  assert.ok(bench.warnings.some((line) => line.includes('redirects are not followed')));
});

test('a delivery that fails for a day is abandoned and reported', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  await bench.channel({ url: hook.url });
  await bench.rules(high);
  bench.results.set('x > 1', { 'host=a': 5 });
  hook.status = 500;
  await bench.pass(minute);
  bench.results.set('x > 1', {});
  for (let quarter = 0; quarter < 110; quarter++) await bench.pass(15 * minute);
  assert.deepEqual(await bench.rows(), ['channels', 'rules']);
  const tries = hook.received.length;
  await bench.pass(hour);
  assert.equal(hook.received.length, tries);
  const [channel] = await bench.store.range({ contract: 0, below: 'alerting/channels/', limit: 1 });
  assert.match(channel?.body ?? '', /"trouble":\{"at":\d+,"message":"answered 500","lost":1\}/);
});

test('firing alerts are notified again every four hours', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  await bench.channel({ url: hook.url });
  await bench.rules(high);
  bench.results.set('x > 1', { 'host=a': 5 });
  await bench.pass(minute);
  for (let count = 0; count < 9; count++) await bench.pass(hour);
  assert.deepEqual(
    hook.take(),
    Array.from({ length: 3 }, () => 'firing: High{host=a} firing'),
  );
});

test('alerts go to the channels that they name; a new channel is notified of firing alerts', async () => {
  await using bench = await AlertBench.open();
  using all = await Hook.open();
  using dev = await Hook.open();
  await bench.channel({ url: all.url });
  await bench.rules(group('- {alert: A, expr: a > 1}\n- {alert: B, expr: b > 1, labels: {channel: dev}}\n'));
  bench.results.set('a > 1', { '': 5 }).set('b > 1', { '': 5 });
  await bench.pass(minute);
  assert.deepEqual(all.take(), ['firing: A{} firing, B{channel=dev} firing'], 'unknown channel: those that take all');
  await bench.channel({ name: 'dev', url: dev.url, takesAll: false, sendResolved: false });
  await bench.pass(minute);
  assert.deepEqual([all.take(), dev.take()], [[], ['firing: B{channel=dev} firing']]);
  bench.results.clear();
  await bench.pass(minute);
  assert.deepEqual([all.take(), dev.take()], [['resolved: A{} resolved, B{channel=dev} resolved'], []]);
  assert.deepEqual(await bench.rows(), ['channels', 'channels', 'rules']);
});

test('a dead receiver does not delay others', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  await bench.channel({ url: 'http://127.0.0.1:1/', name: 'dead' });
  await bench.channel({ url: hook.url });
  await bench.rules(high);
  bench.results.set('x > 1', { 'host=a': 5 });
  await bench.pass(minute);
  assert.deepEqual(hook.take(), ['firing: High{host=a} firing']);
  assert.ok(bench.warnings.some((line) => line.includes('ECONNREFUSED')));
});

test('an alert ends with its rule, its group or its pipeline', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  await bench.channel({ url: hook.url });
  const two = group('- {alert: A, expr: a > 1}\n- {alert: B, expr: b > 1}\n');
  await bench.rules(two);
  await bench.rules(two.replace('name: web', 'name: other'));
  bench.results.set('a > 1', { '': 5 }).set('b > 1', { '': 5 });
  await bench.pass(minute);
  assert.equal(hook.take().length, 2);
  await bench.rules(group('- {alert: B, expr: b > 1, for: 10m}\n'));
  await bench.pass(minute);
  assert.deepEqual(hook.take(), ['firing: B{} firing, A{} resolved'], 'a rule with a changed waiting time continues');
  bench.pushed = [];
  await bench.rules('groups: []');
  await bench.pass(1000);
  const over = hook.take().sort();
  assert.deepEqual(over, ['resolved: A{} resolved, B{} resolved', 'resolved: B{} resolved']);
  assert.ok(bench.pushed.includes('ALERTS{alertname=B,alertstate=firing} stale'));
  await bench.rules(two);
  await bench.pass(minute);
  assert.equal(hook.take().length, 1);
  await bench.alerts.forget(pipeline.id);
  await bench.rules(two); // a later pipeline with the same id
  await bench.alerts.forget('another');
  assert.deepEqual(await bench.rows(), ['channels', 'notices', 'rules', 'states']);
  bench.pipelines.clear();
  await bench.pass(minute);
  await bench.pass(1000);
  assert.deepEqual(hook.take(), ['resolved: A{} resolved, B{} resolved']);
  assert.deepEqual(await bench.rows(), ['channels']);
});

test('notifications are sent even if series cannot be written', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  await bench.channel({ url: hook.url });
  await bench.rules(high);
  bench.results.set('x > 1', { 'host=a': 5 });
  bench.pushFails = true;
  await bench.pass(minute);
  assert.deepEqual(hook.take(), ['firing: High{host=a} firing']);
  assert.ok(bench.warnings.some((line) => line.startsWith('alert series not written')));
});

test('a rule whose alerts exceed the memory fails, without affecting other rules', async () => {
  await using bench = await AlertBench.open();
  const annotation = (n: number): string => `    text${n}: "{{ $labels.host }} ${'x'.repeat(4000)}"\n`;
  const annotations = Array.from({ length: 50 }, (_, n) => annotation(n)).join('');
  const large = `- alert: Large\n  expr: y > 1\n  annotations:\n${annotations}`;
  await bench.rules(group(`- alert: High\n  expr: x > 1\n${large}- alert: Last\n  expr: z > 1\n`));
  const hosts = Array.from({ length: 1000 }, (_, n) => [`host=${n}`, n]);
  bench.results.set('x > 1', { 'host=a': 5 });
  bench.results.set('y > 1', Object.fromEntries(hosts));
  bench.results.set('z > 1', { 'host=c': 5 });
  await bench.pass(minute);
  assert.deepEqual(await bench.states(), ['High{host=a}:firing', 'Last{host=c}:firing']);
  const answer = await bench.alerts.answer(pipeline, 'rules', new URLSearchParams('rule_name[]=Large'));
  assert.match(JSON.stringify(answer), /labels and annotations of its alerts have more than/);
  bench.results.set('y > 1', Object.fromEntries(hosts.slice(0, 2)));
  await bench.pass(minute);
  assert.equal((await bench.states()).length, 4);
});

test('an alert with an infinite value is notified with it, even after a restart', async () => {
  await using bench = await AlertBench.open();
  await bench.rules(high);
  bench.results.set('x > 1', { 'host=a': Infinity, 'host=b': Number.NaN });
  await bench.pass(minute);
  await bench.restart();
  const { data } = (await bench.alerts.answer(pipeline, 'alerts', new URLSearchParams())) as {
    data: { alerts: { value: string }[] };
  };
  assert.deepEqual(
    data.alerts.map(({ value }) => value),
    ['+Inf', 'NaN'],
  );
});

test('[METRIC-07] receivers that do not answer do not delay other contracts', async () => {
  await using bench = await AlertBench.open();
  using hook = await Hook.open();
  using silent = await Hook.open();
  silent.isSilent = true;
  const other = { ...pipeline, contract: 32, id: '01900000-0000-7000-8000-000000000002' };
  bench.pipelines.add(other.id);
  for (let n = 0; n < 20; n++) await bench.channel({ url: silent.url });
  await bench.channel({ url: hook.url }, 'signing secret', other);
  await bench.rules(high);
  await bench.rules(high, 'app', other);
  bench.results.set('x > 1', { 'host=a': 5 });
  await bench.pass(minute);
  assert.deepEqual(hook.take(), ['firing: High{host=a} firing']);
  assert.ok(silent.received.length < 16, `${silent.received.length} at once`);
});
