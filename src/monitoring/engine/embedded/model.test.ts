// A random test: in any order of events, reads return what a plain map of all pushes contains. Pushes are late and
// repeated, arenas are tiny, days pass, blocks are merged, old ones are removed, and the process stops normally or
// crashes.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Chance, chanceOf, isFull } from '../../../testing/seed.ts';
import { type SeriesData, stale } from '../../series.ts';
import { leaseBuffers } from '../buffer-pool.ts';
import { generous, type PushedSeries, pushedSeriesOf, pushOf, type Sample, sameBits } from '../contract/pushes.ts';
import { type Opened, openedIn } from './testing.ts';

const dayMs = 86_400_000;
const start = 19_000 * dayMs;
const rounds = isFull ? 3000 : 250;
const tenants = ['a', 'b'];

type Kept = Map<string, Map<number, number>>; // series, time, value

class Scene {
  readonly #chance: Chance;
  readonly #parent: string;
  readonly #kept = new Map<string, Kept>();
  readonly #pruned = new Map<string, number>();
  #folder: string;
  #folders = 0;
  #opened: Opened | undefined;
  #now = start + dayMs;

  constructor(t: TestContext, chance: Chance) {
    this.#chance = chance;
    this.#parent = mkdtempSync(join(tmpdir(), 'model-'));
    this.#folder = join(this.#parent, '0');
    t.after(() => rmSync(this.#parent, { recursive: true, force: true }));
  }

  async open(): Promise<void> {
    const more = { now: () => this.#now, arenaSamples: 64, sealAfterMs: dayMs / 4 };
    this.#opened = await openedIn(this.#folder, more);
  }

  get #engine(): Opened {
    assert.ok(this.#opened);
    return this.#opened;
  }

  async push(): Promise<void> {
    const chance = this.#chance;
    const jobs = Array.from({ length: 1 + chance.below(3) }, () => {
      const tenant = chance.one(tenants);
      const pushes = Array.from({ length: 1 + chance.below(6) }, (): PushedSeries => {
        const labels = { __name__: 'm', number: String(chance.below(chance.one([5, 300]))) };
        return [labels, ...Array.from({ length: 1 + chance.below(5) }, () => this.#sample())];
      });
      return { tenant, pushes };
    });
    const limits = { ...generous, oldestMs: 0, newestMs: this.#now + dayMs };
    const outcomes = await this.#engine.writer.append(jobs.map(({ tenant, pushes }) => pushOf(tenant, pushes, limits)));
    for (const [at, { tenant, pushes }] of jobs.entries()) {
      assert.equal(outcomes[at]?.rejected, 0);
      for (const [labels, ...samples] of pushes) this.#keep(tenant, String(labels.number), samples);
    }
  }

  #sample(): Sample {
    const chance = this.#chance;
    const late = chance.often(80) ? chance.below(20) * 15_000 : chance.below(3 * dayMs);
    const value = chance.one([chance.below(100), chance.below(1000) / 10, 1 / (1 + chance.below(50)), stale]);
    return [this.#now - late, value];
  }

  #keep(tenant: string, series: string, samples: readonly Sample[]): void {
    const kept = this.#kept.get(tenant) ?? new Map();
    this.#kept.set(tenant, kept);
    const times = kept.get(series) ?? new Map();
    kept.set(series, times);
    for (const [time, value] of samples) times.set(time, value);
  }

  pass(): void {
    this.#now += this.#chance.one([15_000, 15_000, 600_000, dayMs / 3]);
  }

  async tidy(): Promise<void> {
    for (let steps = this.#chance.one([1, 1, 2, 1000]); steps > 0 && (await this.#engine.writer.tidy()); steps--);
  }

  async prune(): Promise<void> {
    const tenant = this.#chance.one(tenants);
    const before = this.#now - (1 + this.#chance.below(4)) * dayMs;
    await this.#engine.writer.prune(tenant, before);
    this.#pruned.set(tenant, Math.max(before, this.#pruned.get(tenant) ?? 0));
  }

  async drop(): Promise<void> {
    const tenant = this.#chance.one(tenants);
    await this.#engine.writer.drop(tenant);
    this.#kept.delete(tenant);
    this.#pruned.delete(tenant);
  }

  async reopen(): Promise<void> {
    await this.#engine.close();
    await this.open();
  }

  // Copies the files at this moment, as a killed process leaves them.
  async crash(): Promise<void> {
    const folder = join(this.#parent, String(++this.#folders));
    cpSync(this.#folder, folder, { recursive: true });
    await this.#engine.close();
    rmSync(this.#folder, { recursive: true });
    this.#folder = folder;
    await this.open();
  }

  async check(): Promise<void> {
    const chance = this.#chance;
    const tenant = chance.one(tenants);
    const pruned = this.#pruned.get(tenant) ?? 0;
    const toMs = this.#now - chance.one([0, 0, chance.below(dayMs)]);
    const fromMs = Math.max(pruned, chance.one([0, toMs - 300_000, toMs - chance.below(4 * dayMs)]));
    const digit = chance.one(['', String(chance.below(10))]);
    const matchers = [{ name: 'number', op: '=~', value: `${digit}.*` }] as const;
    using buffers = leaseBuffers(); // still filled by an earlier lease
    const found = await this.#engine.reader.select({ tenant, matchers, fromMs, toMs, buffers });
    found.forEach(assertTrue);
    const expected = [...(this.#kept.get(tenant) ?? [])]
      .filter(([series]) => series.startsWith(digit))
      .map(([series, times]): PushedSeries => {
        const samples = [...times].filter(([time]) => time >= fromMs && time <= toMs).sort(([a], [b]) => a - b);
        return [{ __name__: 'm', number: series }, ...samples];
      })
      .filter(([, ...samples]) => samples.length > 0)
      .sort(([a], [b]) => (String(a.number) < String(b.number) ? -1 : 1));
    const actual = found.map(pushedSeriesOf);
    assert.deepEqual(
      actual.map(([labels]) => labels),
      expected.map(([labels]) => labels),
    );
    for (const [at, [labels, ...samples]] of expected.entries())
      assertSame(actual[at]?.slice(1) as Sample[], samples, labels);
  }

  async close(): Promise<Record<string, number>> {
    const figures = await this.#engine.writer.figures();
    await this.#engine.close();
    return figures;
  }
}

// Checks the engine's statements about the values.
function assertTrue({ values, numbersUpTo = 0, risingUpTo = 0 }: SeriesData): void {
  assert.ok(risingUpTo <= numbersUpTo && numbersUpTo <= values.length);
  assert.ok(values.subarray(0, numbersUpTo).every(Number.isFinite));
  const rising = values.subarray(0, risingUpTo);
  assert.ok(rising.every((value, at) => at === 0 || value >= (rising[at - 1] as number)));
}

function assertSame(read: Sample[], expected: Sample[], labels: object): void {
  assert.deepEqual(
    read.map(([time]) => time),
    expected.map(([time]) => time),
    JSON.stringify(labels),
  );
  for (const [at, [time, value]] of expected.entries())
    assert.ok(sameBits(read[at]?.[1] as number, value), `${JSON.stringify(labels)} at ${time}`);
}

test('pushed samples are read unchanged, through flushes, merges, retention, restarts and crashes', async (t) => {
  const chance = chanceOf(t);
  const scene = new Scene(t, chance);
  await scene.open();
  const happenings: [weight: number, happen: () => Promise<void> | void][] = [
    [60, () => scene.push()],
    [30, () => scene.pass()],
    [20, () => scene.tidy()],
    [3, () => scene.prune()],
    [1, () => scene.drop()],
    [3, () => scene.reopen()],
    [3, () => scene.crash()],
  ];
  const bag = happenings.flatMap(([weight, happen]) => Array.from({ length: weight }, () => happen));
  for (let round = 0; round < rounds; round++) {
    await chance.one(bag)();
    await scene.check();
  }
  await scene.close();
});
