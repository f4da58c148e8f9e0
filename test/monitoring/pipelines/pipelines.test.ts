// The management API of metric pipelines: create, list, read, replace, change the key, delete.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addPipeline, fault, pipelines, plant, untilStatus } from '../../harness/pipelines.ts';
import { type Region, type ResourceBody, startRegion } from '../../harness/region.ts';
import { assertPayload } from '../../sweep/api.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const unknownId = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

suite('metric pipelines', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());
  const post = (body: unknown) => region.call('POST', pipelines, body);
  const get = (path: string) => region.call('GET', path);

  test('[METRIC-01] creation answers with the key, the endpoints and PROVISIONING in both places', async () => {
    const { status, headers, body } = await post({ properties: { name: 'first' } });
    assert.equal(status, 202, JSON.stringify(body));
    assert.equal(headers.location, undefined, 'there is no request to follow');
    assert.match(body.id, uuid);
    assert.equal(body.type, 'pipeline');
    assert.equal(body.href, `${region.url}${pipelines}/${body.id}`);
    assert.equal(body.properties.name, 'first');
    assert.equal(body.properties.status, 'PROVISIONING');
    const { metadata } = body;
    assert.equal(metadata.status, 'PROVISIONING');
    assert.match(String(metadata.key), /^\S{32,}$/);
    assert.match(String(metadata.httpEndpoint), new RegExp(`^${region.url}/monitoring/ingest/\\d+$`));
    assert.ok(String(metadata.grafanaEndpoint).startsWith(`${region.url}/console/`));
    const shown = (await untilStatus(region, `${pipelines}/${body.id}`, 'AVAILABLE')).body;
    assert.equal(shown.properties.status, 'AVAILABLE');
    assert.deepEqual(
      { http: shown.metadata.httpEndpoint, grafana: shown.metadata.grafanaEndpoint },
      { http: metadata.httpEndpoint, grafana: metadata.grafanaEndpoint },
    );
  });

  test('[METRIC-01] its metadata are the regional ones: URNs, times, users', async () => {
    const { id } = await addPipeline(region);
    const { metadata } = (await get(`${pipelines}/${id}`)).body;
    assert.equal(metadata.createdBy, `ionos:identity:::users/${metadata.createdByUserId}`);
    assert.match(String(metadata.createdByUserId), uuid);
    assert.match(String(metadata.createdDate), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    assert.equal(metadata.lastModifiedDate, metadata.createdDate);
    assert.equal(metadata.resourceURN, `ionos:monitoring:de/txl:${region.contract}:pipelines/${id}`);
    assert.ok(!('etag' in metadata) && !('state' in metadata));
  });

  test('[METRIC-01] [METRIC-02] the key is returned once: neither get, list nor PUT have it', async () => {
    const made = await addPipeline(region);
    const key = String(made.metadata.key);
    const path = `${pipelines}/${made.id}`;
    const put = await region.call('PUT', path, { properties: { name: 'again' } });
    for (const { status, body } of [await get(path), await get(`${pipelines}?limit=1000`), put]) {
      assert.equal(status, 200);
      assert.ok(!JSON.stringify(body).includes(key));
    }
    assert.ok(!('key' in put.body.metadata));
  });

  test('[METRIC-01] a name is required, and unknown and read-only fields are refused', async () => {
    const wrong: [unknown, RegExp][] = [
      [{ properties: {} }, /\[\(root\)\.properties\.name\] Attribute is required/],
      [{ properties: { name: '' } }, /\[\(root\)\.properties\.name\]/],
      [{ properties: { name: ' \t' } }, /Expected at least one character other than blanks/],
      [{ properties: { name: 'x', status: 'AVAILABLE' } }, /\.status\] Attribute is read-only/],
      [{ properties: { name: 'x', other: 1 } }, /\.other\] Attribute is unknown/],
      [{ properties: { name: 'x', retentionInDays: 0 } }, /\.retentionInDays\]/],
      [{ properties: { name: 'x', retentionInDays: 366 } }, /\.retentionInDays\]/],
      [{ properties: { name: 'x' }, id: unknownId }, /\[\(root\)\.id\]/],
      [{ properties: { name: 'x' }, metadata: 'x' }, /\[\(root\)\.metadata\]/],
      [{}, /\[\(root\)\.properties\.name\] Attribute is required/],
      ['{"properties":', /JSON/],
    ];
    for (const [body, says] of wrong) {
      const answer = await post(body);
      assertPayload(answer, 422, JSON.stringify(body));
      assert.match(JSON.stringify(answer.body), says);
    }
    const sdk = await post({ metadata: {}, properties: { name: 'as the SDK sends it' } });
    assert.equal(sdk.status, 202, JSON.stringify(sdk.body));
  });

  test('[METRIC-02] lists have numbers and links, newest first, in any supported order', async () => {
    await using own = await startRegion();
    const names = ['b', 'c', 'a'];
    for (const name of names) await addPipeline(own, { name });
    const list = async (query = ''): Promise<ResourceBody> => {
      const { status, body } = await own.call('GET', `${pipelines}${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const namesIn = ({ items }: ResourceBody): unknown[] => items.map(({ properties }) => properties.name);
    const all = await list();
    assert.match(all.id, uuid);
    assert.deepEqual([all.type, all.href, all.offset, all.limit], ['collection', `${own.url}${pipelines}`, 0, 100]);
    assert.deepEqual(namesIn(all), names.toReversed());
    assert.equal(all.items[0]?.metadata.status, 'AVAILABLE');
    assert.deepEqual(namesIn(await list('?orderBy=createdDate')), names);
    assert.deepEqual(namesIn(await list('?orderBy=name')), ['a', 'b', 'c']);
    assert.deepEqual(namesIn(await list('?order-by=-name')), ['c', 'b', 'a']);
    const [, , oldest] = all.items;
    await own.call('PUT', `${pipelines}/${oldest?.id}`, { properties: { name: 'b2' } });
    assert.deepEqual(namesIn(await list('?orderBy=-lastModifiedDate'))[0], 'b2');
    const page = await list('?limit=1&offset=1&orderBy=name');
    assert.deepEqual(namesIn(page), ['b2']);
    const links = page._links as Record<string, string>;
    assert.deepEqual(Object.keys(links), ['prev', 'self', 'next']);
    assert.deepEqual(namesIn(await list(new URL(links.next ?? '').search)), ['c']);
    assert.deepEqual(namesIn(await list('?filter.name=B')), ['b2']);
    assert.deepEqual(namesIn(await list('?limit=50&offset=0&depth=1&unknown=x&pretty=true')).length, 3);
    for (const query of ['limit=1001', 'limit=-1', 'offset=x', 'orderBy=size', 'orderBy=--name'])
      assertPayload(await own.call('GET', `${pipelines}?${query}`), 422, query);
  });

  test('[METRIC-02] PUT replaces: a name alone keeps the retention, and the id may be empty', async () => {
    const { id } = await addPipeline(region, { retentionInDays: 90 });
    const path = `${pipelines}/${id}`;
    const renamed = await region.call('PUT', path, { id: '', metadata: {}, properties: { name: 'renamed' } });
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
    assert.partialDeepStrictEqual(renamed.body.properties, { name: 'renamed', retentionInDays: 90 });
    const back = await region.call('PUT', path, { ...renamed.body, properties: renamed.body.properties });
    assert.equal(back.status, 200, 'a read resource can be sent back');
    const shorter = await region.call('PUT', path, { properties: { name: 'renamed', retentionInDays: 7 } });
    assert.equal(shorter.body.properties.retentionInDays, 7);
    assertPayload(await region.call('PUT', path, { id: unknownId, properties: { name: 'x' } }), 422, 'another id');
    assertPayload(await region.call('PATCH', path, { properties: { name: 'x' } }), 405, 'there is no PATCH');
    assert.equal((await get(path)).body.properties.name, 'renamed');
  });

  test('[METRIC-02] PUT to an unused id creates a pipeline there, with its key', async () => {
    const id = '0f0e0d0c-0b0a-4908-8706-050403020100';
    const made = await region.call('PUT', `${pipelines}/${id}`, { id, properties: { name: 'ensured' } });
    assert.equal(made.status, 202, JSON.stringify(made.body));
    assert.equal(made.body.id, id);
    assert.match(String(made.body.metadata.key), /^\S{32,}$/);
    await untilStatus(region, `${pipelines}/${id}`, 'AVAILABLE');
    const again = await region.call('PUT', `${pipelines}/${id}`, { properties: { name: 'ensured again' } });
    assert.equal(again.status, 200);
    assert.ok(!('key' in again.body.metadata));
    assertPayload(await region.call('PUT', `${pipelines}/${unknownId}`, { properties: {} }), 422, 'a name is needed');
    assertPayload(await region.call('PUT', `${pipelines}/no-id`, { properties: { name: 'x' } }), 404, 'no UUID');
  });

  test('[METRIC-02] DELETE: 202 with an empty object, DESTROYING, then 404', async () => {
    const { id } = await addPipeline(region);
    const path = `${pipelines}/${id}`;
    await plant(region, fault('remove.drop', 'stall'));
    const removed = await region.call('DELETE', path);
    assert.equal(removed.status, 202);
    assert.deepEqual(removed.body, {});
    const { body } = await get(path);
    assert.deepEqual([body.metadata.status, body.properties.status], ['DESTROYING', 'DESTROYING']);
    assertPayload(await region.call('DELETE', path), 404, 'a second time');
    assertPayload(await region.call('POST', `${path}/key`, {}), 404, 'its key');
    assertPayload(await region.call('PUT', path, { properties: { name: 'x' } }), 409, 'a change');
    await plant(region);
    await untilStatus(region, path, 404);
    const { items } = (await get(`${pipelines}?limit=1000`)).body;
    assert.ok(!items.some((one) => one.id === id));
  });

  test('[METRIC-02] a failed deletion leaves it AVAILABLE, and succeeds the next time', async () => {
    const { id } = await addPipeline(region);
    const path = `${pipelines}/${id}`;
    await plant(region, fault('remove.drop', 'fail'));
    assert.equal((await region.call('DELETE', path)).status, 202);
    await untilStatus(region, path, 'AVAILABLE');
    await plant(region);
    assert.equal((await region.call('DELETE', path)).status, 202);
    await untilStatus(region, path, 404);
  });

  test('[METRIC-02] a failed creation stays FAILED with its reason, until it is deleted', async () => {
    await plant(region, fault('create.provision', 'fail', 'No place for metrics, says the lab'));
    const { body: made } = await post({ properties: { name: 'failing' } });
    const path = `${pipelines}/${made.id}`;
    const { body } = await untilStatus(region, path, 'FAILED');
    assert.equal(body.metadata.statusMessage, 'No place for metrics, says the lab');
    assert.equal(body.properties.status, 'FAILED');
    await plant(region);
    assert.equal((await region.call('DELETE', path)).status, 202);
    await untilStatus(region, path, 404);
  });

  test('[METRIC-02] while it is PROVISIONING it can be renamed, given a new key and deleted', async () => {
    await plant(region, fault('create.provision', 'stall'));
    const { body: made } = await post({ properties: { name: 'slow' } });
    const path = `${pipelines}/${made.id}`;
    const renamed = await region.call('PUT', path, { properties: { name: 'slow still' } });
    assert.deepEqual([renamed.status, renamed.body.metadata.status], [200, 'PROVISIONING']);
    assert.equal((await region.call('POST', `${path}/key`, {})).status, 200);
    await plant(region);
    const { body } = await untilStatus(region, path, 'AVAILABLE');
    assert.equal(body.properties.name, 'slow still');
    await plant(region, fault('create.provision', 'stall'));
    const { body: second } = await post({ properties: { name: 'slow too' } });
    assert.equal((await region.call('DELETE', `${pipelines}/${second.id}`)).status, 202);
    assert.equal((await get(`${pipelines}/${second.id}`)).body.metadata.status, 'DESTROYING');
    await plant(region);
    await untilStatus(region, `${pipelines}/${second.id}`, 404);
  });

  test('[METRIC-02] POST …/key creates another key each time', async () => {
    const made = await addPipeline(region);
    const path = `${pipelines}/${made.id}/key`;
    const keys = [String(made.metadata.key)];
    for (const body of [{}, undefined, '']) {
      const { status, headers, body: answer } = await region.call('POST', path, body);
      assert.equal(status, 200, JSON.stringify(answer));
      assert.deepEqual(Object.keys(answer), ['key']);
      assert.equal(headers['cache-control'], 'no-store');
      keys.push(String(answer.key));
    }
    assert.equal(new Set(keys).size, 4);
    assertPayload(await region.call('POST', `${pipelines}/${unknownId}/key`, {}), 404, 'of none');
  });

  test('[METRIC-01] concurrent creations get different numbers', async () => {
    const made = await Promise.all(Array.from({ length: 60 }, () => post({ properties: { name: 'one of many' } })));
    for (const { status, body } of made) assert.equal(status, 202, JSON.stringify(body));
    assert.equal(new Set(made.map(({ body }) => body.metadata.httpEndpoint)).size, 60);
  });

  test('[GEN-05] missing resources and unknown callers get the payload of regional services', async () => {
    for (const id of [unknownId, 'x', unknownId.toUpperCase()]) assertPayload(await get(`${pipelines}/${id}`), 404, id);
    const nobody = await region.call('GET', pipelines, undefined, { token: null });
    assertPayload(nobody, 401, 'nobody');
    assert.equal(nobody.body.messages[0]?.errorCode, 'paas-auth-1');
    const basic = await region.call('GET', pipelines, undefined, { basic: region.owner });
    assertPayload(basic, 401, 'Basic');
    assert.match(JSON.stringify(basic.body), /bearer tokens only/);
  });

  test('[METRIC-02] every change is in the activity log, and none among the requests of the core', async () => {
    const { id } = await addPipeline(region);
    const path = `${pipelines}/${id}`;
    await region.call('PUT', path, { properties: { name: 'noted' } });
    await region.call('POST', `${path}/key`, {});
    await region.call('DELETE', path);
    await untilStatus(region, path, 404);
    const log = await region.call<{ hits: { hits: { _source: { action: string; resource: string } }[] } }>(
      'GET',
      `/activitylog/v1/contracts/${region.contract}?limit=1000`,
    );
    const own = log.body.hits.hits.map(({ _source }) => _source).filter(({ resource }) => resource.endsWith(id));
    const changes = own.map(({ action }) => action).filter((action) => action.startsWith('monitoring.'));
    assert.deepEqual(
      changes.toReversed(),
      ['create', 'update', 'key', 'delete'].map((word) => `monitoring.pipeline.${word}`),
    );
    const requests = await get('/cloudapi/v6/requests?depth=3&limit=10000');
    assert.ok(!JSON.stringify(requests.body).includes('pipeline'), 'requests of the core do not include pipelines');
  });
});
