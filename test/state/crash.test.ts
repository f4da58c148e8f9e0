// kill -9 amid moving a state: a restore into a running region, one past it, and copies. The state is the old one or
// the new one, whole, and the same command works when it is given again.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { askRegion } from '../../src/testing/black-box/commands.ts';
import {
  type Difference,
  type DumpPage,
  firstDifference,
  openState,
  readDump,
  type StateEngine,
  writeDump,
} from '../../src/testing/black-box/state.ts';
import { limits } from '../../src/testing/limits.ts';
import { freshUrl } from '../../src/testing/postgres.ts';
import { chanceOf, isFull } from '../../src/testing/seed.ts';
import { until } from '../../src/testing/waiting.ts';
import { assertWhole } from '../harness/invariants.ts';
import { core } from '../harness/people.ts';
import { cumulet, endsWithin, launch } from '../harness/process.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';
import { expect } from '../sweep/api.ts';

const bulk = 100_000;
const last = 2_000_000_000; // a contract after all others, as key order has it
const rounds = isFull ? 20 : 3;
const copyRounds = isFull ? 20 : 2;
const copyBulk = isFull ? bulk : 30_000;
const datacenters = `${core}/datacenters`;

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-moving-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function good(...args: string[]): Promise<void> {
  const { code, stderr } = await cumulet(args);
  assert.equal(code, 0, stderr);
}

const create = (region: Region, name: string) =>
  createDone(region, datacenters, { properties: { name, location: 'de/txl' } });

async function namesOf(region: Region): Promise<unknown[]> {
  const { body } = await expect(region.call('GET', `${datacenters}?depth=1`), 200);
  return body.items.map(({ properties }) => properties.name);
}

// The same backup with so many rows more that loading it takes a while.
async function enlarged(file: string, more = bulk): Promise<string> {
  const pages = async function* (): AsyncGenerator<DumpPage> {
    for await (const page of readDump(file)) {
      yield page;
      if (page.table !== 'claim') continue;
      for (let at = 0; at < more; at += 500) {
        const ids = Array.from({ length: 500 }, (_, n) => String(at + n).padStart(9, '0'));
        yield { table: 'claim', rows: ids.map((id) => [last, 'x', id, '', '', 1, 1, '', '', `{"n":"${id}"}`, '']) };
      }
    }
  };
  const large = `${file}.large`;
  await writeDump(large, { pages: pages(), header: { program: '1.2.3', time: '2026-01-01T00:00:00.000Z' } }, true);
  return large;
}

// Until a restore has written so many rows. It writes thousands within the usual pause.
const restoring = (region: Region, least = 0): Promise<unknown> =>
  until(
    `a restore has written ${least} rows`,
    () => askRegion(region.data, 'state/progress', {}),
    ({ doing, rows }) => doing === 'Restoring' && rows >= least,
    { everyMs: 2 },
  );

test('[GEN-06] kill -9 amid a restore leaves the old state, and the restore can be done again', async (t) => {
  const file = join(folderFor(t), 'backup');
  await using region = await startRegion();
  await create(region, 'in the backup');
  await good('state', 'backup', file, '--data', region.data);
  const large = await enlarged(file);
  await create(region, 'later');
  for (let round = 0; round < rounds; round++) {
    const pending = askRegion(region.data, 'state/restore', { file: large }, 0).then(
      () => 'restored',
      () => 'cut off',
    );
    const least = 1 + (bulk / rounds) * round;
    await restoring(region, least);
    await region.kill();
    assert.equal(await pending, 'cut off');
    await region.start();
    assert.deepEqual(await namesOf(region), ['in the backup', 'later']);
    await assertWhole(region.data);
  }
  await good('state', 'restore', '--yes', large, '--data', region.data);
  assert.equal(JSON.parse(await region.logged('"restored"')).file, large);
  assert.deepEqual(await namesOf(region), ['in the backup']);
  await assertWhole(region.data);
});

// No other program can listen on the port of the URL.
async function assertTaken(url: string): Promise<void> {
  const { hostname: host, port } = new URL(url.replace(/^\w+:/, 'http:'));
  await assert.rejects(
    once(createServer().listen({ host, port: Number(port) }), 'listening'),
    { code: 'EADDRINUSE' },
    url,
  );
}

test('[GEN-06] a restore that fails on the way brings the old state back, on the same ports', async (t) => {
  const file = join(folderFor(t), 'backup');
  await using region = await startRegion();
  await create(region, 'in the backup');
  await good('state', 'backup', file, '--data', region.data);
  const large = await enlarged(file);
  await create(region, 'later');
  const pending = askRegion(region.data, 'state/restore', { file: large }, 0);
  const failed = assert.rejects(pending, /is damaged: its end is missing/);
  await restoring(region);
  const offline = await fetch(region.url);
  assert.deepEqual([offline.status, offline.headers.get('retry-after')], [503, '1']);
  truncateSync(large, 1000); // after it was checked
  await failed;
  await region.logged('not restored: the state is as it was');
  assert.deepEqual(await namesOf(region), ['in the backup', 'later']);
  assert.equal((await askRegion(region.data, 'status', {})).pid, region.pid);
  await create(region, 'continues');
  await assertWhole(region.data);
});

test('[GEN-06] down during a restore waits for its end, and the next start finds it', async (t) => {
  const file = join(folderFor(t), 'backup');
  await using region = await startRegion();
  await create(region, 'in the backup');
  await good('state', 'backup', file, '--data', region.data);
  const large = await enlarged(file);
  await create(region, 'later');
  const pending = askRegion(region.data, 'state/restore', { file: large }, 0);
  await restoring(region);
  await assert.rejects(askRegion(region.data, 'status', {}), /offline for work on its state/);
  for (const url of [region.url, region.https, ...Object.values(region.ready.services)]) await assertTaken(url);
  await assert.rejects(askRegion(region.data, 'state/restore', { file }), /offline for work on its state/);
  assert.equal(await region.halt('SIGTERM'), 0);
  assert.ok((await pending).total > bulk);
  await region.start();
  assert.deepEqual(await namesOf(region), ['in the backup']);
});

test('[GEN-06] kill -9 amid a copy, or amid a restore past any region, leaves the target as it was', async (t) => {
  const chance = chanceOf(t);
  const [first, second] = [folderFor(t), folderFor(t)];
  const file = join(folderFor(t), 'backup');
  const state = `sqlite:${first}`;
  const region = await startRegion({ data: first, args: ['--state', state] });
  t.after(() => region.stop());
  await create(region, 'in the backup');
  await good('state', 'backup', file, '--data', first);
  const large = await enlarged(file, copyBulk);
  await region.halt('SIGTERM');
  const key = join(first, 'region.key');
  await good('state', 'restore', '--yes', large, '--data', first);
  for (const target of [`sqlite:${second}`, await freshUrl()]) {
    await good('state', 'restore', '--yes', file, '--state', target, '--key', key);
    const copy = ['state', 'copy', '--from', state, '--to', target, '--replace'];
    const restore = ['state', 'restore', '--yes', large, '--state', target, '--key', key];
    const began = performance.now();
    await good(...copy);
    const wholeMs = performance.now() - began;
    await good('state', 'restore', '--yes', file, '--state', target, '--key', key);
    let interrupted = 0;
    for (let round = 0; round < copyRounds * 2; round++) {
      const child = launch(round % 2 === 0 ? copy : restore, {});
      // One after the other later in its life: while it starts, while it writes, while it compares.
      const share = (round + chance.below(1000) / 1000) / (copyRounds * 2);
      const limit = setTimeout(() => child.kill('SIGKILL'), wholeMs * 0.9 * share); // deadline
      assert.ok(await endsWithin(child, limits.command));
      clearTimeout(limit);
      const [fromOld, fromNew] = [await differs(target, file), await differs(target, large)];
      assert.ok(!fromOld || !fromNew, `neither: ${JSON.stringify([fromOld, fromNew])}`);
      if (child.signalCode === 'SIGKILL' && !fromOld) interrupted += 1;
      if (fromOld) await good('state', 'restore', '--yes', file, '--state', target, '--key', key);
    }
    t.diagnostic(`${interrupted} of ${copyRounds * 2} were interrupted before their end`);
    assert.ok(interrupted > 0);
    await good(...copy);
    assert.equal(await differs(target, large), undefined);
  }
  assert.ok(statSync(join(second, 'region.key')).size > 0, 'the key went along');
});

// Where the state is another one than that in the file.
const differs = (address: string, file: string): Promise<Difference | undefined> =>
  withState(address, (state) => firstDifference(state.dump(), readDump(file)));

async function withState<T>(address: string, look: (state: StateEngine) => Promise<T>): Promise<T> {
  const state = await openState(address, Date.now);
  try {
    return await look(state);
  } finally {
    await state.close();
  }
}
