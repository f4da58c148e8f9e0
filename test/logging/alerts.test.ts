// Alert rules for log pipelines: the same rules, channels and states as for metrics, in LogQL.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { channels, pass, Receiver, simpleRules } from '../harness/alerts.ts';
import { addLogPipeline, type LogPipeline, logPipelines, post, untilState } from '../harness/logs.ts';
import { addGroup, addPerson } from '../harness/people.ts';
import { type Answer, type Region, startRegion } from '../harness/region.ts';
import { assertPayload, expect, secondContract } from '../sweep/api.ts';

const minute = 60_000;
const rulesOf = (pipeline: string): string => `${logPipelines}/${pipeline}/loki/api/v1/rules`;
const readOf = (pipeline: string): string => `${logPipelines}/${pipeline}/prometheus/api/v1`;

interface Active {
  data: { alerts: { labels: Record<string, string>; state: string; value: string }[] };
}

suite('alerts about log lines', () => {
  let region: Region;
  before(async () => {
    region = await startRegion({ args: ['--rate-burst', '5000'] });
  });
  after(() => region.stop());

  const put = (pipeline: string, text: string): Promise<Answer> =>
    region.call('POST', `${rulesOf(pipeline)}/app`, text);
  const states = async ({ id }: LogPipeline): Promise<string[]> => {
    const { body } = await region.call<Active>('GET', `${readOf(id)}/alerts`);
    return body.data.alerts.map(({ labels, state, value }) => `${labels.alertname} ${labels.level} ${state} ${value}`);
  };
  const send = async (pipeline: LogPipeline, count: number, level: string): Promise<void> => {
    const records = Array.from({ length: count }, (_, index) => ({ level, message: `line ${index}` }));
    assert.equal((await post(region, pipeline, '/app', records)).status, 200);
  };
  const addChannel = async (receiver: Receiver, name: string): Promise<string> => {
    const properties = { name, type: 'webhook', url: receiver.url, takesAll: false };
    return (await expect(region.call('POST', channels, { properties }), 201)).body.id;
  };

  test('[LOG-06] a rule in LogQL fires on lines, survives kill -9, and ends when the lines end', async () => {
    const pipeline = await addLogPipeline(region);
    using receiver = await Receiver.open();
    await addChannel(receiver, 'ruler');
    const text = `name: errors
rules:
- alert: TooManyErrors
  expr: sum by (level) (count_over_time({tag="app"} | json [10m])) > 3
  for: 1m
  labels: {channel: ruler}
  annotations: {summary: "{{ $labels.level }}: {{ $value }} lines"}
`;
    await expect(put(pipeline.id, text), 200);
    assert.equal((await expect(region.call('GET', `${rulesOf(pipeline.id)}/app/errors`), 200)).body as unknown, text);
    await send(pipeline, 5, 'error');
    await send(pipeline, 2, 'info');
    await pass(region, minute);
    assert.deepEqual(await states(pipeline), ['TooManyErrors error pending 5e+00']);
    await region.kill();
    await region.start();
    await pass(region, minute);
    const { payload } = await receiver.call(1);
    assert.equal(payload.status, 'firing');
    const [alert] = payload.alerts;
    assert.deepEqual(alert?.labels, { alertname: 'TooManyErrors', channel: 'ruler', level: 'error' });
    assert.equal(alert?.annotations.summary, 'error: 5 lines');
    assert.deepEqual(await states(pipeline), ['TooManyErrors error firing 5e+00']);
    const own = await region.call<Active>('GET', `${pipeline.path}/prometheus/api/v1/alerts`, undefined, {
      token: null,
      headers: { apikey: pipeline.key },
    });
    assert.equal(own.body.data.alerts.length, 1);
    await pass(region, 15 * minute);
    assert.equal((await receiver.call(2)).payload.status, 'resolved');
    assert.deepEqual(await states(pipeline), []);
  });

  test('[LOG-06] a rule of the simple form is created by the same call as for metrics', async () => {
    const pipeline = await addLogPipeline(region);
    using receiver = await Receiver.open();
    const channel = await addChannel(receiver, 'simple logs');
    const properties = {
      name: 'Errors',
      pipeline: pipeline.id,
      expression: 'sum(count_over_time({tag="app"} |= "error" [5m]))',
      comparison: '>=',
      threshold: 2,
      channel,
    };
    const made = (await expect(region.call('POST', simpleRules, { properties }), 201)).body;
    await send(pipeline, 2, 'error');
    await pass(region, minute);
    assert.equal((await receiver.call(1)).payload.alerts[0]?.labels.alertname, 'Errors');
    assert.equal((await region.call('GET', `${simpleRules}/${made.id}`)).body.metadata.state, 'firing');
    const listed = (await expect(region.call('GET', simpleRules), 200)).body.items;
    assert.ok(listed.some(({ id }) => id === made.id));
    // Deleting the pipeline deletes the rule.
    await expect(region.call('DELETE', `${logPipelines}/${pipeline.id}`), 202);
    await untilState(region, `${logPipelines}/${pipeline.id}`, 404);
    await expect(region.call('GET', `${simpleRules}/${made.id}`), 404);
    await pass(region, minute);
    assert.equal((await receiver.call(2)).payload.status, 'resolved');
  });

  test("[LOG-06] the platform's own lines can have rules too", async () => {
    const [central] = (
      await expect(region.call('PUT', '/logging/central', { properties: { enabled: true } }), 200).then(() =>
        expect(region.call('GET', '/logging/central'), 200),
      )
    ).body.items;
    const properties = {
      name: 'Calls',
      pipeline: central?.id,
      expression: 'sum(count_over_time({tag="api"}[1h]))',
      comparison: '>',
      threshold: 0,
    };
    const made = (await expect(region.call('POST', simpleRules, { properties }), 201)).body;
    for (let tries = 0; tries < 20; tries++) {
      await pass(region, minute);
      const { metadata } = (await region.call('GET', `${simpleRules}/${made.id}`)).body;
      if (metadata.state === 'firing') return;
    }
    assert.fail('it does not fire');
  });

  test('[LOG-06] other expressions than metric queries are refused with their position', async () => {
    const { id } = await addLogPipeline(region);
    const rule = (expr: string): string => JSON.stringify({ name: 'a', rules: [{ alert: 'X', expr }] });
    const wrong: [string, RegExp][] = [
      [rule('rate({tag="app"'), /could not parse expression: parse error at line 1, col \d+/],
      [rule('{tag="app"} |= "x"'), /this query returns lines; a rule needs numbers/],
      [rule('up == 0'), /could not parse expression/],
      [rule('count_over_time({tag=~"("}[5m])'), /could not parse expression/],
      ['name: a\nrules: [{record: "a:b", expr: \'rate({tag="app"}[5m])\'}]\n', /metric pipelines only/],
    ];
    for (const [body, problem] of wrong) {
      const answer = await put(id, body);
      assertPayload(answer, 422, body);
      assert.match(JSON.stringify(answer.body), problem);
    }
    const properties = { name: 'x', pipeline: id, expression: 'sum(up)', comparison: '>', threshold: 1 };
    const answer = await region.call('POST', simpleRules, { properties });
    assertPayload(answer, 422, 'PromQL');
    assert.match(JSON.stringify(answer.body), /properties\.expression\] could not parse expression: parse error/);
  });

  test('[LOG-09] [GEN-07] anonymous callers, users without rights and other contracts have no access', async () => {
    const { id } = await addLogPipeline(region);
    await expect(put(id, 'name: a\nrules: []\n'), 200);
    const properties = {
      name: 'mine',
      pipeline: id,
      expression: 'rate({tag="app"}[5m])',
      comparison: '>',
      threshold: 1,
    };
    const made = (await expect(region.call('POST', simpleRules, { properties }), 201)).body;
    const powerless = await addPerson(region);
    const watcher = await addPerson(region); // has the privilege for metrics only
    await addGroup(region, ['accessAndManageMonitoring'], [watcher.user]);
    const other = await secondContract(region);
    const calls: [string, string, unknown?][] = [
      ['GET', rulesOf(id)],
      ['POST', `${rulesOf(id)}/app`, 'name: b'],
      ['DELETE', `${rulesOf(id)}/app`],
      ['GET', `${readOf(id)}/rules`],
      ['GET', `${readOf(id)}/alerts`],
      ['GET', `${simpleRules}/${made.id}`],
      ['PUT', `${simpleRules}/${made.id}`, { properties }],
      ['DELETE', `${simpleRules}/${made.id}`],
    ];
    for (const [method, path, body] of calls) {
      const call = `${method} ${path}`;
      assertPayload(await region.call(method, path, body, { token: null }), 401, call);
      assertPayload(await region.call(method, path, body, { token: powerless.token }), 403, call);
      assertPayload(await region.call(method, path, body, { token: watcher.token }), 403, call);
      assertPayload(await region.call(method, path, body, { token: other.token }), 404, call);
    }
    for (const token of [watcher.token, other.token])
      assert.deepEqual((await expect(region.call('GET', simpleRules, undefined, { token }), 200)).body.items, []);
    // The privilege of logging suffices to create rules about own pipelines.
    const logger = await addPerson(region);
    await addGroup(region, ['accessAndManageLogging'], [logger.user]);
    const own = await addLogPipeline(region, undefined, { token: logger.token });
    const theirs = { properties: { ...properties, pipeline: own.id } };
    await expect(region.call('POST', simpleRules, theirs, { token: logger.token }), 201);
    assertPayload(await region.call('POST', simpleRules, { properties }, { token: logger.token }), 422, "another's");
  });
});
