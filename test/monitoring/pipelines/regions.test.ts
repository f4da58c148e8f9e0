// Metric pipelines by region, by address and by user; central monitoring; and the paths at the gateway's root.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { addGroup, addPerson } from '../../harness/people.ts';
import { addPipeline, monitoring, pipelines, untilStatus } from '../../harness/pipelines.ts';
import { type Answer, type CallOptions, type Region, startRegion } from '../../harness/region.ts';
import { assertPayload } from '../../sweep/api.ts';

const frankfurt = '/de-fra/monitoring/pipelines';
const berlin = '/de-txl/monitoring/pipelines';
const atHost = (host: string): CallOptions => ({ headers: { host } });

suite('regions', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());
  // Log pipelines have the same paths at the root: the user agent selects the product.
  const ofMonitoring: CallOptions = { headers: { 'user-agent': 'sdk-go-monitoring/1.0' } };
  const idsAt = async (path: string, options: CallOptions = {}): Promise<string[]> => {
    const { status, body } = await region.call('GET', `${path}?limit=1000`, undefined, options);
    assert.equal(status, 200, JSON.stringify(body));
    return body.items.map(({ id }) => id).sort();
  };

  test('[METRIC-02] a region in the path or Host selects only that region; without one, all are listed', async () => {
    const here = await addPipeline(region, { name: 'in Frankfurt' }, { at: frankfurt });
    const there = await addPipeline(region, { name: 'in Berlin' });
    const byHost = atHost('monitoring.de-fra.ionos.com');
    assert.equal(here.href, `${region.url}${frankfurt}/${here.id}`);
    assert.match(String(here.metadata.resourceURN), /:de\/fra:/);
    assert.match(String(there.metadata.resourceURN), /:de\/txl:/, 'the default region');
    assert.deepEqual(await idsAt(frankfurt), [here.id]);
    assert.deepEqual(await idsAt(berlin), [there.id]);
    assert.deepEqual(await idsAt('/es-vit/monitoring/pipelines'), []);
    assert.deepEqual(await idsAt('/pipelines', byHost), [here.id]);
    assert.deepEqual(await idsAt(pipelines), [here.id, there.id].sort());
    for (const { id } of [here, there]) {
      assert.equal((await region.call('GET', `${pipelines}/${id}`)).status, 200);
      assert.equal((await region.call('GET', `${frankfurt}/${id}`)).status, id === here.id ? 200 : 404);
      const answer = await region.call('GET', `/pipelines/${id}`, undefined, byHost);
      assert.equal(answer.status, id === here.id ? 200 : 404);
    }
    const link = (await region.call('GET', `/pipelines/${here.id}`, undefined, byHost)).body.href;
    assert.equal(link, `http://monitoring.de-fra.ionos.com/pipelines/${here.id}`);
    assertPayload(await region.call('DELETE', `${berlin}/${here.id}`), 404, 'removed in another region');
    assertPayload(await region.call('GET', '/xx-yyy/monitoring/pipelines'), 404, 'an unknown region');
  });

  test('[METRIC-02] an id of another region cannot be used: 409', async () => {
    const { id } = await addPipeline(region, {}, { at: frankfurt });
    const answer = await region.call('PUT', `${berlin}/${id}`, { properties: { name: 'x' } });
    assertPayload(answer, 409, 'the id of another region');
    assert.match(JSON.stringify(answer.body), /de-fra/);
    const put = await region.call('PUT', `${pipelines}/${id}`, { properties: { name: 'found' } });
    assert.equal(put.status, 200, 'without a region it is found where it is');
  });

  test('[METRIC-09] without the privilege everything is refused, with it users have their own pipelines', async () => {
    const [stranger, ada, bob] = [await addPerson(region), await addPerson(region), await addPerson(region)];
    await addGroup(region, ['accessAndManageMonitoring'], [ada.user, bob.user]);
    const as = (token: string): CallOptions => ({ token });
    const { id: foreign } = await addPipeline(region);
    const calls: [string, string, object?][] = [
      ['GET', pipelines],
      ['POST', pipelines, { properties: { name: 'x' } }],
      ['GET', `${pipelines}/${foreign}`],
      ['PUT', `${pipelines}/${foreign}`, { properties: { name: 'x' } }],
      ['POST', `${pipelines}/${foreign}/key`, {}],
      ['DELETE', `${pipelines}/${foreign}`],
      ['GET', `${monitoring}/central`],
      ['PUT', `${monitoring}/central`, { properties: { enabled: true } }],
    ];
    for (const [method, path, body] of calls) {
      const answer = await region.call(method, path, body, as(stranger.token));
      assertPayload(answer, 403, `${method} ${path}`);
      assert.match(JSON.stringify(answer.body), /accessAndManageMonitoring/);
    }
    const hers = await addPipeline(region, { name: 'of Ada' }, as(ada.token));
    assert.equal(hers.metadata.createdByUserId, ada.user.id);
    assert.deepEqual(await idsAt(pipelines, as(ada.token)), [hers.id]);
    assert.deepEqual(await idsAt(pipelines, as(bob.token)), []);
    for (const [method, path, body] of calls.filter(([, path]) => path.includes(foreign)))
      for (const id of [foreign, hers.id])
        assertPayload(
          await region.call(method, path.replace(foreign, id), body, as(bob.token)),
          404,
          `${method} ${id}`,
        );
    assert.ok((await idsAt(pipelines)).includes(hers.id), 'the owner sees all');
    assert.equal((await region.call('POST', `${pipelines}/${hers.id}/key`, {}, as(ada.token))).status, 200);
    const removed = await region.call('DELETE', `${pipelines}/${hers.id}`, undefined, as(ada.token));
    assert.equal(removed.status, 202);
    await untilStatus(region, `${pipelines}/${hers.id}`, 404, as(ada.token));
  });

  test('central monitoring: always one, by its id, by an empty one, or by none', async () => {
    const central = `${monitoring}/central`;
    const { body: list } = await region.call('GET', central);
    assert.equal(list.type, 'collection');
    assert.equal(list.items.length, 1);
    const [item] = list.items;
    assert.equal(item?.type, 'central-monitoring');
    assert.deepEqual(item?.properties, { enabled: false });
    assert.ok(Array.isArray(item?.metadata.products));
    assert.match(String(item?.metadata.grafanaEndpoint), /\/console\//);
    assert.equal((await region.call('GET', `${central}/${item?.id}`)).body.id, item?.id);
    let enabled = true;
    for (const path of [`${central}/`, central, `${central}/${item?.id}`, '/central/']) {
      const put: Answer = await region.call('PUT', path, { metadata: {}, properties: { enabled } }, ofMonitoring);
      assert.equal(put.status, 200, `${path}: ${JSON.stringify(put.body)}`);
      assert.deepEqual([put.body.id, put.body.properties], [item?.id, { enabled }]);
      const { items } = (await region.call('GET', `${central}/`)).body;
      assert.deepEqual([items.length, items[0]?.properties], [1, { enabled }]);
      assert.ok(items[0]?.metadata.createdDate);
      enabled = !enabled;
    }
    await region.call('PUT', '/de-fra/monitoring/central', { properties: { enabled: true } });
    const seen = async (path: string): Promise<unknown> => (await region.call('GET', path)).body.items[0]?.properties;
    assert.deepEqual(await seen('/de-fra/monitoring/central'), { enabled: true });
    assert.deepEqual(await seen('/de-txl/monitoring/central'), { enabled: false });
    assertPayload(await region.call('GET', `/de-fra/monitoring/central/${item?.id}`), 404, 'of another region');
    for (const body of [{}, { properties: {} }, { properties: { enabled: 'yes' } }, { properties: { on: true } }])
      assertPayload(await region.call('PUT', central, body), 422, JSON.stringify(body));
    assertPayload(await region.call('POST', central, { properties: { enabled: true } }), 405, 'it cannot be created');
  });

  test('clients with a single host find everything at the root', async () => {
    const properties = { name: 'at the root' };
    const made = await region.call('POST', '/pipelines?depth=1', { properties }, ofMonitoring);
    assert.equal(made.status, 202, JSON.stringify(made.body));
    assert.equal(made.body.href, `${region.url}/pipelines/${made.body.id}`);
    await untilStatus(region, new URL(made.body.href).pathname, 'AVAILABLE');
    assert.ok((await idsAt('/pipelines', ofMonitoring)).includes(made.body.id));
    assert.equal((await region.call('POST', `/pipelines/${made.body.id}/key`, {})).status, 200);
    assert.equal((await region.call('GET', '/central', undefined, ofMonitoring)).body.items.length, 1);
    const undecided = await region.call('GET', '/central');
    assertPayload(undecided, 409, 'a client that may mean logs');
    assert.match(JSON.stringify(undecided.body), /\/monitoring.*\/logging/);
    assertPayload(await region.call('GET', '/pipelines', undefined, { token: null }), 401, 'nobody');
    assertPayload(await region.call('PATCH', '/pipelines', {}), 405, 'PATCH');
    assertPayload(await region.call('GET', '/pipeline'), 404, 'something else');
    const removed = await region.call('DELETE', `/pipelines/${made.body.id}`);
    assert.equal(removed.status, 202);
  });
});

suite('addresses', () => {
  const endpoints = async (region: Region, id: string): Promise<[string, string]> => {
    const { metadata } = (await region.call('GET', `${pipelines}/${id}`)).body;
    return [String(metadata.httpEndpoint), String(metadata.grafanaEndpoint)];
  };

  test('[METRIC-01] on this machine: returned with its current port, also after a restart', async () => {
    await using region = await startRegion();
    const { id, metadata } = await addPipeline(region, {}, { at: frankfurt });
    const expected = (): [string, string] => [
      `${region.url}/monitoring/ingest/1`,
      `${region.url}/console/monitoring/de-fra?contract=${region.contract}`,
    ];
    assert.deepEqual([metadata.httpEndpoint, metadata.grafanaEndpoint], expected());
    const before = region.url;
    await region.restart();
    assert.notEqual(region.url, before);
    assert.deepEqual(await endpoints(region, id), expected());
  });

  test('[METRIC-01] [METRIC-06] on other machines: fixed by --public-url or --domain at its creation', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'cumulet-addresses-'));
    t.after(() => rmSync(data, { recursive: true, force: true }));
    const made: [string, [string, string]][] = [];
    const withArgs = async (args: string[], expected: (region: Region) => [string, string]): Promise<void> => {
      await using region = await startRegion({ data, args });
      const { id } = await addPipeline(region, {}, { at: frankfurt });
      const current = await endpoints(region, id);
      assert.deepEqual(current, expected(region));
      for (const [earlier, fixed] of made) assert.deepEqual(await endpoints(region, earlier), fixed);
      made.push([id, current]);
    };
    const dashboard = (origin: string, { contract }: Region) =>
      `${origin}/console/monitoring/de-fra?contract=${contract}`;
    const url = 'https://cloud.example';
    await withArgs(['--public-url', url], (region) => [`${url}/monitoring/ingest/1`, dashboard(url, region)]);
    await withArgs(['--domain', 'region.test'], (region) => {
      const { port } = new URL(region.https);
      const name = `2-metrics.${region.contract}.monitoring.de-fra.region.test:${port}`;
      return [`https://${name}`, dashboard(`https://api.region.test:${port}`, region)];
    });
    await withArgs(['--public-url', url, '--domain', 'cloud.example'], (region) => [
      `https://3-metrics.${region.contract}.monitoring.de-fra.cloud.example`,
      dashboard(url, region),
    ]);
    await using named = await startRegion({ data, args: ['--grafana', 'https://grafana.example/d/'] });
    for (const [id, [http]] of made)
      assert.deepEqual(await endpoints(named, id), [http, 'https://grafana.example/d'], 'a real Grafana is for all');
  });
});
