// Interactions of background jobs: data that one of them removes is ignored by the others.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { generous, type PushedSeries, pushOf, selectionOf } from '../contract/pushes.ts';
import { type Opened, openedIn } from './testing.ts';

const dayMs = 86_400_000;
const old = 19_000 * dayMs;
const now = old + 30 * dayMs;
const [steps, count] = [800, 64];

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-maintenance-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function opened(t: TestContext, folder: string): Promise<Opened> {
  const engine = await openedIn(folder, { now: () => now, sealAfterMs: 0 });
  t.after(() => engine.close());
  return engine;
}

function blocksIn(folder: string): number {
  using db = new DatabaseSync(join(folder, 'metrics.db'), { readOnly: true });
  return Number(Object.values(db.prepare('SELECT count(*) FROM block').get() ?? {})[0]);
}

// Creates two segments that are worth a merge, of a completed day.
async function fill(engine: Opened, tenant: string, fromMs: number): Promise<void> {
  for (const half of [0, 1]) {
    const samples = Array.from({ length: count }, (_, n): PushedSeries => {
      const first = (half * steps) / 2;
      const samples = Array.from({ length: steps / 2 }, (_, step): [number, number] => [
        fromMs + (first + step) * 60_000,
        Math.sin(n + step),
      ]);
      return [{ __name__: 'm', n: String(n) }, ...samples];
    });
    await engine.writer.append([pushOf(tenant, samples, { ...generous, oldestMs: 0, newestMs: 1e15 })]);
    const { flushes = 0 } = await engine.writer.figures();
    // not a wait: it tidies
    while (((await engine.writer.figures()).flushes ?? 0) === flushes) await engine.writer.tidy();
  }
}

const samplesOf = async ({ reader }: Opened, tenant: string): Promise<number> => {
  const found = await reader.select({ ...selectionOf(tenant), fromMs: 0, toMs: 1e15 });
  return found.reduce((sum, { times }) => sum + times.length, 0);
};

for (const [what, remove] of [
  ['pruned', (engine: Opened) => engine.writer.prune('t', old + 5 * dayMs)],
  ['dropped', (engine: Opened) => engine.writer.drop('t')],
] as const)
  test(`a merge of blocks that are ${what} at the same time does not affect later writes`, async (t) => {
    const folder = folderFor(t);
    const engine = await opened(t, folder);
    await fill(engine, 't', old);
    await engine.writer.tidy();
    assert.equal((await engine.writer.figures()).merges, 0, 'a merge is under way');
    await remove(engine);
    while (blocksIn(folder) > 0) await engine.writer.tidy();
    for (const tenant of ['t', 'u', 'v']) await fill(engine, tenant, old + 10 * dayMs);
    while (await engine.writer.tidy());
    for (const tenant of ['t', 'u', 'v']) assert.equal(await samplesOf(engine, tenant), steps * count, tenant);
  });

test('series without samples are removed with them, even if the region stops in between', async (t) => {
  const folder = folderFor(t);
  const many = 2000;
  const engine = await openedIn(folder, { now: () => now, sealAfterMs: 0 });
  const pushes = Array.from({ length: many }, (_, n): PushedSeries => [{ __name__: 'm', n: String(n) }, [old, n]]);
  await engine.writer.append([pushOf('t', pushes, { ...generous, oldestMs: 0, newestMs: 1e15 })]);
  while (await engine.writer.tidy());
  const pruning = engine.writer.prune('t', old + dayMs);
  await engine.close();
  await pruning;
  const again = await opened(t, folder);
  await again.writer.prune('t', old + dayMs);
  assert.equal(blocksIn(folder), 0);
  assert.equal((await again.writer.figures()).series, 0);
  assert.deepEqual(await again.reader.series([selectionOf('t')]), []);
});
