// Save points: a region that has everything is changed in every way, and is again what it was.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { savedParts } from '../../src/testing/black-box/commands.ts';
import { chanceOf, isFull } from '../../src/testing/seed.ts';
import { until } from '../../src/testing/waiting.ts';
import { addPerson, core } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';
import { expect } from '../sweep/api.ts';
import { secondContract, type World, worldOf } from '../sweep/world.ts';
import { allAnswers, Data, run, savePoint } from './region-data.ts';

// A state in a database is not a file that could be saved.
const skip = process.env.CUMULET_STATE === undefined ? false : 'save points are for a state in the data folder';
const rounds = isFull ? 100 : 2;
const kills = isFull ? 50 : 4;

// Everything is made, changed, removed or moved.
async function changeEverything(region: Region, { ids }: World): Promise<void> {
  const removed = await expect(region.call('DELETE', `${core}/datacenters/${ids.datacenterId}`), 202);
  await waitRequest(region, removed.headers.location);
  await createDone(region, `${core}/datacenters`, { properties: { name: 'later', location: 'de/txl' } });
  await addPerson(region);
  await expect(region.call('DELETE', `/monitoring/pipelines/${ids.metricpipelineId}`), 202);
  const fault = { kind: 'datacenter', step: 'create.*', mode: 'fail', times: 3 };
  await expect(region.call('PUT', '/lab/faults', { faults: [fault] }), 200);
  await expect(region.call('PUT', '/lab/clock', { advanceMs: 40 * 86_400_000 }), 200);
}

test(`a region with everything is ${rounds} times what it was at a save point`, { skip }, async (t) => {
  await using region = await startRegion();
  const world = await worldOf(region);
  const data = new Data(region);
  t.after(() => data.close());
  await data.prepare();
  await data.write('first');
  const saved = await savePoint(region, 'create', 'filled');
  assert.equal(saved.name, 'filled');
  const [answers, held] = [await allAnswers(region, world), await data.read()];
  assert.ok(answers.size > 200, `${answers.size} answers`);
  for (let round = 0; round < rounds; round++) {
    await data.write(`round ${round}`);
    await changeEverything(region, world);
    assert.notDeepEqual(await data.read().catch(() => undefined), held);
    await savePoint(region, 'restore', 'filled');
    const again = await allAnswers(region, world);
    for (const [name, answer] of answers) assert.equal(again.get(name), answer, name);
    assert.deepEqual(await data.read(), held);
    const { body } = await region.call<{ offsetMs: number }>('GET', '/lab/clock');
    assert.equal(body.offsetMs, 0);
  }
  // A folder that a new product adds has to be saved too, or to be known as one that is not.
  const others =
    /^(admin\.sock|ca\.pem|folder\.json|lock|lock-journal|owner\.json|pid|region\.key|savepoints|state\.db-shm)$/;
  const unknown = readdirSync(region.data).filter((name) => !others.test(name));
  assert.deepEqual(
    unknown.filter((name) => !(savedParts as readonly string[]).includes(name)),
    [],
  );
  const { code, stdout } = await cumulet(['state', 'check', '--data', region.data]);
  assert.equal(code, 0, stdout);
});

test(`kill -9 in the middle of a restore, ${kills} times: the old region or the new one`, { skip }, async (t) => {
  const chance = chanceOf(t);
  await using region = await startRegion();
  const place = `${core}/datacenters`;
  const data = new Data(region);
  t.after(() => data.close());
  const names = async (): Promise<string[]> =>
    (await region.call('GET', `${place}?depth=1`)).body.items.map(({ properties }) => String(properties.name)).sort();
  // Of every part of the data folder: a mixture of two moments shows.
  const everything = async (): Promise<string> => JSON.stringify([await names(), await data.read()]);
  await createDone(region, place, { properties: { name: 'saved', location: 'de/fra' } });
  await data.prepare();
  await data.write('saved');
  await savePoint(region, 'create', 'kept');
  const saved = await everything();
  const seen = new Set<string>();
  for (let count = 0; count < kills; count++) {
    await createDone(region, place, { properties: { name: `later ${count}`, location: 'de/fra' } });
    await data.write(`later ${count}`);
    const before = await everything();
    const pending = run(region, 'restore', 'kept');
    // Somewhere between its beginning and its end: the folder shows how far it is.
    const marks = ['.restoring', '.restoring.json', '.replaced'];
    const mark = chance.one(marks);
    let isEnded = false;
    void pending.then(() => {
      isEnded = true;
    });
    const isThere = (): boolean => isEnded || existsSync(join(region.data, 'savepoints', mark));
    await until(`${mark} is there`, isThere, undefined, { everyMs: 1 }); // for a moment
    await region.kill();
    await pending;
    await region.start();
    data.moveTo(region);
    const after = await everything();
    assert.ok([before, saved].includes(after), `neither the old nor the new: ${after}, before ${before}`);
    seen.add(after === before ? 'old' : 'new');
    assert.deepEqual(
      readdirSync(join(region.data, 'savepoints')).filter((name) => name !== 'kept'),
      [],
    );
  }
  t.diagnostic(`${[...seen]}`);
  await savePoint(region, 'restore', 'kept');
  assert.equal(await everything(), saved);
  await region.halt('SIGTERM');
  const { code, stdout } = await cumulet(['state', 'check', '--data', region.data]);
  assert.equal(code, 0, stdout);
});

test('by HTTP, for the owner of the first contract only', { skip }, async () => {
  await using region = await startRegion();
  const other = await secondContract(region);
  const admin = await addPerson(region, { administrator: true });
  for (const token of [other.token, admin.token]) {
    await expect(region.call('GET', '/lab/savepoints', undefined, { token }), 403);
    await expect(region.call('POST', '/lab/savepoints', { name: 'mine' }, { token }), 403);
    await expect(region.call('POST', '/lab/savepoints/mine/restore', undefined, { token }), 403);
  }
  const ended = async (id: unknown): Promise<Record<string, unknown>> => {
    const look = async (): Promise<Record<string, unknown>> => {
      const answer = await region.call('GET', '/lab/savepoints').catch(() => undefined); // it is stopped for a moment
      return { ...(answer?.body.last as object | undefined), savePoints: answer?.body.savePoints };
    };
    return until('the work on the save point ends', look, (last) => last.id === id && last.state !== 'BUSY');
  };
  const made = await expect(region.call('POST', '/lab/savepoints', { name: 'clean' }), 202);
  const done = await ended(made.body.id);
  assert.equal(done.state, 'DONE', JSON.stringify(done));
  assert.equal((done.savePoints as object[]).length, 1);
  await expect(region.call('POST', '/lab/savepoints', { name: 'clean' }), 409);
  await createDone(region, `${core}/datacenters`, { properties: { name: 'later', location: 'de/txl' } });
  const restored = await expect(region.call('POST', '/lab/savepoints/clean/restore'), 202);
  assert.equal((await ended(restored.body.id)).state, 'DONE');
  assert.equal((await region.call('GET', `${core}/datacenters`)).body.items.length, 0);
  await expect(region.call('POST', '/lab/savepoints/missing/restore'), 404);
  await expect(region.call('POST', '/lab/savepoints', { name: '../x' }), 422);
  await expect(region.call('DELETE', '/lab/savepoints/clean'), 204);
  await expect(region.call('DELETE', '/lab/savepoints/clean'), 404);
});

test('what can not be saved or restored is refused, and nothing is lost', { skip }, async (t) => {
  await using region = await startRegion();
  await savePoint(region, 'create', 'one');
  const refused = async (pattern: RegExp, ...args: string[]): Promise<void> => {
    const { code, stderr } = await cumulet(['savepoint', ...args, '--data', region.data]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, pattern);
  };
  await refused(/Save point one already exists/, 'create', 'one');
  await refused(/Save point two does not exist\. Save points: one\./, 'restore', 'two');
  await refused(/is not a valid name of a save point\. Use up to 64/, 'create', '../one');
  await refused(/Name the save point/, 'create');
  const description = join(region.data, 'savepoints/one/savepoint.json');
  writeFileSync(description, JSON.stringify({ name: 'one', program: '99.0.0', createdDate: '2026' }));
  await refused(/created by version 99\.0\.0, which is newer/, 'restore', 'one');
  if (process.getuid?.() !== 0) {
    chmodSync(join(region.data, 'savepoints'), 0o500);
    await refused(/can't be used: permission denied/, 'create', 'three');
    chmodSync(join(region.data, 'savepoints'), 0o700);
  }
  await expect(region.call('GET', `${core}/datacenters`), 200);
  await region.halt('SIGTERM');
  await savePoint(region, 'remove', 'one'); // a stopped region has them too
  await savePoint(region, 'create', 'stopped');
  await savePoint(region, 'restore', 'stopped');
  // One whose description is lost can be removed, and its name used again.
  rmSync(join(region.data, 'savepoints/stopped/savepoint.json'));
  await refused(/Save point stopped already exists/, 'create', 'stopped');
  await savePoint(region, 'remove', 'stopped');
  assert.deepEqual(readdirSync(join(region.data, 'savepoints')), []);
  const nowhere = `${region.data}-none`;
  for (const verb of ['create', 'restore', 'remove']) {
    const { code, stderr } = await cumulet(['savepoint', verb, 'one', '--data', nowhere]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /The data folder .*-none has no region yet/);
  }
  assert.ok(!existsSync(nowhere));
  await region.start();
  await using otherRegion = await startRegion({ args: ['--metrics', 'prometheus+http://127.0.0.1:1'] });
  const { code, stderr } = await run(otherRegion, 'create', 'x');
  assert.equal(code, 2);
  assert.match(stderr, /stores data elsewhere \(--metrics prometheus\+http:\/\/127\.0\.0\.1:1\)/);
  t.diagnostic(stderr.trim());
});
