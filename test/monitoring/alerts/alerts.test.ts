// Alert rules and notification channels of a region through the API: written as in Mimir's ruler, read as in
// Prometheus, and notified to a webhook.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { until } from '../../../src/testing/waiting.ts';
import {
  assertSigned,
  channels,
  pass,
  Receiver,
  readOf,
  rulesOf,
  secondsOf,
  simpleRules,
} from '../../harness/alerts.ts';
import { addGroup, addPerson } from '../../harness/people.ts';
import { addPipeline, pipelines, untilStatus } from '../../harness/pipelines.ts';
import { type Answer, type Region, startRegion } from '../../harness/region.ts';
import { assertPayload, expect, secondContract } from '../../sweep/api.ts';

const minute = 60_000;

interface Rules {
  data: { groups: { name: string; file: string; rules: Record<string, unknown>[] }[] };
}
interface Active {
  data: { alerts: { labels: Record<string, string>; state: string; value: string }[] };
}

suite('alerts', () => {
  let region: Region;
  before(async () => {
    region = await startRegion({ args: ['--rate-burst', '5000'] });
  });
  after(() => region.stop());

  const put = (pipeline: string, namespace: string, text: string): Promise<Answer> =>
    region.call('POST', `${rulesOf(pipeline)}/${encodeURIComponent(namespace)}`, text);
  const text = async (path: string): Promise<unknown> => (await expect(region.call('GET', path), 200)).body;
  const states = async (pipeline: string): Promise<string[]> => {
    const { body } = await region.call<Active>('GET', `${readOf(pipeline)}/alerts`);
    return body.data.alerts.map(({ labels, state }) => `${labels.alertname} ${state}`).sort();
  };
  const addChannel = (properties: object, at = channels): Promise<Answer> =>
    expect(region.call('POST', at, { properties: { name: 'ops', type: 'webhook', ...properties } }), 201);

  test('[METRIC-07] rule groups are written, listed, read unchanged, and removed', async () => {
    const { id } = await addPipeline(region);
    const group = '# a comment\nname: web/1\nrules:\n- alert: Down\n  expr: up == 0\n  labels: {severity: 1}\n';
    await expect(put(id, 'team/app', group), 200);
    await expect(put(id, 'team/app', JSON.stringify({ name: 'second', rules: [] })), 200);
    const at = `${rulesOf(id)}/${encodeURIComponent('team/app')}`;
    assert.equal(await text(`${at}/${encodeURIComponent('web/1')}`), group);
    assert.match(String(await text(rulesOf(id))), /^team\/app:\n {2}- name: web\/1\n/);
    assert.match(String(await text(at)), /severity: "1".*name: second/s);
    await expect(region.call('DELETE', `${at}/second`), 200);
    await expect(region.call('DELETE', `${at}/second`), 404);
    await expect(region.call('GET', `${at}/second`), 404);
    const file = '# whole\ngroups:\n- {name: a, rules: []}\n- {name: b, rules: []}\n';
    await expect(put(id, 'team/app', file), 200);
    assert.equal(await text(`${at}?form=file`), file);
    await expect(region.call('GET', `${at}/${encodeURIComponent('web/1')}`), 404);
    await expect(region.call('DELETE', at), 200);
    assert.deepEqual(await text(rulesOf(id)), {});
    await expect(region.call('DELETE', at), 404);
  });

  test('[METRIC-07] invalid rules are refused with their position, in the payload of the platform', async () => {
    const { id } = await addPipeline(region);
    const wrong: [string, RegExp][] = [
      [
        'name: a\nrules:\n- alert: X\n  expr: sum(up\n',
        /4:9: group \\"a\\", rule 1, \\"X\\": could not parse expression: 1:/,
      ],
      ['name: a\nfoo: 1\n', /2:1: group \\"a\\": field \\"foo\\" not found/],
      ['name: a\nrules: [{alert: X, expr: up, for: 5x}]\n', /not a valid duration string: \\"5x\\"/],
      ['name: a\nrules: [{alert: X, expr: up}, {alert: X, expr: up}]\n', /duplicate rule/],
      ['a: [', /yaml: /],
      ['', /expected/],
    ];
    for (const [body, problem] of wrong) {
      const answer = await put(id, 'app', body);
      assertPayload(answer, 422, body);
      assert.match(JSON.stringify(answer.body), problem);
    }
    assertPayload(await put(id, 'app', 'x'.repeat(1_100_000)), 413, 'too large');
    assertPayload(await put(id, 'x'.repeat(300), 'name: a'), 422, 'a namespace that is too long');
    assert.deepEqual(await text(rulesOf(id)), {});
  });

  test('[METRIC-07] a rule fires, is sent to a webhook with a signature, and ends', async () => {
    const { id } = await addPipeline(region);
    using receiver = await Receiver.open();
    const made = (await addChannel({ url: receiver.url })).body;
    const secret = String(made.metadata.secret);
    assert.match(secret, /^\S{40,}$/);
    const end = (await secondsOf(region)) + 20 * 60;
    const rules = `name: timed
interval: 1m
rules:
- alert: Early
  expr: vector(time()) < ${end}
  for: 2m
  labels: {severity: page}
  annotations: {summary: "{{ $labels.alertname }} until {{ $value | humanizeTimestamp }}"}
- record: early:count
  expr: count(ALERTS{alertname="Early", alertstate="firing"})
- alert: Echo
  expr: early:count == 1
`;
    await expect(put(id, 'app', rules), 200);
    await pass(region, minute);
    // The first evaluation starts the threads of the engine, which may take longer than the clock waits for it.
    const pending = await until(
      'the first evaluation',
      () => states(id),
      ({ length }) => length > 0,
    );
    assert.deepEqual(pending, ['Early pending']);
    for (let count = 0; count < 3; count++) await pass(region, minute);
    const first = await receiver.call(1);
    assertSigned(first, secret);
    assert.deepEqual([first.payload.version, first.payload.status, first.payload.receiver], ['4', 'firing', 'ops']);
    assert.equal(first.payload.groupLabels.rule_group, 'timed');
    assert.ok(first.payload.externalURL.startsWith(`${region.url}/console/`));
    const [alert] = first.payload.alerts;
    assert.deepEqual(alert?.labels, { alertname: 'Early', severity: 'page' });
    assert.match(alert?.annotations.summary ?? '', /until \d{4}-\d\d-\d\d/);
    await receiver.call(2); // Echo: the written series can be queried
    assert.deepEqual(await states(id), ['Early firing', 'Echo firing']);
    const { body } = await region.call<Rules>('GET', `${readOf(id)}/rules?type=alert`);
    const shown = body.data.groups.flatMap(({ name, file, rules: each }) =>
      each.map((rule) => [file, name, rule.name, rule.state, rule.health, rule.type]),
    );
    assert.deepEqual(shown, [
      ['app', 'timed', 'Early', 'firing', 'ok', 'alerting'],
      ['app', 'timed', 'Echo', 'firing', 'ok', 'alerting'],
    ]);
    await pass(region, 30 * minute);
    const over = await receiver.call(3);
    assert.ok(over.payload.alerts.some((one) => one.labels.alertname === 'Early' && one.status === 'resolved'));
    await region.call('DELETE', `${channels}/${made.id}`);
  });

  test('[METRIC-07] a failed webhook is retried after a kill -9, until it succeeds', async () => {
    const { id } = await addPipeline(region);
    using receiver = await Receiver.open();
    const { id: channel } = (await addChannel({ url: receiver.url, name: 'late', takesAll: false })).body;
    receiver.status = 500;
    await expect(put(id, 'app', 'name: now\nrules: [{alert: Now, expr: vector(1), labels: {channel: late}}]\n'), 200);
    await pass(region, minute);
    await receiver.call(1);
    const { metadata } = (await untilTried(region, `${channels}/${channel}`)).body;
    assert.deepEqual([metadata.waiting, metadata.lastError], [1, 'answered 500']);
    await region.kill();
    await region.start();
    receiver.status = 200;
    await pass(region, 20 * minute);
    const { headers, payload } = await receiver.call(2);
    assert.equal(headers['x-cumulet-delivery'], receiver.received[0]?.headers['x-cumulet-delivery']);
    assert.equal(payload.status, 'firing');
    assert.deepEqual(await states(id), ['Now firing']);
    await expect(region.call('DELETE', `${channels}/${channel}`), 204);
  });

  test('[METRIC-07] channels: created, read, changed, tested, given a new secret and deleted', async () => {
    using receiver = await Receiver.open();
    const made = await addChannel({ url: receiver.url, authorization: 'Bearer hidden' });
    const path = `${channels}/${made.body.id}`;
    assert.equal(made.headers['cache-control'], 'no-store');
    const read = (await expect(region.call('GET', path), 200)).body;
    assert.ok(!('secret' in read.metadata) && !JSON.stringify(read).includes('hidden'));
    assert.deepEqual([read.metadata.region, read.metadata.waiting, read.type], ['de-txl', 0, 'alert-channel']);
    const tried = await expect(region.call('POST', `${path}/test`), 200);
    assert.deepEqual(tried.body as unknown, { delivered: true, detail: 'answered 200' });
    assertSigned(await receiver.call(1), String(made.body.metadata.secret));
    assert.equal(receiver.received[0]?.headers.authorization, 'Bearer hidden');
    const secret = String((await expect(region.call('POST', `${path}/secret`), 200)).body.secret);
    receiver.status = 418;
    const failed = await expect(region.call('POST', `${path}/test`), 200);
    assert.deepEqual(failed.body as unknown, { delivered: false, detail: 'answered 418' });
    assertSigned(await receiver.call(2), secret);
    const changed = await expect(region.call('PUT', path, { properties: { ...read.properties, name: 'new' } }), 200);
    assert.equal(changed.body.properties.name, 'new');
    const { items } = (await expect(region.call('GET', channels), 200)).body;
    assert.ok(items.some((one) => one.id === made.body.id && one.properties.name === 'new'));
    await expect(region.call('DELETE', path), 204);
    await expect(region.call('GET', path), 404);
    await expect(region.call('POST', `${path}/test`), 404);
  });

  test('channels belong to a region; without one all are listed, and the default one gets new ones', async () => {
    const there = (await addChannel({ url: 'http://127.0.0.1:1/' }, `/de-fra${channels}`)).body;
    const ids = async (at: string): Promise<string[]> =>
      (await expect(region.call('GET', at), 200)).body.items.map(({ id }) => id);
    assert.ok((await ids(channels)).includes(there.id));
    assert.ok((await ids(`/de-fra${channels}`)).includes(there.id));
    assert.ok(!(await ids(`/de-txl${channels}`)).includes(there.id));
    await expect(region.call('GET', `/de-txl${channels}/${there.id}`), 404);
    await expect(region.call('DELETE', `${channels}/${there.id}`), 204);
  });

  test('[METRIC-07] a rule of the simple form: an expression, a comparison and a threshold', async () => {
    const { id } = await addPipeline(region);
    using receiver = await Receiver.open();
    const channel = (await addChannel({ url: receiver.url, name: 'simple', takesAll: false })).body;
    const properties = {
      name: 'Too high',
      pipeline: id,
      expression: 'vector(7)',
      comparison: '>',
      threshold: 5,
      for: '1m',
      labels: { team: 'a' },
      channel: 'simple',
    };
    const made = (await expect(region.call('POST', simpleRules, { properties }), 201)).body;
    const path = `${simpleRules}/${made.id}`;
    assert.deepEqual(made.properties, { ...properties, annotations: {} });
    assert.match(String(await text(rulesOf(id))), /expr: \(vector\(7\)\) > 5\n +for: 1m/);
    await pass(region, minute);
    assert.equal((await region.call('GET', path)).body.metadata.state, 'pending');
    await pass(region, minute);
    const received = await receiver.call(1);
    assert.deepEqual(received.payload.alerts[0]?.labels, { alertname: 'Too high', team: 'a', channel: 'simple' });
    assert.equal((await region.call('GET', path)).body.metadata.state, 'firing');
    const higher = { properties: { ...properties, threshold: 10 } };
    assert.equal((await expect(region.call('PUT', path, higher), 200)).body.properties.threshold, 10);
    await pass(region, minute);
    assert.equal((await receiver.call(2)).payload.status, 'resolved');
    const wrong: [object, RegExp][] = [
      [{ name: 'Too high' }, /properties\.name\] A rule named 'Too high' already exists/],
      [{ expression: 'rate(up)' }, /properties\.expression\] could not parse expression/],
      [{ expression: 'up) or (up' }, /properties\.expression/],
      [{ comparison: '=' }, /properties\.comparison/],
      [{ threshold: 'x' }, /properties\.threshold/],
      [{ for: '5' }, /properties\.for\] Expected a duration/],
      [{ pipeline: made.id }, /properties\.pipeline\] The pipeline does not exist in this region/],
      [{ channel: 'nobody' }, /properties\.channel\] The channel does not exist/],
      [{ labels: { a: 1 } }, /properties\.labels\.a\] Expected a text/],
      [{ annotations: { a: '{{ nothing }}' } }, /properties\.annotations\.a\] error parsing template/],
    ];
    for (const [change, problem] of wrong) {
      const answer = await region.call('POST', simpleRules, {
        properties: { ...properties, name: 'other', ...change },
      });
      assertPayload(answer, 422, JSON.stringify(change));
      assert.match(JSON.stringify(answer.body), problem);
    }
    const items = (await expect(region.call('GET', simpleRules), 200)).body.items.map((one) => one.id);
    assert.deepEqual(items, [made.id]);
    await expect(region.call('DELETE', path), 204);
    await expect(region.call('GET', path), 404);
    assert.deepEqual(await text(rulesOf(id)), {});
    await expect(region.call('DELETE', `${channels}/${channel.id}`), 204);
  });

  test("the platform's own metrics can have rules too", async () => {
    const [central] = (await expect(region.call('GET', '/monitoring/central'), 200)).body.items;
    const at = `/monitoring/central/${central?.id}/prometheus`;
    await expect(
      region.call('POST', `${at}/config/v1/rules/own`, 'name: a\nrules: [{alert: A, expr: vector(1)}]\n'),
      200,
    );
    const simple = { name: 'Own', expression: 'vector(1)', comparison: '>', threshold: 0 };
    const made = (await expect(region.call('POST', simpleRules, { properties: simple }), 201)).body;
    assert.equal(made.properties.pipeline, central?.id);
    await pass(region, minute);
    const { body } = await region.call<Active>('GET', `${at}/api/v1/alerts`);
    assert.deepEqual(body.data.alerts.map(({ labels }) => labels.alertname).sort(), ['A', 'Own']);
    await expect(region.call('DELETE', `${at}/config/v1/rules/own`), 200);
    await expect(region.call('DELETE', `${simpleRules}/${made.id}`), 204);
  });

  test('[METRIC-09] [GEN-07] anonymous callers, users without rights and other contracts have no access', async () => {
    const { id } = await addPipeline(region);
    await expect(put(id, 'app', 'name: a\nrules: []\n'), 200);
    const made = (await addChannel({ url: 'http://127.0.0.1:1/' })).body;
    const powerless = await addPerson(region);
    const reader = await addPerson(region);
    await addGroup(region, ['accessAndManageMonitoring'], [reader.user]);
    const other = await secondContract(region);
    const properties = { name: 'x', pipeline: id, expression: 'up', comparison: '>', threshold: 1 };
    const calls: [string, string, unknown?][] = [
      ['GET', rulesOf(id)],
      ['POST', `${rulesOf(id)}/app`, 'name: b'],
      ['DELETE', `${rulesOf(id)}/app`],
      ['GET', `${rulesOf(id)}/app/a`],
      ['GET', `${readOf(id)}/rules`],
      ['GET', `${readOf(id)}/alerts`],
      ['GET', `${channels}/${made.id}`],
      ['PUT', `${channels}/${made.id}`, { properties: made.properties }],
      ['POST', `${channels}/${made.id}/test`],
      ['DELETE', `${channels}/${made.id}`],
    ];
    for (const [method, path, body] of calls) {
      const call = `${method} ${path}`;
      assertPayload(await region.call(method, path, body, { token: null }), 401, call);
      assertPayload(await region.call(method, path, body, { token: powerless.token }), 403, call);
      assertPayload(await region.call(method, path, body, { token: other.token }), 404, call);
    }
    const theirs = { token: other.token };
    assertPayload(await region.call('POST', simpleRules, { properties }, theirs), 422, 'a foreign pipeline');
    assert.deepEqual((await region.call('GET', channels, undefined, theirs)).body.items, []);
    assertPayload(await region.call('GET', rulesOf(id), undefined, { token: reader.token }), 404, "another user's");
    await expect(region.call('GET', channels, undefined, { token: reader.token }), 200);
  });

  test('deleting a pipeline deletes its rules and ends its alerts', async () => {
    const { id } = await addPipeline(region);
    using receiver = await Receiver.open();
    const channel = (await addChannel({ url: receiver.url, name: 'last', takesAll: false })).body;
    await expect(put(id, 'app', 'name: a\nrules: [{alert: A, expr: vector(1), labels: {channel: last}}]\n'), 200);
    await pass(region, minute);
    await receiver.call(1);
    await expect(region.call('DELETE', `${pipelines}/${id}`), 202);
    await untilStatus(region, `${pipelines}/${id}`, 404);
    await pass(region, minute);
    await pass(region, minute);
    assert.equal((await receiver.call(2)).payload.status, 'resolved');
    await expect(region.call('GET', rulesOf(id)), 404);
    await expect(region.call('DELETE', `${channels}/${channel.id}`), 204);
  });
});

// The result of a delivery is stored a moment after its receiver has answered.
async function untilTried(region: Region, path: string): Promise<Answer> {
  return until(
    'the delivery was tried',
    () => region.call('GET', path),
    ({ body }) => body.metadata.lastError !== undefined,
  );
}
