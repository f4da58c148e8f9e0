// Jobs for the node that keeps the data.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { freshUrl } from '../../testing/postgres.ts';
import { openPostgres } from '../state/postgres/engine.ts';
import { Store } from '../store.ts';
import { HomeJobs } from './home-jobs.ts';

interface Bench {
  here: HomeJobs<string>;
  away: HomeJobs<string>;
  unknown: HomeJobs<string>;
  done: string[]; // the job, and its id
  left(): Promise<string[]>; // the ids of rows
}

async function open(t: TestContext, isAwaited: boolean): Promise<Bench> {
  const engine = await openPostgres({ url: await freshUrl() });
  t.after(() => engine.close());
  const store = new Store(engine);
  const done: string[] = [];
  const at = (site: 'here' | 'elsewhere' | 'unknown'): HomeJobs<string> => {
    const home = {
      isShared: false,
      isHere: site === 'here',
      isOnOtherNode: site === 'elsewhere',
      follow() {},
      async otherAddress() {
        if (site === 'unknown') throw new Fault('unavailable', 'This node does not know yet.');
        return site === 'here' ? undefined : 'http://127.0.0.1:1';
      },
    };
    const work = async (job: string, id: string): Promise<void> => {
      if (job === 'wrong') throw new Fault('refused', 'It is wrong.');
      done.push(`${job} ${id}`);
    };
    return new HomeJobs<string>({ store, home, name: 'test-job', everyMs: 1000, isAwaited, work });
  };
  return {
    here: at('here'),
    away: at('elsewhere'),
    unknown: at('unknown'),
    done,
    left: async () => (await store.range({ contract: 0, place: 'test-job', limit: 9 }, 'claim')).map(({ id }) => id),
  };
}

const isPending = (error: unknown): boolean => error instanceof Fault && error.kind === 'unavailable';

test('a job is done where the data is, and its outcome is known to the node that asked', async (t) => {
  const { here, away, done, left } = await open(t, true);
  await here.perform('a', 'first');
  assert.deepEqual(done, ['first a']);
  for (const _ of [1, 2]) await assert.rejects(away.perform('b', 'second'), isPending);
  assert.deepEqual(await left(), ['b']);
  await here.runLeft();
  await here.runLeft();
  assert.deepEqual(done, ['first a', 'second b']);
  await away.perform('b', 'second');
  assert.deepEqual(await left(), []);
});

test('a refusal reaches the node that asked', async (t) => {
  const { here, away, left } = await open(t, true);
  await assert.rejects(away.perform('c', 'wrong'), isPending);
  await here.runLeft();
  await assert.rejects(away.perform('c', 'wrong'), /It is wrong/);
  assert.deepEqual(await left(), []);
});

test('a node that does not know where the data is leaves no job whose outcome is awaited', async (t) => {
  const { unknown, left } = await open(t, true);
  await assert.rejects(unknown.perform('d', 'early'), /does not know yet/);
  assert.deepEqual(await left(), []);
});

test('a job that is not awaited is stored at once, and its row is removed when it is done', async (t) => {
  const { here, away, unknown, done, left } = await open(t, false);
  await away.perform('e', 'later');
  await away.perform('e', 'later');
  await unknown.perform('f', 'late');
  assert.deepEqual(await left(), ['e', 'f']);
  await here.runLeft();
  assert.deepEqual(done, ['later e', 'late f']);
  assert.deepEqual(await left(), []);
});
