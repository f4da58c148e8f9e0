// What BUSY means, line by line, with the lab's faults holding operations where they are.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { core } from '../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../harness/region.ts';
import { watchSlowness } from '../harness/slowness.ts';

const datacenters = `${core}/datacenters`;
const dcBody = { properties: { name: 'busy', location: 'de/txl' } };
const lanBody = { properties: { name: 'lan' } };

suite('BUSY', () => {
  let region: Region;
  before(async () => {
    region = await startRegion({ args: ['--hold', '20'] });
  });
  after(() => region.stop());

  const plant = async (...faults: Record<string, unknown>[]) => {
    const { status, body } = await region.call('PUT', '/lab/faults', { faults });
    assert.equal(status, 200, JSON.stringify(body));
  };
  const stall = (kind: string, step: string) => plant({ kind, step, mode: 'stall' });
  const release = () => plant();
  const fail = (kind: string, step: string, message: string) => plant({ kind, step, mode: 'fail', message });
  const state = async (path: string) => (await region.call('GET', path)).body.metadata?.state;

  test('[CORE-03, CORE-04, CORE-22] during creation: GET is 200 and BUSY, a child call is 404 and says not ready', async () => {
    await stall('datacenter', 'create.provision');
    const made = await region.call('POST', datacenters, dcBody);
    const path = `${datacenters}/${made.body.id}`;
    assert.equal(made.body.metadata.state, 'BUSY');
    assert.equal(await state(path), 'BUSY');
    const listed = await region.call('GET', `${datacenters}?depth=1`);
    assert.equal(listed.body.items.find((one) => one.id === made.body.id)?.metadata.state, 'BUSY');
    for (const below of ['/lans', '/labels']) {
      const child = await region.call('POST', path + below, lanBody);
      assert.equal(child.status, 404, below);
      assert.equal(child.body.messages[0]?.errorCode, '309');
      assert.match(child.body.messages[0]?.message ?? '', /is not ready/);
    }
    const change = await region.call('PATCH', path, { name: 'x' });
    assert.equal(change.status, 422);
    assert.match(change.body.messages[0]?.message ?? '', /is BUSY/);
    const status = await region.call('GET', new URL(String(made.headers.location)).pathname);
    assert.equal(status.body.metadata.status, 'BUSY');
    await release();
    assert.equal((await waitRequest(region, made.headers.location)).metadata.status, 'DONE');
    assert.equal(await state(path), 'AVAILABLE');
  });

  test('[CORE-03] during a change: child calls and a second change are 422 and say BUSY', async () => {
    const dc = await createDone(region, datacenters, dcBody);
    const path = `${datacenters}/${dc.id}`;
    await stall('datacenter', 'change.reconfigure');
    const change = await region.call('PATCH', path, { name: 'new' });
    assert.equal(change.body.properties.name, 'new');
    const calls = [
      await region.call('POST', `${path}/lans`, lanBody),
      await region.call('POST', `${path}/labels`, { properties: { key: 'k', value: 'v' } }),
      await region.call('PATCH', path, { name: 'newer' }),
      await region.call('PUT', path, dcBody),
    ];
    for (const call of calls) {
      assert.equal(call.status, 422);
      assert.match(call.body.messages[0]?.message ?? '', /is BUSY/);
    }
    await release();
    await waitRequest(region, change.headers.location);
    const { properties } = (await region.call('GET', path)).body;
    assert.deepEqual([properties.name, properties.version], ['new', 2]);
  });

  test('[CORE-03] a child under way shows its parent as BUSY and locks nothing', async () => {
    const dc = await createDone(region, datacenters, dcBody);
    const path = `${datacenters}/${dc.id}`;
    await stall('lan', 'create.connect');
    const first = await region.call('POST', `${path}/lans`, lanBody);
    assert.equal(await state(path), 'BUSY');
    const second = await region.call('POST', `${path}/lans`, lanBody);
    assert.equal(second.status, 202);
    assert.equal((await waitRequest(region, second.headers.location)).metadata.status, 'DONE');
    const change = await region.call('PATCH', path, { name: 'during' });
    assert.equal(change.status, 202);
    await waitRequest(region, change.headers.location);
    assert.equal(await state(path), 'BUSY');
    const listed = await region.call('GET', `${datacenters}?depth=1`);
    assert.equal(listed.body.items.find((one) => one.id === dc.id)?.metadata.state, 'BUSY');
    await release();
    await waitRequest(region, first.headers.location);
    assert.equal(await state(path), 'AVAILABLE');
  });

  test('[CORE-03] being deleted: children 404, a second DELETE 404, it can be read until it is gone', async () => {
    const dc = await createDone(region, datacenters, dcBody);
    const path = `${datacenters}/${dc.id}`;
    await createDone(region, `${path}/lans`, lanBody);
    await stall('datacenter', 'remove.release');
    const gone = await region.call('DELETE', path);
    assert.equal(await state(path), 'BUSY');
    for (const below of ['/lans', '/lans/1', '/labels'])
      assert.equal((await region.call('GET', path + below)).status, 404, below);
    assert.equal((await region.call('POST', `${path}/lans`, lanBody)).status, 404);
    assert.equal((await region.call('DELETE', path)).status, 404);
    assert.equal((await region.call('PATCH', path, { name: 'x' })).status, 404);
    await release();
    await waitRequest(region, gone.headers.location);
    assert.equal((await region.call('GET', path)).status, 404);
  });

  test('a DELETE is accepted while a creation or a change is pending, and comes after it', async () => {
    await stall('datacenter', 'create.provision');
    const made = await region.call('POST', datacenters, dcBody);
    const path = `${datacenters}/${made.body.id}`;
    const gone = await region.call('DELETE', path);
    assert.equal(gone.status, 202);
    await release();
    assert.equal((await waitRequest(region, made.headers.location)).metadata.status, 'DONE');
    assert.equal((await waitRequest(region, gone.headers.location)).metadata.status, 'DONE');
    assert.equal((await region.call('GET', path)).status, 404);

    const dc = await createDone(region, datacenters, dcBody);
    await stall('datacenter', 'change.reconfigure');
    const change = await region.call('PATCH', `${datacenters}/${dc.id}`, { name: 'new' });
    const removed = await region.call('DELETE', `${datacenters}/${dc.id}`);
    await release();
    await waitRequest(region, change.headers.location);
    assert.equal((await waitRequest(region, removed.headers.location)).metadata.status, 'DONE');
    assert.equal((await region.call('GET', `${datacenters}/${dc.id}`)).status, 404);
  });

  test('a child that is under way when its datacenter is deleted fails and leaves nothing', async () => {
    const dc = await createDone(region, datacenters, dcBody);
    const path = `${datacenters}/${dc.id}`;
    await stall('lan', 'create.connect');
    const lan = await region.call('POST', `${path}/lans`, lanBody);
    const gone = await region.call('DELETE', path);
    assert.equal((await waitRequest(region, gone.headers.location)).metadata.status, 'DONE');
    await release();
    const ended = await waitRequest(region, lan.headers.location);
    assert.equal(ended.metadata.status, 'FAILED');
    assert.match(String(ended.metadata.message), /deleted/);
    assert.equal((await region.call('GET', path)).status, 404);
  });

  test('[CORE-02, CORE-23] a creation that fails leaves nothing, and the request says why', async () => {
    const used = async () => {
      const { body } = await region.call('GET', `${core}/contracts`);
      const limits = (body.items[0] as ResourceBody).properties.resourceLimits as Record<string, number>;
      return limits.reservedIpsOnContract;
    };
    const before = await used();
    await fail('ipblock', 'create.reserve', 'no addresses today');
    const block = await region.call('POST', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 3 } });
    const failed = await waitRequest(region, block.headers.location);
    assert.equal(failed.metadata.status, 'FAILED');
    assert.equal(failed.metadata.message, 'no addresses today');
    assert.equal((await region.call('GET', `${core}/ipblocks/${block.body.id}`)).status, 404);
    assert.equal(await used(), before);
    await fail('lan', 'create.connect', 'no cable');
    const lans = { items: [{ properties: {} }, { properties: {} }] };
    const dc = await region.call('POST', datacenters, { ...dcBody, entities: { lans } });
    assert.equal((await waitRequest(region, dc.headers.location)).metadata.message, 'no cable');
    assert.equal((await region.call('GET', `${datacenters}/${dc.body.id}`)).status, 404);
    assert.equal((await region.call('GET', `${datacenters}/${dc.body.id}/lans/1`)).status, 404);
  });

  test('[CORE-23] a change or a removal that fails leaves the old values, AVAILABLE', async () => {
    const dc = await createDone(region, datacenters, dcBody);
    const path = `${datacenters}/${dc.id}`;
    await fail('datacenter', 'change.reconfigure', 'not today');
    const change = await region.call('PATCH', path, { name: 'new' });
    assert.equal((await waitRequest(region, change.headers.location)).metadata.status, 'FAILED');
    await fail('datacenter', 'remove.release', 'not today either');
    const gone = await region.call('DELETE', path);
    assert.equal((await waitRequest(region, gone.headers.location)).metadata.status, 'FAILED');
    const { body }: { body: ResourceBody } = await region.call('GET', path);
    assert.equal(body.metadata.lastModifiedDate, dc.metadata.lastModifiedDate);
    assert.equal(body.properties.version, 1);
    assert.deepEqual([body.properties.name, body.metadata.state], ['busy', 'AVAILABLE']);
  });

  test('[CORE-02] the status call is held until the request ends', async () => {
    await stall('datacenter', 'create.provision');
    const made = await region.call('POST', datacenters, dcBody);
    const path = new URL(String(made.headers.location)).pathname;
    const held = region.call('GET', path);
    await release();
    const status = (await held).body.metadata.status;
    assert.ok(status === 'DONE' || (await waitRequest(region, path)).metadata.status === 'DONE');
  });
});

test('[CORE-02] a held status call answers as soon as the request is DONE, not when the hold is over', async () => {
  await using region = await startRegion({ args: ['--hold', '55000', '--pace', '50'] });
  const from = performance.now();
  const made = await region.call('POST', datacenters, dcBody);
  const { body } = await region.call('GET', new URL(String(made.headers.location)).pathname);
  assert.equal(body.metadata.status, 'DONE');
  assert.ok(performance.now() - from < 50_000);
});

suite('a call that needs a busy resource', () => {
  let region: Region;
  let path: string;
  before(async () => {
    region = await startRegion({ args: ['--pace', '50'] });
    path = `${datacenters}/${(await createDone(region, datacenters, dcBody)).id}`;
  });
  after(() => region.stop());

  test('[CORE-03] waits for a change to end, and is then decided by the new state', async () => {
    const names = ['one', 'two', 'three'];
    const changes = await Promise.all(names.map((name) => region.call('PATCH', path, { description: name })));
    assert.deepEqual(
      changes.map(({ status }) => status),
      [202, 202, 202],
    );
    for (const { headers } of changes)
      assert.equal((await waitRequest(region, headers.location)).metadata.status, 'DONE');
    assert.equal((await region.call('GET', path)).body.properties.version, 4);
    const change = await region.call('PATCH', path, { description: 'four' });
    const child = await region.call('POST', `${path}/lans`, lanBody);
    assert.deepEqual([change.status, child.status], [202, 202]);
  });

  test('[CORE-03] with --hold 0 it is refused at once', async () => {
    await using other = await startRegion({ args: ['--pace', '60000', '--hold', '0'] });
    const dc = await other.call('POST', datacenters, dcBody);
    const slowness = watchSlowness();
    const from = performance.now();
    const { status, body } = await other.call('PATCH', `${datacenters}/${dc.body.id}`, { name: 'new' });
    assert.equal(status, 422);
    assert.match(body.messages[0]?.message ?? '', /is BUSY/);
    assert.ok(performance.now() - from < 2000 * slowness());
  });
});
