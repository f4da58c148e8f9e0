// A machine whose clock jumps back by hours, under a running region and across a restart. Time is bent in the process
// itself, by a module that is loaded before it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import { assertWhole } from '../harness/invariants.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';
import { expect } from '../sweep/api.ts';

const hourMs = 3_600_000;
const main = join(import.meta.dirname, '../../bin/start.cjs');
const bending = `
  import { readFileSync } from 'node:fs';
  const real = Date.now;
  Date.now = () => real() + Number(readFileSync(process.env.BENT_CLOCK, 'utf8'));
`;

test('[ACT-05] [GEN-06] a clock that jumps back stops nothing, loses nothing and disorders nothing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-clock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const offset = join(folder, 'offset');
  const bent = join(folder, 'bent.mjs');
  writeFileSync(bent, bending);
  const jump = (ms: number): void => writeFileSync(offset, String(ms));
  jump(0);
  await using region = await startRegion({
    command: [process.execPath, '--import', bent, main],
    env: { BENT_CLOCK: offset },
    args: ['--rate-burst', '500'],
  });
  const made = [await create(region, 'before')];

  await t.test('while it runs: ids and times continue, and no call is throttled', async () => {
    jump(-2 * hourMs);
    for (let count = 0; count < 20; count++) made.push(await create(region, `after-${count}`));
    const { body } = await region.call('GET', `${core}/datacenters?depth=1`);
    assert.deepEqual(
      body.items.map(({ id }) => id),
      made.map(({ id }) => id),
    );
    const dates = body.items.map(({ metadata }) => String(metadata.createdDate));
    assert.deepEqual(dates, dates.toSorted());
    const { status } = await region.call('GET', '/auth/v1/tokens/generate', undefined, { basic: region.owner });
    assert.equal(status, 200);
    await assertOrdered(region);
  });

  await t.test('while it runs: reads are still written to the activity log', async () => {
    const { status } = await region.call('GET', `${core}/locations`);
    assert.equal(status, 200);
    await until(
      'the read is in the activity log',
      () => activity(region),
      (entries) => entries.some(({ _source }) => _source.event.param.uri.endsWith('/locations')),
    );
  });

  await t.test('across a restart: tokens work, resources can be created, the log keeps its order', async () => {
    jump(-48 * hourMs);
    await region.restart();
    made.push(await create(region, 'restarted'));
    for (const { id } of made) await expect(region.call('GET', `${core}/datacenters/${id}`), 200);
    await assertOrdered(region);
    await assertWhole(region.data);
  });
});

const create = (region: Region, name: string) =>
  createDone(region, `${core}/datacenters`, { properties: { name, location: 'de/txl' } });

interface Hit {
  _id: string;
  _source: { time: string; event: { param: { uri: string } } };
}

async function activity(region: Region): Promise<Hit[]> {
  const path = `/activitylog/v1/contracts/${region.contract}?limit=10000`;
  const { body } = await region.call<{ hits: { hits: Hit[] } }>('GET', path);
  return body.hits.hits;
}

async function assertOrdered(region: Region): Promise<void> {
  const times = (await activity(region)).map(({ _source }) => _source.time).reverse();
  assert.ok(times.length > 20);
  assert.deepEqual(times, times.toSorted(), 'time goes back in the activity log');
}
