// Collections: depth, paging, filters and order.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { core } from '../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../harness/region.ts';

const datacenters = `${core}/datacenters`;

suite('collections', () => {
  let region: Region;
  let full: ResourceBody;
  before(async () => {
    region = await startRegion();
    for (let at = 0; at < 12; at++) {
      const location = at % 2 ? 'de/fra' : 'de/txl';
      await createDone(region, datacenters, {
        properties: { name: `Center ${String.fromCharCode(108 - at)}`, location, description: `number ${at}` },
      });
    }
    full = await createDone(region, datacenters, { properties: { name: 'full', location: 'us/las' } });
    for (const name of ['x', 'y']) await createDone(region, `${datacenters}/${full.id}/lans`, { properties: { name } });
  });
  after(() => region.stop());

  const names = (shown: ResourceBody) => shown.items.map((one) => one.properties.name);

  test('[CORE-06] a collection has items, offset 0 and limit 1000 by default', async () => {
    const { body } = await region.call('GET', datacenters);
    assert.equal(body.type, 'collection');
    assert.equal(body.items.length, 13);
    assert.deepEqual([body.offset, body.limit], [0, 1000]);
    assert.deepEqual(Object.keys(body._links as object), ['self']);
    const empty = await region.call('GET', `${core}/ipblocks`);
    assert.deepEqual(empty.body.items, []);
  });

  test('[CORE-06] pages follow each other by their links to the last, short one', async () => {
    const seen: string[] = [];
    let next: string | undefined = `${datacenters}?limit=5&depth=1`;
    const sizes: number[] = [];
    while (next) {
      const { body }: { body: ResourceBody } = await region.call('GET', next);
      seen.push(...body.items.map((one) => one.id));
      sizes.push(body.items.length);
      const links = body._links as { next?: string; prev?: string };
      assert.equal(links.prev !== undefined, sizes.length > 1);
      next = links.next;
      if (next) assert.match(next, /^http:.*depth=1.*limit=5|limit=5.*depth=1/);
    }
    assert.deepEqual(sizes, [5, 5, 3]);
    assert.equal(new Set(seen).size, 13);
    const whole = await region.call('GET', datacenters);
    assert.deepEqual(
      whole.body.items.map((one) => one.id),
      seen,
    );
    assert.deepEqual((await region.call('GET', `${datacenters}?offset=13`)).body.items, []);
    assert.deepEqual((await region.call('GET', `${datacenters}?limit=0`)).body.items, []);
  });

  test('[CORE-06] depth inlines as the table says', async () => {
    const path = `${datacenters}/${full.id}`;
    const at = async (from: string, depth: number) => (await region.call('GET', `${from}?depth=${depth}`)).body;
    const item0 = await at(path, 0);
    assert.ok(item0.properties && item0.entities.lans && !('items' in item0.entities.lans));
    const item1 = await at(path, 1);
    assert.deepEqual(Object.keys(item1.entities.lans?.items[0] ?? {}), ['id', 'type', 'href']);
    const item2 = await at(path, 2);
    assert.deepEqual(names(item2.entities.lans as ResourceBody), ['x', 'y']);
    const last = (shown: ResourceBody) => shown.items.at(-1) as ResourceBody;
    assert.deepEqual(Object.keys(last(await at(datacenters, 0))), ['id', 'type', 'href']);
    const list1 = last(await at(datacenters, 1));
    assert.ok(list1.properties && !('items' in (list1.entities.lans as object)));
    const list2 = last(await at(datacenters, 2));
    assert.deepEqual(Object.keys(list2.entities.lans?.items[0] ?? {}), ['id', 'type', 'href']);
    const list3 = last(await at(datacenters, 3));
    assert.deepEqual(names(list3.entities.lans as ResourceBody), ['x', 'y']);
    assert.equal(list3.entities.lans?.id, `${full.id}/lans`);
  });

  test('[CORE-06] depth applies to the answers of changes too', async () => {
    const put = await region.call('PATCH', `${datacenters}/${full.id}?depth=2`, { description: 'changed' });
    assert.deepEqual(names(put.body.entities.lans as ResourceBody), ['x', 'y']);
    await waitRequest(region, put.headers.location);
  });

  test('[CORE-06] bad numbers are refused with their place', async () => {
    for (const query of [
      'depth=11',
      'depth=-1',
      'depth=x',
      'limit=-1',
      'limit=1.5',
      'limit=99999',
      'offset=-1',
      'offset=x',
    ]) {
      const { status, body } = await region.call('GET', `${datacenters}?${query}`);
      assert.equal(status, 422, query);
      assert.match(body.messages[0]?.message ?? '', new RegExp(`^\\[\\(query\\)\\.${query.split('=')[0]}\\]`));
    }
  });

  test('filters contain, in any case; commas and repeats are or, different keys are and', async () => {
    const found = async (query: string) => names((await region.call('GET', `${datacenters}?depth=1&${query}`)).body);
    assert.equal((await found('filter.name=CENTER')).length, 12);
    assert.deepEqual(await found('filter.name=center%20a'), ['Center a']);
    assert.equal((await found('filter.location=de/fra')).length, 6);
    assert.equal((await found('filter.location=fra,las')).length, 7);
    assert.equal((await found('filter.location=fra&filter.location=las')).length, 7);
    assert.deepEqual(await found('filter.location=fra&filter.description=number%201&filter.name=k'), ['Center k']);
    assert.equal((await found('filter.features=SSD')).length, 13);
    assert.equal((await found('filter.createdBy=owner')).length, 13);
    assert.equal((await found('filter.state=busy')).length, 0);
    assert.equal((await found('filter.NAME=center')).length, 12, 'a name in another case');
    assert.equal((await found('filter.cores=4')).length, 13, 'what only others have');
    const paged = await region.call('GET', `${datacenters}?filter.name=center&limit=5&offset=10`);
    assert.equal(paged.body.items.length, 2);
  });

  test('a name that nothing has is refused, with those that there are', async () => {
    for (const query of [
      'filter.foo=1',
      'filter.properties.name=a',
      'filter.=x',
      'orderBy=foo',
      'order-by=__proto__',
    ]) {
      const { status, body } = await region.call('GET', `${datacenters}?${query}`);
      assert.equal(status, 422, query);
      assert.match(
        body.messages[0]?.message ?? '',
        /^\[\(query\)\.\S+\] .* one of \[name, .*location.*, createdDate/,
        query,
      );
    }
    const { body } = await region.call('GET', `${datacenters}?filter.foo=1&filter.bar=2&orderBy=baz&filter.name=a`);
    assert.equal(body.messages.length, 3);
    assert.equal((await region.call('GET', `${core}/requests?filter.status=done&filter.url=x`)).status, 200);
    assert.equal((await region.call('GET', `${core}/requests?filter.nonsense=x`)).status, 422);
    assert.equal((await region.call('GET', `${core}/labels?filter.nonsense=x`)).status, 422);
    assert.equal((await region.call('GET', `${datacenters}?orderBy=cores`)).status, 200);
  });

  test('a value other than true or false is refused before anything is done', async () => {
    const { id } = await createDone(region, datacenters, { properties: { name: 'flags', location: 'us/mci' } });
    const server = await createDone(region, `${datacenters}/${id}/servers`, { properties: { cores: 1, ram: 1024 } });
    const path = `${datacenters}/${id}/servers/${server.id}`;
    for (const [method, query] of [
      ['DELETE', 'deleteVolumes=maybe'],
      ['GET', 'pretty=maybe'],
      ['LIST', 'upgradeNeeded=zz'],
      ['PATCH', 'pretty=1'],
    ] as const) {
      const { status, body } =
        method === 'LIST'
          ? await region.call('GET', `${datacenters}/${id}/servers?${query}`)
          : await region.call(method, `${path}?${query}`, method === 'PATCH' ? {} : undefined);
      assert.equal(status, 422, query);
      assert.match(body.messages[0]?.message ?? '', /^\[\(query\)\.\w+\] Expected true or false, got '/);
    }
    assert.equal((await region.call('GET', `${path}?pretty=True`)).status, 200);
    assert.equal((await region.call('DELETE', `${path}?deleteVolumes=False&pretty=`)).status, 202);
    await region.call('DELETE', `${datacenters}/${id}`);
  });

  test('orderBy sorts by a property, in both spellings', async () => {
    for (const key of ['orderBy', 'order-by']) {
      const { body } = await region.call('GET', `${datacenters}?depth=1&${key}=name&filter.name=center&limit=3`);
      assert.deepEqual(names(body), ['Center a', 'Center b', 'Center c'], key);
    }
  });
});
