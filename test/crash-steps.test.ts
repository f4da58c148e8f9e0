// Every point of every operation, broken by the lab: a crash is resumed, a failure is undone, a stall goes on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { changeOf, failure, operations, type Point, pointsOf, sampleOf } from './crash-samples.ts';
import { assertWhole } from './crash-state.ts';
import { core } from './people.ts';
import { createDone, type Region, type Shown, startRegion, waitRequest } from './region.ts';

const title = ({ kind, way, says }: Point): string => `${kind} ${way} ${says}`;

test('every declared operation that takes time has points to break it at', () => {
  const known = operations().map(([{ name }, way]) => `${name}.${way}`);
  for (const one of ['datacenter.create', 'lan.change', 'ipblock.remove', 'user.remove'])
    assert.ok(known.includes(one), one);
});

test('[GEN-06] [CORE-23] a crash at a point of an operation is resumed', async (t) => {
  await using region = await startRegion();
  for (const point of pointsOf('crash')) {
    await t.test(title(point), async () => {
      const scene = await prepare(region, point);
      const died = await deathOf(region);
      await scene.act().catch(() => undefined); // its answer may have been lost with the process
      await died();
      await region.kill();
      await region.start();
      await assertOutcome(region, point, scene);
    });
  }
});

test('[CORE-23] a failure at a point of an operation is undone', async (t) => {
  await using region = await startRegion();
  for (const point of pointsOf('fail')) {
    await t.test(title(point), async () => {
      const scene = await prepare(region, point);
      await scene.act();
      await assertOutcome(region, point, scene);
    });
  }
});

test('[CORE-02] a stall at a point of an operation shows as BUSY, then it goes on', async (t) => {
  await using region = await startRegion({ args: ['--hold', '5'] });
  for (const point of pointsOf('stall').filter(({ ends }) => ends === 'DONE')) {
    await t.test(title(point), async () => {
      const scene = await prepare(region, point);
      await scene.act();
      const request = await newest(region);
      const { body } = await region.call('GET', `${core}/requests/${request.id}/status`);
      assert.equal(body.metadata.status, 'BUSY');
      await assertBusy(region, point, scene);
      await plant(region, []);
      await assertOutcome(region, point, scene);
    });
  }

  await t.test('kill -9 during a stall is resumed', async () => {
    const [point] = pointsOf('stall').filter(({ kind, way }) => kind === 'ipblock' && way === 'create');
    assert.ok(point);
    const scene = await prepare(region, point);
    await scene.act();
    await region.kill();
    await region.start();
    await plant(region, []); // the kill may have come before it was kept that the fault struck
    await assertOutcome(region, point, scene);
  });
});

test('[CORE-23] a removal that fails leaves what the operation it overtook has ended with', async (t) => {
  await using region = await startRegion();
  const steps = operations().filter(
    ([{ create, remove }, way]) => way === 'remove' && create.length > 0 && remove.length > 0,
  );
  assert.ok(steps.length >= 3);
  for (const [{ name: kind, create, change, remove }] of steps) {
    const step = (way: string, [first]: readonly { name: string }[], mode: string, when = 'before'): object => ({
      kind,
      step: `${way}.${first?.name}`,
      mode,
      when,
      message: failure,
    });
    const broken = step('remove', remove, 'fail');
    const sample = sampleOf(kind);
    for (const fails of change.length > 0 ? [false, true] : []) {
      await t.test(`${kind}: a change that ${fails ? 'fails' : 'is done'}`, async () => {
        const place = await sample.place(region);
        const before = await createDone(region, place, sample.body());
        const failing = fails ? [step('change', change, 'fail', 'after')] : [];
        await plant(region, [step('change', change, 'stall'), ...failing, broken]);
        const changed = await region.call('PATCH', `${place}/${before.id}`, sample.change);
        const removed = await region.call('DELETE', `${place}/${before.id}`);
        await plant(region, [...failing, broken]);
        const { metadata } = await waitRequest(region, changed.headers.location);
        assert.equal(metadata.status, fails ? 'FAILED' : 'DONE');
        assert.equal((await waitRequest(region, removed.headers.location)).metadata.status, 'FAILED');
        const { body } = await region.call('GET', `${place}/${before.id}`);
        assert.equal(body.metadata.state, 'AVAILABLE');
        if (fails) assert.equal(body.properties.name, before.properties.name);
        else assert.partialDeepStrictEqual(body.properties, sample.change);
        await assertWhole(region.data);
      });
    }
    await t.test(`${kind}: a creation that fails`, async () => {
      const place = await sample.place(region);
      const failing = step('create', create, 'fail', 'after');
      await plant(region, [step('create', create, 'stall'), failing, broken]);
      const created = await region.call('POST', place, sample.body());
      const removed = await region.call('DELETE', `${place}/${created.body.id}`);
      await plant(region, [failing, broken]);
      assert.equal((await waitRequest(region, created.headers.location)).metadata.status, 'FAILED');
      await waitRequest(region, removed.headers.location);
      assert.equal((await region.call('GET', `${place}/${created.body.id}`)).status, 404, 'it never was');
      await assertWhole(region.data);
    });
  }
});

// A connection that lasts as long as the process does.
async function deathOf(region: Region): Promise<() => Promise<void>> {
  const socket = connect(Number(new URL(region.url).port));
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('error', () => undefined).on('close', () => resolve());
  await once(socket, 'connect');
  return () => promise;
}

interface Scene {
  place: string;
  path: string; // '' where it is yet to be made
  before: Shown | undefined;
  figures: unknown; // the contract's counters before
  act(): Promise<unknown>;
}

async function prepare(region: Region, point: Point): Promise<Scene> {
  const { kind, way, faults } = point;
  const sample = sampleOf(kind);
  const place = await sample.place(region);
  const before = way === 'create' ? undefined : await createDone(region, place, sample.body());
  const path = before ? `${place}/${before.id}` : '';
  const figures = await figuresOf(region);
  await plant(region, faults);
  const act = (): Promise<unknown> => {
    if (!before) return region.call('POST', place, sample.body());
    if (way === 'remove') return region.call('DELETE', path);
    return region.call(...([changeOf(kind, before)[0], path, changeOf(kind, before)[1]] as const));
  };
  return { place, path, before, figures, act };
}

async function plant(region: Region, faults: object[]): Promise<void> {
  const { status, body } = await region.call('PUT', '/lab/faults', { faults });
  assert.equal(status, 200, JSON.stringify(body));
}

async function newest(region: Region): Promise<Shown> {
  const { body } = await region.call('GET', `${core}/requests?limit=1&depth=2`);
  const [request] = body.items;
  assert.ok(request, 'the request is lost');
  return request;
}

const figuresOf = async (region: Region): Promise<unknown> =>
  (await region.call('GET', `${core}/contracts`)).body.items[0]?.properties.resourceLimits;

async function assertOutcome(region: Region, point: Point, scene: Scene): Promise<void> {
  const request = await newest(region);
  const { metadata } = await waitRequest(region, `${core}/requests/${request.id}/status`);
  assert.equal(metadata.status, point.ends, String(metadata.message));
  if (point.ends === 'FAILED') assert.equal(metadata.message, failure);
  const left = await region.call<{ faults: object[] }>('GET', '/lab/faults');
  assert.deepEqual(left.body.faults, [], 'the fault did not strike');
  const [target] = metadata.targets as { target: { href: string } }[];
  const path = new URL(target?.target.href ?? '').pathname;
  if (point.ends === 'FAILED') await assertUndone(region, point, scene, path);
  else await assertDone(region, point, path);
  await assertWhole(region.data);
}

async function assertDone(region: Region, { kind, way }: Point, path: string): Promise<void> {
  const { status, body } = await region.call('GET', `${path}?depth=2`);
  if (way === 'remove') return assert.equal(status, 404);
  assert.equal(status, 200, JSON.stringify(body));
  const sample = sampleOf(kind);
  const { properties } = sample.body() as { properties: object };
  assert.partialDeepStrictEqual(body.properties, way === 'create' ? properties : sample.change);
  if (body.metadata !== undefined) assert.equal(body.metadata.state, 'AVAILABLE');
  const inside = body.entities?.lans?.items ?? [];
  if (kind === 'datacenter')
    assert.deepEqual(
      inside.map((lan) => [lan.properties.name, lan.metadata.state]),
      [['inside', 'AVAILABLE']],
    );
}

// What never was is gone whole; what was is as it was, and can be worked with again.
async function assertUndone(region: Region, { kind, way }: Point, scene: Scene, path: string): Promise<void> {
  assert.deepEqual(await figuresOf(region), scene.figures, 'what was taken is not given back');
  const { status, body } = await region.call('GET', path);
  if (way === 'create') {
    assert.equal(status, 404);
    const { body: list } = await region.call('GET', `${scene.place}?depth=1`);
    const ids = list.items.map(({ id }) => id);
    return assert.ok(!ids.includes(path.split('/').at(-1) ?? ''), 'it is still listed');
  }
  assert.equal(status, 200);
  assert.equal(body.metadata.state, 'AVAILABLE');
  const { version: _, ...values } = body.properties;
  const { version: __, ...stood } = scene.before?.properties ?? {};
  assert.deepEqual(values, stood, 'it is not as it was');
  const [method, change] = changeOf(kind, body);
  const again = await region.call(method, path, change);
  assert.equal(again.status, 202, JSON.stringify(again.body));
  assert.equal((await waitRequest(region, again.headers.location)).metadata.status, 'DONE');
}

async function assertBusy(region: Region, { kind, way }: Point, { path, place }: Scene): Promise<void> {
  if (kind === 'user' || kind === 'group') return; // they show no state
  const { body: list } = await region.call('GET', `${place}?depth=1&limit=10000`);
  const one = path === '' ? list.items.at(-1) : list.items.find(({ id }) => path.endsWith(`/${id}`));
  assert.equal(one?.metadata.state, 'BUSY');
  const own = `${place}/${one?.id}`;
  const second = await region.call('PATCH', own, { name: 'second' });
  assert.equal(second.status, way === 'remove' ? 404 : 422, JSON.stringify(second.body));
  if (kind === 'lan') return;
  const child = await region.call('POST', `${own}/labels`, { properties: { key: 'k', value: 'v' } });
  assert.equal(child.status, way === 'change' ? 422 : 404, JSON.stringify(child.body));
}
