// Requests: their fields, filters and paging; no secret among them.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addPerson, core } from '../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion } from '../harness/region.ts';

suite('requests', () => {
  let region: Region;
  let dc: ResourceBody;
  before(async () => {
    region = await startRegion();
    dc = await createDone(region, `${core}/datacenters`, { properties: { name: 'asked', location: 'de/txl' } });
    for (let at = 0; at < 5; at++)
      await createDone(region, `${core}/datacenters/${dc.id}/lans`, { properties: { name: `lan ${at}` } });
  });
  after(() => region.stop());

  const list = async (query: string) => (await region.call('GET', `${core}/requests?${query}`)).body;

  test('[CORE-02] a request has its method, url, body and headers, and its status from depth 2 on', async () => {
    const { items } = await list('depth=2&filter.method=POST&filter.url=/datacenters&limit=100');
    const first = items.at(-1) as ResourceBody;
    assert.equal(first.type, 'request');
    assert.equal(first.properties.method, 'POST');
    assert.match(String(first.properties.url), /\/cloudapi\/v6\/datacenters$/);
    assert.deepEqual(JSON.parse(String(first.properties.body)), {
      properties: { name: 'asked', location: 'de/txl' },
    });
    assert.equal(typeof first.properties.headers, 'object');
    const status = first.metadata.requestStatus as ResourceBody;
    assert.equal(status.type, 'request-status');
    assert.equal(status.metadata.status, 'DONE');
    const shallow = (await list('depth=1')).items[0] as ResourceBody;
    assert.deepEqual(Object.keys(shallow.metadata.requestStatus as object), ['id', 'type', 'href']);
    const single = await region.call('GET', `${core}/requests/${first.id}`);
    assert.equal(single.body.id, first.id);
    assert.equal((await region.call('GET', `${core}/requests/nonsense`)).status, 404);
    assert.equal((await region.call('GET', `${core}/requests/nonsense/status`)).status, 404);
  });

  test('[CORE-06] requests come newest first, with offset, limit and links', async () => {
    const all = await list('depth=1');
    const times = all.items.map((one) => String(one.metadata.createdDate));
    assert.deepEqual(times, [...times].sort().reverse());
    const page = await list('depth=1&limit=2&offset=1');
    assert.deepEqual(
      page.items.map((one) => one.id),
      all.items.slice(1, 3).map((one) => one.id),
    );
    assert.deepEqual([page.offset, page.limit], [1, 2]);
    assert.deepEqual(Object.keys(page._links as object), ['prev', 'self', 'next']);
  });

  test('requests can be filtered by status, time, method, url and body', async () => {
    const count = async (query: string) => (await list(query)).items.length;
    const all = await count('depth=0');
    assert.equal(await count('filter.status=DONE'), all);
    assert.equal(await count('filter.status=FAILED'), 0);
    assert.equal(await count('filter.requestStatus=done'), all);
    assert.equal(await count('filter.url=/lans'), 5);
    assert.equal(await count('filter.body=lan%203'), 1);
    assert.equal(await count('filter.method=DELETE'), 0);
    assert.equal(await count('filter.createdBefore=2020-01-01%2000:00:00'), 0);
    assert.equal(await count('filter.createdAfter=2020-01-01'), all);
    assert.equal(await count('filter.createdAfter=2020-01-01T00:00:00Z&filter.method=POST'), all);
    for (const wrong of ['yesterday', '2026-02-31'])
      assert.equal((await region.call('GET', `${core}/requests?filter.createdAfter=${wrong}`)).status, 422, wrong);
  });

  test('[AUTH-08] a user who is not an administrator sees only their own requests', async () => {
    const { token } = await addPerson(region);
    const mine = await region.call('GET', `${core}/requests`, undefined, { token });
    assert.deepEqual(mine.body.items, []);
    const [first] = (await list('depth=0')).items;
    assert.equal((await region.call('GET', `${core}/requests/${first?.id}`, undefined, { token })).status, 404);
    assert.equal((await region.call('GET', `${core}/requests/${first?.id}/status`, undefined, { token })).status, 404);
  });
});
