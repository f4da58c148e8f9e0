// A disk that flips a byte of the state: `state check` names the row, of a stopped and of a running region, and no
// backup of it is created. src/core/state/sqlite/check.test.ts flips each byte of rows.
import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshUrl } from '../../../src/testing/postgres.ts';
import { core } from '../../harness/people.ts';
import { cumulet } from '../../harness/process.ts';
import { createDone, startRegion } from '../../harness/region.ts';
import { noFile } from '../../harness/states.ts';

const properties = { name: 'a name to be flipped', location: 'de/txl' };

test('a flipped byte of the state is noticed', { skip: noFile }, async () => {
  await using region = await startRegion();
  const { id } = await createDone(region, `${core}/datacenters`, { properties });
  const check = () => cumulet(['state', 'check', '--data', region.data]);
  const whole = await check();
  assert.match(whole.stdout, /^Checked \d+ rows: no damage found\.\n$/);
  assert.equal(whole.code, 0);
  await region.halt('SIGTERM');
  flipAll(join(region.data, 'state.db'), properties.name);

  const row = new RegExp(`the row of table resource with .*"datacenters", id "${id}" does not match its checksum`);
  const stopped = await check();
  assert.match(stopped.stdout, row);
  assert.equal(stopped.code, 1);
  await region.start();
  const running = await check();
  assert.equal(running.stdout, stopped.stdout.replace(/Checked \d+/, /Checked \d+/.exec(running.stdout)?.[0] ?? ''));
  assert.equal(running.code, 1);
  const file = join(region.data, 'a.backup');
  const backup = await cumulet(['state', 'backup', file, '--data', region.data]);
  assert.match(backup.stderr, row);
  assert.notEqual(backup.code, 0);
  assert.ok(!existsSync(file));
});

test('for PostgreSQL it reports what compares checksums', async () => {
  await using region = await startRegion({ args: ['--state', await freshUrl()] });
  const { code, stdout } = await cumulet(['state', 'check', '--json', '--data', region.data]);
  const { rows, damage, notes } = JSON.parse(stdout);
  assert.ok(rows > 0);
  assert.deepEqual(damage, []);
  assert.match(notes[0], /PostgreSQL .* checksum/);
  assert.equal(code, 0);
});

// Everywhere in the file: in the row, in the request that created it, and in old versions of both.
function flipAll(file: string, text: string): void {
  const bytes = readFileSync(file);
  const handle = openSync(file, 'r+');
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) writeSync(handle, 'A', at);
  closeSync(handle);
}
