// State that can't be used: one clear line, exit 2, and the files stay as they are, so that nothing is lost.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { assertWhole } from '../harness/invariants.ts';
import { core } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';
import { noFile, shareState, urlOf } from '../harness/states.ts';
import { expect } from '../sweep/api.ts';

test('bad state gets one clear line and loses nothing', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cumulet-badstate-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const good = join(root, 'good');
  const region = await startRegion({ data: good });
  const place = `${core}/datacenters`;
  const made = await createDone(region, place, { properties: { name: 'kept', location: 'de/txl' } });
  await region.halt('SIGTERM');

  let copies = 0;
  const copy = (): string => {
    const data = join(root, `copy-${++copies}`);
    cpSync(good, data, { recursive: true });
    shareState(data, urlOf(good));
    return data;
  };
  type Damage = (file: string, data: string) => void;
  const spoil = (name: string, damage: Damage, says: RegExp, skip: string | false = noFile): Promise<void> =>
    t.test(name, { skip }, async () => {
      const data = copy();
      const file = join(data, 'state.db');
      damage(file, data);
      const before = fingerprint(data);
      const { code, stdout, stderr } = await cumulet(['up', '--json', '--port', '0', '--data', data]);
      const output = (stderr + stdout).trim();
      assert.equal(code, 2, output);
      assert.match(output, says);
      assert.equal(output.split('\n').length, 1, `more than one line: ${output}`);
      assert.doesNotMatch(output, / at .*\.ts:/);
      assert.deepEqual(fingerprint(data), before, 'a file was changed');
      assert.ok(!existsSync(join(data, 'admin.sock')));
    });

  await spoil(
    'a truncated state file',
    (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
    /damaged|whole copy/,
  );
  await spoil('a state file cut to a few bytes', (file) => truncateSync(file, 40), /damaged|whole copy/);
  await spoil(
    'a file of something else',
    (file) => writeFileSync(file, 'not a database, but a very long text\n'.repeat(500)),
    /not a database/,
  );
  await spoil('a database of another program', foreign, /another program/);
  await spoil('a state of a newer version', newer, /newer version/);
  await spoil('pages of zeros in the middle', zeroed, /damaged|whole copy/);
  await spoil(
    'without state.db',
    (file) => rmSync(file),
    /has region\.key, owner\.json, ca\.pem but no state\.db, as after an incomplete restore. Put state\.db back/,
  );
  await spoil('an empty state.db', (file) => truncateSync(file, 0), /but no state\.db, as after an incomplete restore/);
  await spoil('without state.db and region.key', withoutStateAndKey, /has owner\.json, ca\.pem but no state\.db/);
  await spoil(
    'without region.key',
    (_, data) => rmSync(join(data, 'region.key')),
    /region\.key is missing.*put it back/,
    false,
  );
  const emptied: Damage = (_, data) => writeFileSync(join(data, 'region.key'), '');
  await spoil('with an empty region.key', emptied, /region\.key/, false);
  await spoil(
    'with the region.key of another region',
    (_, data) => writeFileSync(join(data, 'region.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`),
    /region\.key/,
    false,
  );
  await spoil(
    'a folder in the place of the state file',
    (file) => {
      rmSync(file);
      cpSync(join(root, 'good'), file, { recursive: true });
    },
    /state\.db/,
  );

  await t.test('a region.key that is put back brings everything back', async () => {
    const data = copy();
    const key = join(data, 'region.key');
    renameSync(key, `${key}.away`);
    const { code } = await cumulet(['up', '--json', '--port', '0', '--data', data]);
    assert.equal(code, 2);
    assert.ok(!existsSync(key), 'a new key would make the old state unreadable for ever');
    renameSync(`${key}.away`, key);
    await assertKept(data, region, made.id);
  });

  await t.test(
    'damage that shows later: reads report it, all changes are refused, and /ready and status show it',
    async (t) => {
      if (noFile) return t.skip(noFile);
      const data = join(root, 'eaten');
      await using eaten = await startRegion({ data });
      const description = `eaten${'.'.repeat(800)}`;
      for (let at = 0; at < 60; at++)
        await expect(eaten.call('POST', place, { properties: { name: 'n', location: 'de/txl', description } }), 202);
      const backup = join(root, 'eaten.backup');
      assert.equal((await cumulet(['state', 'backup', backup, '--data', data])).code, 0);
      await eaten.halt('SIGTERM');
      const file = join(data, 'state.db');
      const spoil = (isSpoilt: (page: Buffer, number: number) => boolean): void => {
        const bytes = readFileSync(file);
        for (let at = 4096 * 20; at < bytes.length; at += 4096)
          if (isSpoilt(bytes.subarray(at, at + 4096), at / 4096)) bytes.fill(0xee, at, at + 4096);
        writeFileSync(file, bytes);
      };
      spoil((page) => page.includes('eaten.'));
      await eaten.start();
      const status = async (): Promise<string> => (await cumulet(['status', '--data', data])).stdout;
      await expect(eaten.call('GET', `${place}?depth=1`), 503);
      await expect(eaten.call('POST', `${core}/um/groups`, { properties: { name: 'g' } }), 503);
      const ready = (code: number) => expect(eaten.call('GET', '/ready', undefined, { token: null }), code);
      assert.match(JSON.stringify((await ready(503)).body), /A part of the state can not be read/);
      assert.match(await status(), /State +damaged: some of it can't be read/);

      await t.test('a restart does not forget it', async () => {
        await eaten.halt('SIGTERM');
        await eaten.start();
        await ready(503);
        await expect(eaten.call('POST', `${core}/um/groups`, { properties: { name: 'g' } }), 503);
      });

      const restore = ['state', 'restore', '--yes', backup, '--data', data];
      const assertWell = async (): Promise<void> => {
        await ready(200);
        const { body } = await expect(eaten.call('GET', `${place}?depth=1&limit=1000`), 200);
        assert.equal(body.items.length, 60);
        await expect(eaten.call('POST', `${core}/um/groups`, { properties: { name: 'g' } }), 202);
        await assertWhole(data);
      };
      await t.test('a backup is restored into it while the region runs', async () => {
        const { code, stderr } = await cumulet(restore);
        assert.equal(code, 0, stderr);
        await assertWell();
      });

      await t.test('and into one at rest of which nearly nothing can be read', async () => {
        await eaten.halt('SIGTERM');
        spoil((_, number) => number % 5 > 0);
        const { code, stderr } = await cumulet(restore);
        assert.equal(code, 0, stderr);
        await eaten.start();
        await assertWell();
      });

      await t.test('a file that was put in its place is trusted', async () => {
        await eaten.halt('SIGTERM');
        writeFileSync(`${file}-damaged`, '');
        await eaten.start();
        await assertWell();
        assert.ok(!existsSync(`${file}-damaged`));
      });
    },
  );

  await t.test('[GEN-06] a log that a crash cut off loses no more than its last change', { skip: noFile }, async () => {
    const data = join(root, 'torn');
    await using torn = await startRegion({ data });
    await createDone(torn, place, { properties: { name: 'first', location: 'de/txl' } });
    await torn.kill();
    const log = join(data, 'state.db-wal');
    truncateSync(log, statSync(log).size - 100);
    await torn.start();
    const { body } = await expect(torn.call('GET', `${core}/requests`), 200);
    for (const { id } of body.items) await waitRequest(torn, `${core}/requests/${id}/status`);
    await assertWhole(data);
    await expect(torn.call('GET', place), 200);
  });

  await t.test(
    'a state.db that was copied without its log with all rows is not a first start',
    {
      skip: noFile,
    },
    async () => {
      const data = join(root, 'logless');
      await using logless = await startRegion({ data });
      await logless.kill();
      for (const name of ['state.db-wal', 'state.db-shm']) renameSync(join(data, name), join(data, `${name}.away`));
      const { code, stderr } = await cumulet(['up', '--json', '--port', '0', '--data', data]);
      assert.match(
        stderr,
        /^cumulet: .*state\.db is empty but owner\.json .*put state\.db and state\.db-wal back[^\n]*\n$/,
      );
      assert.equal(code, 2);
      for (const name of ['state.db-wal', 'state.db-shm']) renameSync(join(data, `${name}.away`), join(data, name));
      await logless.start();
      await expect(logless.call('GET', place), 200);
    },
  );

  await t.test('leftovers of crashes next to the state do no harm', async () => {
    const data = copy();
    for (const name of ['state.db.new', 'admin.sock', 'region.pid']) writeFileSync(join(data, name), 'left over');
    await assertKept(data, region, made.id);
  });

  await t.test('the untouched folder is as it was', () => assertKept(good, region, made.id));
});

// The token of the first start still works, and what was made is there.
async function assertKept(data: string, { token }: Region, id: string): Promise<void> {
  await using again = await startRegion({ data });
  const { body } = await expect(again.call('GET', `${core}/datacenters/${id}`, undefined, { token }), 200);
  assert.equal(body.properties.name, 'kept');
}

function withoutStateAndKey(file: string, data: string): void {
  rmSync(file);
  rmSync(join(data, 'region.key'));
}

function foreign(file: string): void {
  rmSync(file);
  using db = new DatabaseSync(file);
  db.exec('CREATE TABLE theirs (a); PRAGMA application_id = 12345');
}

function newer(file: string): void {
  using db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 9999; PRAGMA wal_checkpoint(TRUNCATE)');
}

function zeroed(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0, 4096, bytes.length - 4096);
  writeFileSync(file, bytes);
}

// All that holds something: not the lock, nor who held it.
function fingerprint(data: string): Record<string, string> {
  const names = ['state.db', 'state.db-wal', 'region.key', 'owner.json'].filter((name) =>
    statSync(join(data, name), { throwIfNoEntry: false })?.isFile(),
  );
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(data, name)))
        .digest('hex'),
    ]),
  );
}
