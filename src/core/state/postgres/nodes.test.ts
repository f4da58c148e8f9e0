// Several nodes on one PostgreSQL: each sees and respects what the others do.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import pg from 'pg';
import { freshUrl } from '../../../testing/postgres.ts';
import { until } from '../../../testing/waiting.ts';
import { holds, isUnavailable, put, row } from '../contract/samples.ts';
import type { Outcome, StateEngine, Write } from '../engine.ts';
import { openPostgres } from './engine.ts';
import { migrations } from './migrations.ts';

async function nodes(t: TestContext, count: number): Promise<StateEngine[]> {
  const url = await freshUrl();
  const opened = await Promise.all(Array.from({ length: count }, () => openPostgres({ url })));
  for (const one of opened) t.after(() => one.close());
  return opened;
}

async function two(t: TestContext): Promise<[StateEngine, StateEngine]> {
  return (await nodes(t, 2)) as [StateEngine, StateEngine];
}

const insert = (id: string, place = 'p'): Write => ({ op: 'insert', table: 'resource', row: row(1, place, id) });
const key = (id: string, place = 'p') => ({ contract: 1, place, id });
const count = (name: string, add: number, max?: number): Write => ({
  op: 'count',
  contract: 1,
  name,
  add,
  ...(max !== undefined && { max }),
});

describe('postgres: several nodes', () => {
  it('numbers are dense and times never go back, with several appending nodes', async (t) => {
    const states = await nodes(t, 3);
    const places = ['x', 'y', 'z'];
    const writers = states.flatMap((state, node) =>
      Array.from({ length: 8 }, async (_, writer) => {
        for (let at = 0; at < 20; at++) {
          const time = 10_000 - at * 10 + node;
          // Each in another order: the locks are taken in one.
          const set = places.map((_, nth): Write => {
            const place = places[(nth + node + writer) % 3] as string;
            return { op: 'append', table: 'activity', row: row(1, place, '', { time }) };
          });
          await holds(state, [insert(`${node}-${writer}-${at}`), ...set]);
        }
      }),
    );
    await Promise.all(writers);
    for (const place of places) {
      const log = await (states[0] as StateEngine).range('activity', { contract: 1, place, limit: 9999 });
      assert.equal(log.length, 480);
      for (const [at, one] of log.entries()) {
        assert.equal(one.id, String(at + 1).padStart(12, '0'));
        assert.ok(one.time >= (log[at - 1]?.time ?? 0));
      }
    }
  });

  it('counters are exact, and none passes its maximum', async (t) => {
    const states = await two(t);
    const outcomes: Outcome[] = [];
    const one = async (state: StateEngine, at: number): Promise<void> => {
      for (let turn = 0; turn < 10; turn++)
        outcomes.push(await state.apply([count('cores', 1, 100), count('ram', 2), insert(`${at}-${turn}`)]));
    };
    await Promise.all(Array.from({ length: 20 }, (_, at) => one(states[at % 2] as StateEngine, at)));
    assert.equal(outcomes.filter((one) => one.ok).length, 100);
    for (const outcome of outcomes) if (!outcome.ok) assert.deepEqual(outcome, { ok: false, why: 'limit', at: 0 });
    assert.deepEqual(await states[0].counters(1), new Map(Object.entries({ cores: 100, ram: 200 })));
    assert.equal((await states[1].range('resource', { contract: 1, place: 'p', limit: 999 })).length, 100);
  });

  it('of concurrent inserts of a key one wins; of concurrent updates of a version one wins', async (t) => {
    const states = await nodes(t, 3);
    for (let round = 0; round < 10; round++) {
      const race = (write: Write) => Promise.all(states.map((state) => state.apply([count('n', 1), write])));
      const inserted = await race(insert(`r${round}`));
      assert.equal(inserted.filter((one) => one.ok).length, 1);
      const updated = await race({ op: 'update', table: 'resource', row: row(1, 'p', `r${round}`) });
      assert.equal(updated.filter((one) => one.ok).length, 1);
      const removed = await race({ op: 'remove', table: 'resource', key: key(`r${round}`), version: 2 });
      assert.equal(removed.filter((one) => one.ok).length, 1);
    }
    assert.deepEqual(await (states[0] as StateEngine).counters(1), new Map([['n', 30]]));
  });

  it('a guard holds until the commit: no two sets hold that exclude each other', async (t) => {
    const [a, b] = await two(t);
    for (let round = 0; round < 30; round++) {
      const [x, y] = [`x${round}`, `y${round}`];
      await put(a, 'resource', row(1, 'p', x), row(1, 'p', y));
      const guarded = (guard: string, change: string): Write[] => [
        { op: 'guard', table: 'resource', key: key(guard), version: 1 },
        { op: 'update', table: 'resource', row: row(1, 'p', change) },
      ];
      const both = await Promise.all([a.apply(guarded(x, y)), b.apply(guarded(y, x))]);
      assert.ok(both.filter((one) => one.ok).length <= 1, `round ${round}`);
    }
  });

  it('a guard that nothing is there holds until the commit too', async (t) => {
    const [a, b] = await two(t);
    let held = 0;
    // Both wait for each other here, which PostgreSQL finds out after a second.
    for (let round = 0; round < 5; round++) {
      const absent = (guard: string, made: string): Write[] => [
        { op: 'guard', table: 'claim', key: key(`${guard}${round}`), version: 0 },
        { op: 'insert', table: 'claim', row: row(1, 'p', `${made}${round}`) },
      ];
      const both = await Promise.all([a.apply(absent('x', 'y')), b.apply(absent('y', 'x'))]);
      const ok = both.filter((one) => one.ok).length;
      assert.ok(ok <= 1, `round ${round}`);
      held += ok;
    }
    assert.ok(held > 0);
    assert.equal((await a.range('claim', { contract: 1, place: 'p', limit: 99 })).length, held);
  });

  it('one node has a lease', async (t) => {
    const states = await nodes(t, 3);
    const answers = await Promise.all(states.map((state, at) => state.lease('runner', `N${at}`, 60_000)));
    assert.equal(answers.filter(Boolean).length, 1);
  });

  it('a commit of another node changes the current text', async (t) => {
    const [a, b] = await two(t);
    for (let round = 0; round < 5; round++) {
      const before = await b.current();
      await holds(a, [insert(`r${round}`)]);
      assert.notEqual(await b.current(), before);
    }
  });

  it('topics are heard by the other nodes, once for each set that holds, and not by their own', async (t) => {
    const [a, b] = await two(t);
    let own = 0;
    let heard = 0;
    let other = 0;
    a.watch('identity', () => own++);
    const end = b.watch('identity', () => heard++);
    const details: string[] = [];
    b.watch('other', (detail) => {
      other++;
      details.push(detail);
    });
    await a.apply([insert('r')], ['identity']);
    await until('the first change is heard', () => heard === 1);
    assert.equal((await a.apply([insert('r')], ['identity'])).ok, false);
    await a.apply([insert('s')]);
    await a.apply([insert('t'), { op: 'guard', table: 'resource', key: key('t'), version: 1 }], ['identity']);
    await until('the second change is heard', () => heard === 2);
    end();
    await a.apply([insert('u')], ['identity', 'other its detail']);
    await until('a change of the other topic is heard', () => other === 1);
    assert.deepEqual([own, heard, other, details], [0, 2, 1, ['its detail']]);
  });
});

describe('postgres: opening', () => {
  it('several nodes that open a new schema at once all find it complete', async (t) => {
    const states = await nodes(t, 8);
    await Promise.all(states.map((state, at) => put(state, 'resource', row(1, 'p', `r${at}`))));
    assert.equal((await (states[0] as StateEngine).range('resource', { contract: 1, place: 'p', limit: 9 })).length, 8);
  });

  it('migrations go forward once, each whole or not at all', async () => {
    const url = await freshUrl();
    await (await openPostgres({ url })).close();
    const extra = 'CREATE TABLE extra (n integer); INSERT INTO extra VALUES (1);';
    await assert.rejects(openPostgres({ url, migrations: [...migrations, `${extra} SELECT no_such_thing();`] }));
    const list = [...migrations, extra];
    const opened = await Promise.all([1, 2, 3].map(() => openPostgres({ url, migrations: list })));
    await Promise.all(opened.map((one) => one.close()));
    const target = new URL(url);
    const schema = target.searchParams.get('schema');
    target.search = '';
    const client = new pg.Client({ connectionString: target.href });
    await client.connect();
    const { rows } = await client.query(`SELECT n FROM ${schema}.extra`);
    await client.end();
    assert.deepEqual(rows, [{ n: 1 }]);
  });

  it('a schema of a newer version is refused in one line', async () => {
    const url = await freshUrl();
    const list = [...migrations, 'SELECT 1;'];
    await (await openPostgres({ url, migrations: list })).close();
    await assert.rejects(openPostgres({ url }), (error: Error) => {
      const [found, known] = [list.length, migrations.length];
      assert.match(error.message, /^postgres:\/\/[^@]+ was written by a newer version of Cumulet/);
      assert.ok(error.message.includes(`(${found}, this one knows ${known})`), error.message);
      return !error.message.includes('\n') && isUnavailable(error);
    });
  });

  it('a schema with tables of another program is refused, and not changed', async () => {
    for (const foreign of ['orders', 'resource', 'migration']) {
      const url = await freshUrl();
      const schema = new URL(url).searchParams.get('schema') as string;
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.${foreign} (version text, id text)`);
      await assert.rejects(openPostgres({ url }), (error: Error) => {
        assert.match(error.message, new RegExp(`holds tables of another program \\(${foreign}\\): .*schema=NAME$`));
        return isUnavailable(error);
      });
      const { rows } = await client.query(
        `SELECT relname FROM pg_class WHERE relnamespace = '${schema}'::regnamespace`,
      );
      await client.end();
      assert.deepEqual(rows.flatMap(Object.values), [foreign]);
    }
  });

  it('the error for an address that can not be opened does not contain its password', async () => {
    const good = new URL(await freshUrl());
    const wrong = (change: (url: URL) => void): string => {
      const url = new URL(good);
      url.password = 'S3cretWord';
      change(url);
      return url.href;
    };
    const addresses = [
      wrong((url) => (url.port = '1')),
      wrong((url) => (url.pathname = '/nowhere')),
      wrong((url) => (url.username = 'stranger')),
      wrong((url) => url.searchParams.set('schema', 'Bad-Name')),
      wrong((url) => url.searchParams.set('sslmode', 'require')),
      wrong((url) => url.searchParams.set('sslmode', 'perhaps')),
      wrong((url) => url.searchParams.set('password', 'x')),
      wrong((url) => (url.hostname = 'no.such.host.invalid')),
      'mysql://user:S3cretWord@host/db',
      'postgres://user:S3cretWord@ho st/db',
    ];
    for (const url of addresses) {
      await assert.rejects(openPostgres({ url }), (error) => {
        assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes('S3cretWord'), inspect(error));
        return error instanceof Error && error.constructor.name === 'Fault' && !error.message.includes('\n');
      });
    }
  });
});
