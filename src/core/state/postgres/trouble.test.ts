// What only this engine promises: broken connections, a killed server, lost answers, values that PostgreSQL refuses.
// In all cases an acknowledged set was applied exactly once, and a refused one not at all.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import pg from 'pg';
import { freshUrl, startPostgres } from '../../../testing/postgres.ts';
import { openCutter } from '../../../testing/postgres-cutter.ts';
import { until } from '../../../testing/waiting.ts';
import { holds, isUnavailable, put, row } from '../contract/samples.ts';
import type { StateEngine, Write } from '../engine.ts';
import { isUnknown } from '../unknown-outcome.ts';
import { openPostgres, type PostgresOptions } from './engine.ts';
import { Combinations } from './statements.ts';

async function opened(t: TestContext, url: string, more: Partial<PostgresOptions> = {}): Promise<StateEngine> {
  const state = await openPostgres({ url, ...more });
  t.after(() => state.close());
  return state;
}

async function admin(t: TestContext, url: string): Promise<pg.Client> {
  const target = new URL(url);
  target.search = '';
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  t.after(() => client.end());
  return client;
}

const insert = (id: string, more = {}): Write => ({
  op: 'insert',
  table: 'resource',
  row: { ...row(1, 'p', id), ...more },
});
const append = (body = '{}'): Write => ({ op: 'append', table: 'activity', row: row(1, 'log', '', { body }) });
const countOne: Write = { op: 'count', contract: 1, name: 'n', add: 1 };

// Writers that continue after errors, and record every outcome.
class Ledger {
  readonly acknowledged = new Map<string, string>();
  readonly refused: string[] = [];
  readonly unknown: string[] = [];
  readonly #running: Promise<void>[];
  #stopped = false;

  constructor(state: StateEngine, writers = 20) {
    this.#running = Array.from({ length: writers }, (_, writer) => this.#write(state, `w${writer}`));
  }

  async #write(state: StateEngine, writer: string): Promise<void> {
    for (let at = 0; !this.#stopped; at++) {
      // not a wait: it writes
      const id = `${writer}-${at}`;
      try {
        const [number = ''] = await holds(state, [insert(id), append(id), countOne]);
        this.acknowledged.set(id, number);
        assert.ok(await state.get('resource', 1, 'p', id).catch((error) => isUnavailable(error)));
      } catch (error) {
        assert.ok(isUnavailable(error), String(error));
        (isUnknown(error) ? this.unknown : this.refused).push(id);
        await new Promise(setImmediate);
      }
    }
  }

  async after(sets: number): Promise<void> {
    const goal = this.acknowledged.size + sets;
    await until(
      `${goal} writes are acknowledged`,
      () => this.acknowledged.size,
      (count) => count >= goal,
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  async check(state: StateEngine): Promise<void> {
    const all = { contract: 1, limit: 1e6 };
    const ids = new Set((await state.range('resource', { ...all, place: 'p' })).map((one) => one.id));
    const log = await state.range('activity', { ...all, place: 'log' });
    assert.equal(log.length, ids.size);
    assert.equal(new Set(log.map((one) => one.body)).size, ids.size);
    assert.equal(Number(log.at(-1)?.id), log.length);
    assert.equal((await state.counters(1)).get('n'), ids.size);
    for (const [id, number] of this.acknowledged) {
      assert.ok(ids.has(id), `${id} was acknowledged and is gone`);
      assert.equal(log[Number(number) - 1]?.body, id);
    }
    for (const id of this.refused) assert.ok(!ids.has(id), `${id} was refused and is there`);
    const known = this.acknowledged.size + this.unknown.filter((id) => ids.has(id)).length;
    assert.equal(ids.size, known, 'a write has no outcome');
  }
}

describe('postgres: broken connections', () => {
  it('connections that are ended under load cause no errors', async (t) => {
    const url = new URL(await freshUrl());
    url.searchParams.set('application_name', 'broken');
    const state = await opened(t, url.href);
    const client = await admin(t, url.href);
    const ledger = new Ledger(state);
    t.after(() => ledger.stop());
    const ending = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'broken'";
    for (let round = 0; round < 12; round++) {
      await ledger.after(30);
      await client.query(ending);
    }
    await ledger.after(100);
    await ledger.stop();
    await ledger.check(state);
    assert.ok((state.figures().reconnects ?? 0) >= 12, JSON.stringify(state.figures()));
  });

  it('a lost answer is looked up: the set is acknowledged with its numbers, and done once', async (t) => {
    const cutter = await openCutter(await freshUrl());
    t.after(() => cutter.close());
    const state = await opened(t, cutter.url);
    await holds(state, [append(), countOne]);
    for (let round = 2; round < 7; round++) {
      const lost = cutter.cutAnswer();
      const applied = state.apply([append(), countOne]);
      await lost;
      assert.deepEqual(await applied, { ok: true, appended: [String(round).padStart(12, '0')] });
    }
    assert.deepEqual(await state.counters(1), new Map([['n', 6]]));
  });

  it('a request that arrives after its connection was given up is refused', async (t) => {
    const url = await freshUrl();
    const cutter = await openCutter(url);
    t.after(() => cutter.close());
    const state = await opened(t, cutter.url);
    const client = await admin(t, url);
    const caught = cutter.cutRequest();
    const applied = state.apply([countOne]);
    const release = await caught;
    assert.deepEqual(await applied, { ok: true, appended: [] });
    release();
    const others = `SELECT 1 FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state <> 'idle' AND query ~ 'UPDATE node'`;
    await until('the late connection ends', async () => (await client.query(others)).rowCount === 0);
    await holds(state, [countOne]);
    assert.deepEqual(await state.counters(1), new Map([['n', 2]]));
  });

  it('while no server can be asked the outcome is unknown, and everything else is refused at once', async (t) => {
    const cutter = await openCutter(await freshUrl());
    t.after(() => cutter.close());
    const state = await opened(t, cutter.url, { outcomeTimeoutMs: 300 });
    const lost = cutter.cutAnswer();
    const applied = state.apply([countOne]);
    cutter.refuse(true);
    await lost;
    await assert.rejects(applied, (error: Error) => {
      assert.equal(error.message, 'the connection to the database broke during a change: its outcome is unknown');
      return isUnavailable(error) && isUnknown(error);
    });
    await assert.rejects(state.apply([countOne]), /^Error: the database does not answer: nothing was changed$/);
    cutter.refuse(false);
    await until('the engine connects again', () => state.figures().connected === 1);
    await holds(state, [countOne]);
    assert.deepEqual(await state.counters(1), new Map([['n', 2]]));
  });

  it('a server that no longer responds is detected: waiting writes end, the rest is refused, then it recovers', async (t) => {
    const cutter = await openCutter(await freshUrl());
    t.after(() => cutter.close());
    const state = await opened(t, cutter.url, { heartbeatMs: 500, outcomeTimeoutMs: 500 });
    await holds(state, [countOne]);
    for (let round = 0; round < 3; round++) {
      cutter.freeze(true);
      const began = performance.now();
      const change = assert.rejects(
        state.apply([countOne]),
        (error: Error) => isUnavailable(error) && isUnknown(error),
      );
      await assert.rejects(
        state.get('resource', 1, 'p', 'a'),
        (error: Error) =>
          isUnavailable(error) &&
          error.detail.retryAfterS === 1 &&
          error.message === 'the database does not answer: nothing could be read',
      );
      await assert.rejects(state.apply([countOne]), /does not answer: nothing was changed$/);
      await assert.rejects(async () => state.current(), isUnavailable);
      await change;
      assert.ok(performance.now() - began < 10_000, 'the waiting call ended too late'); // deadline
      cutter.freeze(false);
      await until('the engine connects again', () => state.figures().connected === 1);
      await holds(state, [countOne]);
    }
    // Those whose outcome was not known had come through, or not: each once at the most.
    const counted = (await state.counters(1)).get('n') ?? 0;
    assert.ok(counted >= 4 && counted <= 7, String(counted));
  });

  it('watchers are called after the connection was lost', async (t) => {
    const url = new URL(await freshUrl());
    url.searchParams.set('application_name', 'watcher');
    const state = await opened(t, url.href);
    const client = await admin(t, url.href);
    let called = 0;
    state.watch('identity', () => called++);
    await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'watcher'");
    await until('a watcher is called', () => called > 0);
  });
});

describe('postgres: a server that is killed', () => {
  it('is unavailable while the server is down, loses nothing, and recovers by itself', async (t) => {
    const server = await startPostgres();
    t.after(() => server.stop());
    const state = await opened(t, `${server.url}?schema=killed`);
    const ledger = new Ledger(state);
    t.after(() => ledger.stop());
    for (let round = 0; round < 3; round++) {
      await ledger.after(200);
      await server.kill();
      const before = ledger.refused.length;
      await until('40 writes are refused', () => ledger.refused.length > before + 40);
      // Its processes for single connections end a moment after the server itself.
      const isRefused = (): Promise<boolean> =>
        state.get('resource', 1, 'p', 'a').then(
          () => false,
          () => true,
        );
      await until('reads are refused', isRefused);
      await assert.rejects(state.get('resource', 1, 'p', 'a'), isUnavailable);
      await assert.rejects(state.range('resource', { contract: 1, place: 'p', limit: 1 }), isUnavailable);
      await assert.rejects(state.lease('runner', 'A', 1), isUnavailable);
      await assert.rejects(async () => state.current(), isUnavailable);
      await server.start();
      await ledger.after(200);
    }
    await ledger.stop();
    await ledger.check(state);
  });
});

describe('postgres: batches', () => {
  it('sets of one turn share one commit', async (t) => {
    const state = await opened(t, await freshUrl());
    const before = state.figures().commits ?? 0;
    await Promise.all(Array.from({ length: 50 }, (_, at) => state.apply([insert(`r${at}`), append(), countOne])));
    assert.equal(state.figures().commits, before + 1);
  });

  it('sets that are refused leave no error in the log of the server', async (t) => {
    const server = await startPostgres();
    t.after(() => server.stop());
    const state = await opened(t, `${server.url}?schema=refused`);
    await holds(state, [insert('taken')]);
    const sets = Array.from({ length: 20 }, (_, at) => state.apply([append(), insert(at % 2 ? 'taken' : `free${at}`)]));
    const isKept = (await Promise.all(sets)).map(({ ok }) => ok);
    assert.deepEqual(
      isKept,
      Array.from({ length: 20 }, (_, at) => at % 2 === 0),
    );
    const stale = { op: 'guard', table: 'resource', key: row(1, 'p', 'taken'), version: 7 } as const;
    assert.equal((await state.apply([stale, append()])).ok, false);
    assert.match(server.log(), /ready to accept connections/);
    assert.doesNotMatch(server.log(), /ERROR/);
  });

  it('a set with a value that can not be kept is rejected alone and leaves nothing', async (t) => {
    const state = await opened(t, await freshUrl());
    const broken = [{ body: undefined as unknown as string }, { body: 'a\0b' }, { time: 0.5 }];
    const results = await Promise.allSettled([
      state.apply([append(), insert('a')]),
      ...broken.map((more, at) => state.apply([append(), insert(`b${at}`, more)])),
      state.apply([append(), insert('c')]),
    ]);
    assert.deepEqual(
      results.map((one) => one.status),
      ['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'],
      inspect(results),
    );
    assert.doesNotMatch(inspect(results), /widget/); // nothing of a row may get into a log
    assert.equal((await state.range('resource', { contract: 1, place: 'p', limit: 9 })).length, 2);
    const log = await state.range('activity', { contract: 1, place: 'log', limit: 9 });
    assert.equal(log.at(-1)?.id, '000000000002');
  });

  it('an append passes over a number that was inserted by hand', async (t) => {
    const state = await opened(t, await freshUrl());
    await put(state, 'activity', row(1, 'log', '000000000001'));
    assert.deepEqual(await holds(state, [append()]), ['000000000002']);
  });

  it('sets of many kinds, more than there are statements for, hold all the same', async (t) => {
    const few = new Combinations(2);
    assert.equal(few.of([1, 9]).codes.length, 2);
    assert.equal(few.of([9]).codes.length, 1);
    assert.deepEqual(few.of([1]).codes, [1, 9]);
    assert.ok(few.of([2]).codes.length > 30);
    const state = await opened(t, await freshUrl());
    const tables = ['resource', 'request', 'journal', 'usage', 'claim', 'link'] as const;
    for (let mask = 1; mask < 64; mask++) {
      const chosen = tables.filter((_, at) => mask & (1 << at));
      await holds(state, [
        ...chosen.map((table): Write => ({ op: 'insert', table, row: row(1, 'p', `r${mask}`) })),
        append(),
      ]);
    }
    for (const table of tables)
      assert.equal((await state.range(table, { contract: 1, place: 'p', limit: 99 })).length, 32);
  });

  it('a commit is on the disk when it is acknowledged, whatever the role is set to', async (t) => {
    const url = await freshUrl();
    const client = await admin(t, url);
    try {
      await client.query('ALTER ROLE CURRENT_USER SET synchronous_commit = off');
      const state = await opened(t, url);
      // Whatever others write: what came after `before` can only be flushed by a commit that waits for it.
      for (let round = 0; round < 20; round++) {
        const before = (await client.query('SELECT pg_current_wal_insert_lsn() AS at')).rows[0].at;
        await holds(state, [countOne]);
        const { rows } = await client.query('SELECT pg_current_wal_flush_lsn() > $1::pg_lsn AS synced', [before]);
        assert.ok(rows[0].synced, `round ${round}`);
      }
    } finally {
      await client.query('ALTER ROLE CURRENT_USER RESET synchronous_commit');
    }
  });
});
