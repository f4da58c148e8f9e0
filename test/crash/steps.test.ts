// Every point of every operation, broken by the lab: a crash is resumed, a failure is undone, a stall continues. A
// short run breaks half of them, others each time; --full breaks all.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { type Chance, chanceOf, isFull } from '../../src/testing/seed.ts';
import { until } from '../../src/testing/waiting.ts';
import { assertWhole } from '../harness/invariants.ts';
import { core } from '../harness/people.ts';
import { type Region, startRegion, waitRequest } from '../harness/region.ts';
import { declared, isRegional, isScaling, make, requestOf } from '../harness/samples.ts';
import { atOnce, batchesOf, LaneTests, lanesOf } from './lanes.ts';
import { failure, type Mode, operations, type Point, pointsOf } from './points.ts';
import { scenarioOf } from './scenarios.ts';
import { act, assertFailed, assertOutcome, plant, planted, prepare, type Scene } from './scenes.ts';

const title = ({ kind, word, variant, says }: Point): string => `${kind} ${word} ${variant && `(${variant}) `}${says}`;
const crashes = 6; // each costs a restart

const chosen = (mode: Mode, chance: Chance): Point[] => pointsOf(mode).filter(() => isFull || chance.often(50));

test('every declared operation that takes time has points to break it at', () => {
  const known = operations().map(({ resource, word }) => `${resource.name}.${word}`);
  for (const one of ['datacenter.create', 'nic.change', 'ipblock.remove', 'user.remove', 'server.stop', 'nic.move'])
    assert.ok(known.includes(one), one);
});

// Operations of several contracts are stalled together, each at its point, and then the process is killed.
test('[GEN-06] [CORE-23] a kill -9 at a point of an operation is resumed', async (t) => {
  const chance = chanceOf(t);
  await using region = await startRegion();
  const lanes = await lanesOf(region);
  const batches = batchesOf(chosen('stall', chance).filter(({ variant }) => isFull || variant === ''));
  for (const [number, batch] of batches.entries()) {
    await t.test(`${number + 1} of ${batches.length}: ${batch.flat().length} operations at once`, async () => {
      const stalled = await Promise.all(batch.map((points, index) => stallAll(lanes[index] as Region, points)));
      await region.kill();
      await region.start();
      await plant(region, []); // the kill may have come before it was kept that a fault struck
      await Promise.all(stalled.map((scenes, index) => assertResumed(lanes[index] as Region, scenes)));
      await assertWhole(region.data);
    });
  }
});

async function stallAll(lane: Region, points: readonly Point[]): Promise<Scene[]> {
  const scenes: Scene[] = [];
  for (const point of points) scenes.push(await prepare(lane, point));
  await plant(
    lane,
    points.flatMap(({ faults }) => faults),
  );
  await Promise.all(scenes.map((scene) => act(lane, scene)));
  await allStruck(lane);
  return scenes;
}

const allStruck = (lane: Region): Promise<object[]> =>
  until(
    'all faults strike',
    () => planted(lane),
    ({ length }) => length === 0,
    { limitMs: limits.request },
  );

async function assertResumed(lane: Region, scenes: readonly Scene[]): Promise<void> {
  for (const scene of scenes) {
    await assertOutcome(lane, scene, false).catch((error: Error) => {
      error.message = `${title(scene.point)}: ${error.message}`;
      throw error;
    });
  }
}

test('[GEN-06] a crash at a point of an operation is resumed, whether it was answered or not', async (t) => {
  const chance = chanceOf(t);
  await using region = await startRegion();
  const points = pointsOf('crash');
  const some = isFull ? points : Array.from({ length: crashes }, () => chance.one(points));
  for (const point of some) {
    await t.test(title(point), async () => {
      const scene = await prepare(region, point);
      await plant(region, point.faults);
      const died = await deathOf(region);
      await act(region, scene).catch(() => undefined); // its answer may have been lost with the process
      await died();
      await region.kill();
      await region.start();
      scene.request = `${core}/requests/${await lastRequest(region)}/status`;
      await assertOutcome(region, scene);
      await assertWhole(region.data);
    });
  }
});

// The audit knows those of all services.
async function lastRequest(region: Region): Promise<string | undefined> {
  const path = `/activitylog/v1/contracts/${region.contract}?limit=100`;
  const { body } = await region.call<{ hits: { hits: { _source: { meta: { requestId?: string } } }[] } }>('GET', path);
  return body.hits.hits.map(({ _source }) => _source.meta.requestId).find((id) => id !== undefined);
}

// A connection that lasts as long as the process does.
async function deathOf(region: Region): Promise<() => Promise<void>> {
  const socket = connect(Number(new URL(region.url).port));
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('error', () => undefined).on('close', () => resolve());
  await once(socket, 'connect');
  return () => promise;
}

test('[CORE-23] a failure at a point of an operation is undone', atOnce, async (t) => {
  await using region = await startRegion();
  const tests = new LaneTests(t, await lanesOf(region));
  for (const point of chosen('fail', chanceOf(t)))
    tests.add(title(point), async (lane) => {
      const scene = await prepare(lane, point);
      await plant(lane, point.faults);
      await act(lane, scene);
      await assertOutcome(lane, scene);
    });
  await tests.ended();
  await assertWhole(region.data);
});

test('[CORE-02] a stall at a point of an operation shows as BUSY, then the operation continues', atOnce, async (t) => {
  await using region = await startRegion({ args: ['--hold', '5'] });
  const tests = new LaneTests(t, await lanesOf(region));
  for (const point of chosen('stall', chanceOf(t)).filter(({ ends }) => ends === 'DONE'))
    tests.add(title(point), async (lane) => {
      const scene = await prepare(lane, point);
      await plant(lane, point.faults);
      await act(lane, scene);
      const { body } = await lane.call('GET', new URL(scene.request, lane.url).pathname);
      assert.equal(body.metadata.status, 'BUSY');
      await assertBusy(lane, scene);
      await plant(lane, []);
      await assertOutcome(lane, scene);
    });
  await tests.ended();
  await assertWhole(region.data);
});

// Its own changes are refused, and so is what would come below it.
async function assertBusy(region: Region, { point: { kind, word }, path }: Scene): Promise<void> {
  const {
    shown: { metadata },
    verbs,
  } = declared(kind);
  if (metadata !== 'full') return; // it shows no state
  const { status, body } = await region.call('GET', path);
  if (isScaling(kind) && word === 'remove') return assert.equal(status, 404); // gone for clients once it is accepted
  if (isRegional(kind)) {
    const { name, creating } = declared(kind).shown.stateWords;
    return assert.equal(body.metadata[name], word === 'remove' ? 'DESTROYING' : creating);
  }
  assert.equal(body.metadata.state, 'BUSY');
  if (verbs.includes('change')) {
    const second = await region.call('PATCH', path, scenarioOf(kind).change);
    assert.equal(second.status, word === 'remove' ? 404 : 422, JSON.stringify(second.body));
  }
  if (!declared('label').parents.some(({ name }) => name === kind)) return;
  const child = await region.call('POST', `${path}/labels`, { properties: { key: 'k', value: 'v' } });
  const refusals = word === 'remove' ? [404] : word === 'create' ? [404, 422] : [422];
  assert.ok(refusals.includes(child.status), JSON.stringify(child.body));
}

test('[CORE-23] a removal that fails leaves what the operation it overtook has ended with', atOnce, async (t) => {
  await using region = await startRegion();
  const tests = new LaneTests(t, await lanesOf(region));
  const kinds = operations()
    .filter(
      ({
        resource: {
          lifecycle: { create, remove },
        },
        word,
      }) => word === 'remove' && create.length > 0 && remove.length > 0,
    )
    .map(({ resource }) => resource);
  assert.ok(kinds.length >= 10);
  for (const {
    name: kind,
    lifecycle: { change },
  } of kinds) {
    if (change.length > 0) {
      tests.add(`${kind}: a change that is done`, (lane) => overtakeChange(lane, kind, false));
      tests.add(`${kind}: a change that fails`, (lane) => overtakeChange(lane, kind, true));
    }
    tests.add(`${kind}: a creation that fails`, (lane) => overtakeCreation(lane, kind));
  }
  await tests.ended();
  await assertWhole(region.data);
});

// A fault at the first step of its creation, change or removal.
function firstStep(kind: string, way: 'create' | 'change' | 'remove', mode: string, when = 'before'): object {
  return { kind, step: `${way}.${declared(kind).lifecycle[way][0]?.name}`, mode, when, message: failure };
}

async function overtakeChange(lane: Region, kind: string, fails: boolean): Promise<void> {
  const sample = scenarioOf(kind);
  const path = await make(lane, await sample.stand(lane));
  const before = (await lane.call('GET', path)).body.properties;
  const broken = firstStep(kind, 'remove', 'fail');
  const failing = fails ? [firstStep(kind, 'change', 'fail', 'after')] : [];
  await plant(lane, [firstStep(kind, 'change', 'stall'), ...failing, broken]);
  const changed = await lane.call('PATCH', path, sample.change);
  const removed = await lane.call('DELETE', path);
  assert.equal(removed.status, 202, JSON.stringify(removed.body));
  await plant(lane, [...failing, broken]);
  const { metadata } = await waitRequest(lane, changed.headers.location);
  assert.equal(metadata.status, fails ? 'FAILED' : 'DONE', String(metadata.message));
  assert.equal((await waitRequest(lane, removed.headers.location)).metadata.status, 'FAILED');
  const { body } = await lane.call('GET', path);
  assert.equal(body.metadata.state, 'AVAILABLE');
  if (fails) assert.deepEqual(body.properties, before);
  else assert.partialDeepStrictEqual(body.properties, sample.change);
}

async function overtakeCreation(lane: Region, kind: string): Promise<void> {
  const { at, body, post = at } = await scenarioOf(kind).stand(lane);
  const broken = firstStep(kind, 'remove', 'fail');
  const failing = firstStep(kind, 'create', 'fail', 'after');
  await plant(lane, [firstStep(kind, 'create', 'stall'), failing, broken]);
  const created = await lane.call('POST', post, body);
  const path = `${at}/${created.body.id}`;
  const removed = await lane.call('DELETE', path);
  await plant(lane, [failing, broken]);
  assert.equal((await waitRequest(lane, requestOf(created))).metadata.status, 'FAILED');
  // A resource with parts in other places can't be removed before those exist.
  if (removed.status === 202) await waitRequest(lane, requestOf(removed));
  else assert.equal(removed.status, 422, JSON.stringify(removed.body));
  await plant(lane, []);
  if (isRegional(kind)) await assertFailed(lane, path);
  else assert.equal((await lane.call('GET', path)).status, 404, 'it never was');
}
