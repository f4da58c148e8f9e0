// The management API of log pipelines: create, list, read, change, replace the key, delete.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { addLogPipeline, logging, logPipelines, stream, untilState } from '../harness/logs.ts';
import { refusedLine } from '../harness/nodes.ts';
import { addGroup, addPerson } from '../harness/people.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { assertPayload } from '../sweep/api.ts';

const unknownId = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

suite('log pipelines', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());
  const post = (properties: unknown) => region.call('POST', logPipelines, { properties });
  const streamsIn = (body: { properties: object }) => (body.properties as { logs: Record<string, unknown>[] }).logs;

  test('[LOG-01] creation: PROVISIONING, the addresses and the key once; then Ready and AVAILABLE', async () => {
    const logs = [{ source: 'kubernetes', tag: 'k8s', protocol: 'tcp', retentionInDays: 7 }];
    const { status, body, headers } = await post({ name: 'first', logs });
    assert.equal(status, 202, JSON.stringify(body));
    assert.equal(headers['cache-control'], 'no-store');
    const { key, tcpAddress, httpAddress, grafanaAddress, ...rest } = body.properties as Record<string, string>;
    assert.deepEqual([body.type, rest.status, body.metadata.state], ['pipeline', 'PROVISIONING', 'PROVISIONING']);
    assert.match(key ?? '', /^\S{32,}$/);
    assert.match(tcpAddress ?? '', /^127\.0\.0\.1:\d+$/);
    assert.match(httpAddress ?? '', new RegExp(`^${region.url}/logging/ingest/\\d+$`));
    assert.ok(grafanaAddress?.startsWith(`${region.url}/console/logging/de-txl`));
    const path = `${logPipelines}/${body.id}`;
    const { body: shown } = await untilState(region, path, 'AVAILABLE');
    assert.equal(shown.properties.status, 'Ready');
    assert.deepEqual([shown.properties.tcpAddress, shown.properties.httpAddress], [tcpAddress, httpAddress]);
    assert.equal(shown.metadata.resourceURN, `ionos:logging:de/txl:${region.contract}:pipelines/${body.id}`);
    const patched = await region.call('PATCH', path, { properties: { name: 'again' } });
    for (const seen of [shown, patched.body, (await region.call('GET', logPipelines)).body])
      assert.ok(!JSON.stringify(seen).includes(key ?? '-') && !('key' in (seen.properties ?? {})));
  });

  test('[LOG-03] sources, protocols and both forms of the retention; omitted fields have their defaults', async () => {
    const { body } = await post({
      name: 'spelled',
      logs: [
        { source: 'Linux Systemd', tag: 'journal', protocol: 'TCP', retentionInDays: 14 },
        { source: 'HTTP', tag: 'web' },
        { source: 'docker', tag: 'box', destinations: [{ type: 'loki', retentionInDays: 0 }] },
        { source: 'generic', tag: 'app', protocol: 'http', retentionInDays: 'unlimited', labels: ['level'] },
        { source: 'kubernetes', tag: 'k8s', destinations: [{}] },
      ],
    });
    assert.deepEqual(
      streamsIn(body).map((one) => [
        one.source,
        one.protocol,
        one.retentionInDays,
        (one.destinations as [object])[0],
        one.labels,
      ]),
      [
        ['systemd', 'tcp', 14, { type: 'loki', retentionInDays: 14 }, []],
        ['http', 'http', 30, { type: 'loki', retentionInDays: 30 }, []],
        ['docker', 'tcp', 'unlimited', { type: 'loki', retentionInDays: 0 }, []],
        ['generic', 'http', 'unlimited', { type: 'loki', retentionInDays: 0 }, ['level']],
        ['kubernetes', 'tcp', 30, { type: 'loki', retentionInDays: 30 }, []],
      ],
    );
  });

  test('[LOG-01] a pipeline without a tcp stream has no TCP address', async () => {
    const { body } = await post({ name: 'webonly', logs: [stream('web', { protocol: 'http' })] });
    assert.equal('tcpAddress' in body.properties, false);
    assert.match(String(body.properties.httpAddress), /^http/);
    const both = [...streamsIn(body), stream('box', { protocol: 'tcp' })];
    const changed = await region.call('PATCH', `${logPipelines}/${body.id}`, { properties: { logs: both } });
    assert.match(String(changed.body.properties.tcpAddress), /^127\.0\.0\.1:\d+$/);
  });

  test('[LOG-02] [LOG-03] a sixth stream, and invalid names, tags and streams are refused', async () => {
    const six = ['one', 'two', 'three', 'four', 'five', 'six'].map((tag) => stream(tag));
    assert.equal((await post({ name: 'five', logs: six.slice(1) })).status, 202);
    const wrong: [unknown, RegExp][] = [
      [{ name: 'six', logs: six }, /at most 5 elements/],
      [{ name: 'none', logs: [] }, /at least 1 element/],
      [{ name: 'none' }, /logs\] Attribute is required/],
      [{ name: 'x'.repeat(21), logs: [stream('app')] }, /at most 20 characters/],
      [{ name: 'x', logs: [stream('ab')] }, /logs\.\[0\]\.tag\] Expected at least 3 characters/],
      [{ name: 'x', logs: [stream('x'.repeat(21))] }, /at most 20 characters/],
      [{ name: 'x', logs: [stream('a-b-c')] }, /letters and digits/],
      [{ name: 'x', logs: [stream('app'), stream('app')] }, /'app' is used twice/],
      [{ name: 'x', logs: [stream('app', { source: 'mainframe' })] }, /kubernetes, docker, systemd, http, generic/],
      [{ name: 'x', logs: [stream('app', { protocol: 'udp' })] }, /tcp, http/],
      [{ name: 'x', logs: [stream('app', { source: 'http', protocol: 'tcp' })] }, /protocol http/],
      [{ name: 'x', logs: [stream('app', { retentionInDays: 8 })] }, /7, 14, 30, unlimited/],
      [{ name: 'x', logs: [stream('app', { retentionInDays: 'forever' })] }, /integer/],
      [
        { name: 'x', logs: [stream('app', { retentionInDays: 7, destinations: [{ retentionInDays: 14 }] })] },
        /differs from/,
      ],
      [{ name: 'x', logs: [stream('app', { destinations: [{ type: 's3' }] })] }, /loki/],
      [{ name: 'x', logs: [stream('app', { labels: ['tag'] })] }, /The label tag is reserved/],
      [{ name: 'x', logs: [stream('app')], key: 'mine' }, /read-only/],
    ];
    for (const [properties, says] of wrong) {
      const answer = await post(properties);
      assertPayload(answer, 422, JSON.stringify(properties));
      assert.match(JSON.stringify(answer.body), says);
    }
  });

  test('[LOG-08] PATCH replaces the streams, the changed form of the retention counts, and PUT works', async () => {
    const { id } = await addLogPipeline(region, [stream('app', { retentionInDays: 7 })]);
    const path = `${logPipelines}/${id}`;
    const patch = (properties: object) => region.call('PATCH', path, { metadata: {}, properties });
    const renamed = await patch({ name: 'renamed' });
    assert.deepEqual([renamed.status, renamed.body.properties.name], [200, 'renamed']);
    const [read] = streamsIn(renamed.body) as [object];
    const changed = await patch({ logs: [{ ...read, destinations: [{ type: 'loki', retentionInDays: 14 }] }] });
    assert.equal(streamsIn(changed.body)[0]?.retentionInDays, 14);
    const added = await patch({ logs: [stream('other'), streamsIn(changed.body)[0]] });
    assert.deepEqual(
      streamsIn(added.body).map(({ tag, retentionInDays }) => [tag, retentionInDays]),
      [
        ['other', 30],
        ['app', 14],
      ],
    );
    assertPayload(await patch({ logs: [] }), 422, 'one must stay');
    const put = await region.call('PUT', path, added.body);
    assert.equal(put.status, 200, JSON.stringify(put.body));
    assertPayload(await region.call('PATCH', `${logPipelines}/${unknownId}`, { properties: {} }), 404, 'of none');
  });

  test('[LOG-08] lists are pages, a new key each time, and DELETE ends in 404', async () => {
    const { id, key } = await addLogPipeline(region);
    const list = await region.call('GET', `${logPipelines}?limit=1&orderBy=name`);
    assert.deepEqual([list.body.type, list.body.items.length, list.body.limit], ['collection', 1, 1]);
    const keys = new Set([key]);
    for (const body of [{}, undefined]) {
      const answer = await region.call('POST', `${logPipelines}/${id}/key`, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      keys.add(String(answer.body.key));
    }
    assert.equal(keys.size, 3);
    const removed = await region.call('DELETE', `${logPipelines}/${id}`);
    assert.deepEqual([removed.status, removed.body as unknown], [202, {}]);
    await untilState(region, `${logPipelines}/${id}`, 404);
    assertPayload(await region.call('DELETE', `${logPipelines}/${id}`), 404, 'a second time');
    assertPayload(await region.call('POST', `${logPipelines}/${id}/key`, {}), 404, 'its key');
  });

  test('[LOG-07] central logging: one document for all clients, by id and without, per region', async () => {
    const get = async (at = logging) => (await region.call('GET', `${at}/central`)).body;
    const first = await get();
    assert.deepEqual([first.type, first.items.length, first.properties.enabled], ['collection', 1, false]);
    assert.equal(typeof first.metadata.grafanaEndpoint, 'string');
    const [item] = first.items;
    const on = await region.call('PUT', `${logging}/central`, { properties: { enabled: true } });
    assert.deepEqual([on.status, on.body.id, on.body.properties.enabled], [200, item?.id, true]);
    assert.equal((await region.call('GET', `${logging}/central/${item?.id}`)).body.properties.enabled, true);
    assert.equal((await get('/de-fra/logging')).properties.enabled, false);
    const off = await region.call('PUT', `${logging}/central/${item?.id}`, {
      metadata: {},
      properties: { enabled: false },
    });
    assert.deepEqual([off.status, (await get()).items[0]?.properties.enabled], [200, false]);
    assertPayload(await region.call('PUT', `${logging}/central`, { properties: {} }), 422, 'enabled is needed');
    assertPayload(await region.call('GET', `${logging}/central/${unknownId}`), 404, 'of none');
  });

  test('[LOG-07] [LOG-09] the privilege is required, and other users see only their own pipelines', async () => {
    const { id } = await addLogPipeline(region);
    const { token: stranger } = await addPerson(region);
    const { token: member, user } = await addPerson(region);
    await addGroup(region, ['accessAndManageLogging'], [user]);
    const as = (token: string) => (method: string, path: string, body?: unknown) =>
      region.call(method, path, body, { token });
    const body = { properties: { name: 'theirs', logs: [stream('app')] } };
    for (const [method, path, sent] of [
      ['POST', logPipelines, body],
      ['GET', logPipelines, undefined],
      ['GET', `${logging}/central`, undefined],
      ['PUT', `${logging}/central`, { properties: { enabled: true } }],
    ] as const)
      assertPayload(await as(stranger)(method, path, sent), 403, `${method} ${path}`);
    const made = await as(member)('POST', logPipelines, body);
    assert.equal(made.status, 202, JSON.stringify(made.body));
    assertPayload(await as(member)('GET', `${logPipelines}/${id}`), 404, "another's");
    assert.deepEqual(
      (await as(member)('GET', logPipelines)).body.items.map((one) => one.id),
      [made.body.id],
    );
    const switched = await as(member)('PUT', `${logging}/central`, { properties: { enabled: false } });
    assert.equal(switched.status, 200);
  });
});

test('[LOG-01] behind a balancer, agents get the address of --logs-public-address, fixed at the creation', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'cumulet-addresses-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const created: [id: string, address: string][] = [];
  for (const [args, expected] of [
    [['--public-url', 'https://cloud.example', '--logs-public-address', ':24224'], 'cloud.example:24224'],
    [['--domain', 'region.test', '--logs-public-address', ':24225'], /^2-logs\..*\.region\.test:24225$/],
    [['--domain', 'region.test', '--logs-public-address', 'logs.example:24226'], 'logs.example:24226'],
    [['--logs-public-address', 'logs.example:24227'], 'logs.example:24227'],
  ] as const) {
    await using region = await startRegion({ data, args: [...args] });
    const { body } = await region.call('POST', logPipelines, {
      properties: { name: 'app', logs: [stream('app', { protocol: 'tcp' })] },
    });
    const address = String(body.properties.tcpAddress);
    if (expected instanceof RegExp) assert.match(address, expected);
    else assert.equal(address, expected);
    created.push([body.id, address]);
    for (const [id, earlier] of created)
      assert.equal((await region.call('GET', `${logPipelines}/${id}`)).body.properties.tcpAddress, earlier);
  }
  for (const wrong of ['logs.example', 'logs.example:0x1', ':70000', 'https://logs.example:9000'])
    assert.match(await refusedLine(['--data', data, '--logs-public-address', wrong]), /--logs-public-address expects/);
});
