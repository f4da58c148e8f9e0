// Save points that are damaged, and removals that were cut off.
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import { core } from '../harness/people.ts';
import { createDone, startRegion } from '../harness/region.ts';
import { run, savePoint } from './region-data.ts';

const skip = process.env.CUMULET_STATE === undefined ? false : 'save points are for a state in the data folder';
const place = `${core}/datacenters`;

// Of each kind that a fault of a disk makes.
const damages: Record<string, (file: string) => void> = {
  'its beginning is not a database': (file) => overwrite(file, 0),
  'a page of it is none': (file) => overwrite(file, Math.floor(statSync(file).size / 2 / 4096) * 4096),
  'it is not there': (file) => rmSync(file),
};

function overwrite(file: string, at: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, at);
  closeSync(handle);
}

test('a save point with a damaged state is not restored: the region continues unchanged', { skip }, async () => {
  await using region = await startRegion();
  const names = async (): Promise<unknown[]> =>
    (await region.call('GET', `${place}?depth=1`)).body.items.map(({ properties }) => properties.name);
  await createDone(region, place, { properties: { name: 'saved', location: 'de/fra' } });
  for (const index of Object.keys(damages).keys()) await savePoint(region, 'create', `saved-${index}`);
  await createDone(region, place, { properties: { name: 'later', location: 'de/fra' } });
  const { pid } = region;
  const saved = readdirSync(join(region.data, 'savepoints')).sort();
  for (const [index, [what, damage]] of Object.entries(damages).entries()) {
    const name = `saved-${index}`;
    damage(join(region.data, 'savepoints', name, 'data', 'state.db'));
    const { code, stderr } = await run(region, 'restore', name);
    assert.notEqual(code, 0, what);
    assert.match(
      stderr,
      new RegExp(`Save point ${name} can't be restored: its state\\.db is damaged\\. Nothing was changed\\.`),
      what,
    );
    assert.deepEqual((await names()).sort(), ['later', 'saved'], what);
  }
  assert.deepEqual([region.pid, readdirSync(join(region.data, 'savepoints')).sort()], [pid, saved]);
});

test('kill -9 amid the removal of a save point: its name can be had again, and nothing of it is left', {
  skip,
}, async () => {
  await using region = await startRegion();
  await savePoint(region, 'create', 'kept');
  const folder = join(region.data, 'savepoints', 'kept');
  mkdirSync(join(folder, 'data', 'logs'), { recursive: true });
  for (let count = 0; count < 5000; count++) writeFileSync(join(folder, 'data', 'logs', `f${count}`), '');
  const pending = run(region, 'remove', 'kept');
  // The removal of the other files takes only a moment.
  await until('the removal begins', () => !existsSync(join(folder, 'savepoint.json')), undefined, { everyMs: 1 });
  await region.kill();
  await pending;
  await region.start();
  assert.deepEqual(readdirSync(join(region.data, 'savepoints')), []);
  await savePoint(region, 'create', 'kept');
});
