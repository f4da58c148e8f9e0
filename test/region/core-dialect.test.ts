// The core dialect's rules, shown on datacenters, LANs, IP blocks and labels.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { core } from '../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../harness/region.ts';

const datacenters = `${core}/datacenters`;
const body = (name: string, more: Record<string, unknown> = {}) => ({
  properties: { name, location: 'de/txl', ...more },
});

suite('core', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const messages = (answer: { body: ResourceBody }) => answer.body.messages.map((one) => one.message).join('\n');

  test('[CORE-01, CORE-02] POST, PUT, PATCH and DELETE answer 202 with the resource and where to ask', async () => {
    const made = await region.call('POST', datacenters, body('one'));
    const path = `${datacenters}/${made.body.id}`;
    const calls = [
      made,
      await afterRequest(made, () => region.call('PATCH', path, { name: 'two' })),
      await afterRequest(made, () => region.call('PUT', path, body('three'))),
      await afterRequest(made, () => region.call('DELETE', path)),
    ];
    for (const answer of calls) {
      assert.equal(answer.status, 202);
      assert.equal(answer.body.id, made.body.id);
      assert.equal(answer.body.type, 'datacenter');
      const location = String(answer.headers.location);
      assert.match(location, /^http:\/\/127\.0\.0\.1:\d+\/cloudapi\/v6\/requests\/[0-9a-f-]{36}\/status$/);
      const status = await waitRequest(region, location);
      assert.equal(status.metadata.status, 'DONE');
      assert.equal(status.type, 'request-status');
      const targets = status.metadata.targets as { target: ResourceBody; status: string }[];
      assert.equal(targets[0]?.target.id, made.body.id);
    }
    assert.equal((await region.call('GET', path)).status, 404);
  });

  // What changes a resource waits for what changed it before.
  let last: { headers: { location?: string | undefined } } | undefined;
  async function afterRequest<T extends { headers: { location?: string | undefined } }>(
    first: { headers: { location?: string | undefined } },
    call: () => Promise<T>,
  ): Promise<T> {
    await waitRequest(region, (last ?? first).headers.location);
    last = await call();
    return last as T;
  }

  test('[CORE-05] a datacenter needs a name and a location of the catalogue', async () => {
    const none = await region.call('POST', datacenters, { properties: {} });
    assert.equal(none.status, 422);
    assert.match(messages(none), /\[\(root\)\.properties\.name\] Attribute is required/);
    assert.match(messages(none), /\[\(root\)\.properties\.location\] Attribute is required/);
    const wrong = await region.call('POST', datacenters, body('x', { location: 'de/nowhere' }));
    assert.equal(wrong.body.messages[0]?.errorCode, '109');
    assert.match(messages(wrong), /'de\/nowhere' not allowed\. Expected one of \[de\/fra, /);
    const moved = await createDone(region, datacenters, body('y'));
    const refused = await region.call('PATCH', `${datacenters}/${moved.id}`, { location: 'de/fra' });
    assert.equal(refused.status, 422);
    assert.match(messages(refused), /\[\(root\)\.location\] Attribute can not be changed/);
    assert.equal(
      (await region.call('PATCH', `${datacenters}/${moved.id}`, { location: 'de/txl', name: 'z' })).status,
      202,
    );
  });

  test('[GEN-04, GEN-05] all problems of a body are reported at once, each with its place', async () => {
    const answer = await region.call('POST', datacenters, {
      id: 'x',
      properties: { name: 7, location: 'x', version: 3, nonsense: true, description: ['no'] },
      entities: { servers: {}, lans: { items: [{ properties: { public: 'yes' } }, 3] } },
    });
    assert.equal(answer.status, 422);
    assert.equal(answer.body.httpStatus, 422);
    assert.match(messages(answer), /\[\(root\)\.id\] Attribute is read-only/);
    assert.match(messages(answer), /\[\(root\)\.properties\.nonsense\] Attribute is unknown/);
    const head = await region.call('POST', datacenters, {
      properties: { ...body('n').properties, version: 3, nonsense: 1 },
    });
    assert.match(messages(head), /\[\(root\)\.properties\.version\] Attribute is read-only/);
    assert.match(messages(head), /\[\(root\)\.properties\.nonsense\] Attribute is unknown/);
    const inner = await region.call('POST', datacenters, {
      ...body('n'),
      entities: { lans: { items: [{ properties: { public: 'yes' } }] } },
    });
    assert.match(
      messages(inner),
      /\[\(root\)\.entities\.lans\.items\.\[0\]\.properties\.public\] Expected true or false/,
    );
  });

  test('[CORE-04, CORE-22] DONE means there and AVAILABLE', async () => {
    const shown = await createDone(region, datacenters, body('there'));
    assert.equal(shown.metadata.state, 'AVAILABLE');
    for (const name of [
      'etag',
      'createdDate',
      'createdBy',
      'createdByUserId',
      'lastModifiedDate',
      'lastModifiedBy',
      'lastModifiedByUserId',
    ])
      assert.equal(typeof shown.metadata[name], 'string', name);
    assert.match(String(shown.metadata.createdDate), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    const architecture = shown.properties.cpuArchitecture as { cpuFamily: string }[];
    assert.ok(architecture[0]?.cpuFamily);
    const place = await region.call('GET', `${core}/locations/${shown.properties.location}`);
    assert.deepEqual(architecture, place.body.properties.cpuArchitecture, 'what its location offers');
    assert.equal(typeof shown.properties.version, 'number');
  });

  test('one resource, asked for without a depth, has its entity tag as a header too', async () => {
    const dc = await createDone(region, datacenters, body('tagged'));
    const path = `${datacenters}/${dc.id}`;
    const read = await region.call('GET', path);
    assert.equal(read.headers.etag, `"${read.body.metadata.etag}"`);
    const changed = await region.call('PATCH', path, { description: '"etag":"mine"' });
    assert.equal(changed.headers.etag, `"${changed.body.metadata.etag}"`);
    const ended = await waitRequest(region, changed.headers.location);
    const again = await region.call('GET', path);
    assert.equal(again.headers.etag, `"${again.body.metadata.etag}"`);
    assert.notEqual(again.headers.etag, read.headers.etag);
    const status = await region.call('GET', new URL(ended.href).pathname);
    assert.equal(status.headers.etag, `"${ended.metadata.etag}"`);
    for (const other of [`${path}?depth=0`, `${path}?depth=1`, datacenters])
      assert.equal((await region.call('GET', other)).headers.etag, undefined, other);
    // The platform ignores conditional headers.
    const headers = { 'if-none-match': String(again.headers.etag), 'if-match': '"another"' };
    assert.equal((await region.call('GET', path, undefined, { headers })).status, 200);
    assert.equal((await region.call('PATCH', path, { name: 'tagged again' }, { headers })).status, 202);
  });

  test('[CORE-01] a composite creation makes everything in one request', async () => {
    const lans = { items: [{ properties: { name: 'a', public: true } }, { properties: { name: 'b' } }] };
    const made = await region.call('POST', `${datacenters}?depth=3`, { ...body('composite'), entities: { lans } });
    assert.equal(made.status, 202);
    assert.deepEqual(
      made.body.entities.lans?.items.map((one) => [one.id, one.properties.name]),
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    );
    const status = await waitRequest(region, made.headers.location);
    assert.equal((status.metadata.targets as unknown[]).length, 3);
  });

  test('the version of a datacenter is one more with each change of it or in it, also with concurrent changes', async () => {
    const dc = await createDone(region, datacenters, body('counted'));
    const path = `${datacenters}/${dc.id}`;
    const version = async (): Promise<unknown> => (await region.call('GET', path)).body.properties.version;
    const done = async (answers: Promise<{ headers: { location?: string | undefined } }>[]): Promise<void> => {
      for (const answer of await Promise.all(answers)) {
        const ended = await waitRequest(region, answer.headers.location);
        assert.equal(ended.metadata.status, 'DONE', JSON.stringify(ended));
      }
    };
    assert.equal(await version(), 1);
    await done([region.call('PATCH', path, { name: 'two' })]);
    assert.equal(await version(), 2);
    const lan = (n: number | string) => `${path}/lans/${n}`;
    await done([region.call('POST', `${path}/lans`, { properties: {} })]);
    assert.equal(await version(), 3);
    await done([region.call('PATCH', lan(1), { name: 'a' })]);
    await done([region.call('DELETE', lan(1))]);
    assert.equal(await version(), 5);
    await done(Array.from({ length: 30 }, () => region.call('POST', `${path}/lans`, { properties: {} })));
    assert.equal(await version(), 35);
    const { items } = (await region.call('GET', `${path}/lans`)).body;
    await done(items.map(({ id }) => region.call('PATCH', lan(id), { name: 'b' })));
    assert.equal(await version(), 65);
    const refused = await region.call('POST', `${path}/lans`, { properties: { public: 'yes' } });
    assert.equal(refused.status, 422);
    await region.call('PUT', '/lab/faults', { faults: [{ kind: 'lan', step: 'create.connect', mode: 'fail' }] });
    const failed = await region.call('POST', `${path}/lans`, { properties: {} });
    assert.equal((await waitRequest(region, failed.headers.location)).metadata.status, 'FAILED');
    assert.equal(await version(), 65, 'a refused or undone change does not count');
    await region.restart();
    assert.equal(await version(), 65);
    await done([region.call('PATCH', path, { name: 'three' })]);
    const listed = await region.call('GET', `${datacenters}?depth=1&filter.name=three`);
    assert.equal(listed.body.items[0]?.properties.version, 66);
    const whole = { ...body('whole'), entities: { lans: { items: [{ properties: {} }] } } };
    const made = await createDone(region, datacenters, whole);
    assert.equal(made.properties.version, 1, 'all of a composite is one creation');
    const inner = await region.call('DELETE', `${datacenters}/${made.id}/lans/1`);
    await waitRequest(region, inner.headers.location);
    assert.equal((await region.call('GET', `${datacenters}/${made.id}`)).body.properties.version, 2);
  });

  test('[CORE-05] deleting a datacenter deletes all below', async () => {
    const dc = await createDone(region, datacenters, body('full'));
    const path = `${datacenters}/${dc.id}`;
    const lan = await createDone(region, `${path}/lans`, { properties: { name: 'l' } });
    await createDone(region, `${path}/labels`, { properties: { key: 'k', value: 'v' } });
    const gone = await region.call('DELETE', path);
    await waitRequest(region, gone.headers.location);
    for (const below of ['', `/lans`, `/lans/${lan.id}`, '/labels', '/labels/k'])
      assert.equal((await region.call('GET', path + below)).status, 404, below);
    const labels = await region.call('GET', `${core}/labels?depth=1`);
    assert.ok(!JSON.stringify(labels.body).includes(dc.id));
  });

  test('LANs are numbered from 1 in each datacenter, also with concurrent creations', async () => {
    const dc = await createDone(region, datacenters, body('lans'));
    const path = `${datacenters}/${dc.id}/lans`;
    const made = await Promise.all(Array.from({ length: 25 }, () => region.call('POST', path, { properties: {} })));
    assert.deepEqual(
      made.map((answer) => Number(answer.body.id)).sort((a, b) => a - b),
      Array.from({ length: 25 }, (_, at) => at + 1),
    );
    await Promise.all(made.map((answer) => waitRequest(region, answer.headers.location)));
    const list = await region.call('GET', path);
    assert.deepEqual(
      list.body.items.map((one) => one.id),
      Array.from({ length: 25 }, (_, at) => String(at + 1)),
    );
    assert.equal((await region.call('GET', `${path}/01`)).status, 404);
    assert.equal((await region.call('GET', `${path}/26`)).status, 404);
    const lan = await region.call('GET', `${path}/3`);
    assert.deepEqual(lan.body.properties.ipFailover, []);
    assert.match(String(lan.body.properties.ipv4CidrBlock), /^10\.\d+\.0\.0\/16$/);
  });

  test('IP blocks hold as many addresses as their size, each once', async () => {
    const path = `${core}/ipblocks`;
    const sizes = Array.from({ length: 20 }, (_, at) => at + 1);
    const made = await Promise.all(
      sizes.map((size) => region.call('POST', path, { properties: { location: 'de/fra', size } })),
    );
    const all = made.flatMap((answer) => answer.body.properties.ips as string[]);
    assert.equal(all.length, 210);
    assert.equal(new Set(all).size, 210);
    assert.ok(all.every((ip) => /^198\.(18|19)\.\d+\.\d+$/.test(ip)));
    assert.match(String(made[0]?.body.properties.name), /^IP_BLOCK_/);
    await Promise.all(made.map((answer) => waitRequest(region, answer.headers.location)));
    const limits = async () => {
      const { body: contracts } = await region.call('GET', `${core}/contracts`);
      const figures = (contracts.items[0] as ResourceBody).properties.resourceLimits as Record<string, number>;
      return figures.reservedIpsOnContract;
    };
    assert.equal(await limits(), 210);
    for (const answer of made)
      await waitRequest(region, (await region.call('DELETE', `${path}/${answer.body.id}`)).headers.location);
    assert.equal(await limits(), 0);
    const empty = await region.call('POST', path, { properties: { location: 'de/txl', size: 1, name: '' } });
    assert.equal(empty.body.properties.name, '');
    assert.equal((await region.call('POST', path, { properties: { location: 'de/fra/2', size: 1 } })).status, 422);
    assert.equal((await region.call('POST', path, { properties: { location: 'de/fra', size: 0 } })).status, 422);
  });

  test('[CORE-21] a request beyond the contract limit is refused at once, with the limit', async () => {
    const path = `${core}/ipblocks`;
    const answers = await Promise.all(
      [600, 600].map((size) => region.call('POST', path, { properties: { location: 'us/las', size } })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 422]);
    const refused = answers.find(({ status }) => status === 422);
    assert.match(refused?.body.messages[0]?.message ?? '', /limit.*1000/);
    const made = answers.find(({ status }) => status === 202);
    await waitRequest(region, made?.headers.location);
    await waitRequest(region, (await region.call('DELETE', `${path}/${made?.body.id}`)).headers.location);
  });

  test('labels are synchronous, under their key, and listed together by URN', async () => {
    const dc = await createDone(region, datacenters, body('labelled'));
    const path = `${datacenters}/${dc.id}/labels`;
    const made = await region.call('POST', path, { properties: { key: 'env', value: 'test' } });
    assert.equal(made.status, 201);
    assert.equal(made.headers.location, undefined);
    assert.equal(made.body.id, 'env');
    assert.equal((await region.call('POST', path, { properties: { key: 'env', value: 'again' } })).status, 422);
    const put = await region.call('PUT', `${path}/env`, { properties: { value: 'prod' } });
    assert.deepEqual([put.status, put.body.properties.value], [200, 'prod']);
    const urn = `urn:label:datacenter:${dc.id}:env`;
    const all = await region.call('GET', `${core}/labels?depth=1`);
    const found = all.body.items.find((one) => one.id === urn);
    assert.equal(found?.properties.resourceType, 'datacenter');
    const single = await region.call('GET', `${core}/labels/${urn}`);
    assert.equal(single.body.properties.value, 'prod');
    assert.equal((await region.call('DELETE', `${path}/env`)).status, 200);
    assert.equal((await region.call('GET', `${path}/env`)).status, 404);
    assert.equal((await region.call('GET', `${core}/labels/${urn}`)).status, 404);
  });

  test('[CORE-21] locations can be listed, by region, and read, with an encoded slash', async () => {
    const all = await region.call('GET', `${core}/locations?depth=1`);
    assert.equal(all.body.items.length, 11);
    assert.ok(all.body.items.every((one) => (one.properties.cpuArchitecture as unknown[]).length > 0));
    assert.equal((await region.call('GET', `${core}/locations/de`)).body.items.length, 4);
    assert.equal((await region.call('GET', `${core}/locations/de/txl`)).body.id, 'de/txl');
    assert.equal((await region.call('GET', `${core}/locations/de/fra%2F2`)).body.id, 'de/fra/2');
    assert.equal((await region.call('GET', `${core}/locations/xx/yyy`)).status, 404);
  });

  test('clients’ noise is ignored: unknown query keys, a JSON type without a body, the trailing slash, pretty', async () => {
    const dc = await createDone(region, datacenters, body('noise'));
    const query = '?depth=1&limit=50&offset=0&pretty=true&filter.whatever=x';
    const path = `${datacenters}/${dc.id}`;
    assert.equal((await region.call('GET', path + query)).status, 200);
    assert.equal((await region.call('GET', `${core}/`)).status, 200);
    assert.equal((await region.call('GET', core)).status, 200);
    const gone = await region.call('DELETE', path + query, '', { headers: { 'content-type': 'application/json' } });
    assert.equal(gone.status, 202);
  });
});
