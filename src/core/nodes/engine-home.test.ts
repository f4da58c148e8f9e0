// Where an embedded engine is at home, among nodes of several machines.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { machineTime } from '../../base/clock.ts';
import type { Fault } from '../../base/fault.ts';
import { freshUrl } from '../../testing/postgres.ts';
import { openCutter } from '../../testing/postgres-cutter.ts';
import { until } from '../../testing/waiting.ts';
import type { StateEngine } from '../state/engine.ts';
import { openPostgres } from '../state/postgres/engine.ts';
import { openSqlite } from '../state/sqlite/engine.ts';
import { Store } from '../store.ts';
import { EngineHome } from './engine-home.ts';

const homeOf = (engine: StateEngine, host: string, id?: string, takes = false): EngineHome => {
  let kept = id;
  const tag = {
    load: () => kept,
    save: (given: string) => {
      kept = given;
    },
  };
  const options = { name: 'metrics', data: 'metrics', isShared: false, takes };
  return new EngineHome(new Store(engine), options, tag, host);
};

async function machines(t: TestContext): Promise<(host: string, id?: string, takes?: boolean) => EngineHome> {
  const engine = await openPostgres({ url: await freshUrl() });
  t.after(() => engine.close());
  return (host, id, takes) => homeOf(engine, host, id, takes);
}

const isUnknown = (fault: Fault): boolean =>
  fault.kind === 'unavailable' && fault.detail.retryAfterS === 1 && /does not know yet/.test(fault.message);

test('a node that has not settled does not know the home, and asks callers to try again', async (t) => {
  const machine = await machines(t);
  const [first, second] = [machine('a', 'one'), machine('a')];
  for (const home of [first, second]) {
    assert.deepEqual([home.isHere, home.isOnOtherNode], [false, false]);
    await assert.rejects(home.otherAddress(), isUnknown);
  }
  await first.settle('http://127.0.0.1:1');
  await assert.rejects(second.otherAddress(), isUnknown);
  await second.settle('http://127.0.0.1:2');
  assert.deepEqual([first.isHere, second.isOnOtherNode], [true, true]);
});

test('a node with its own state has the home from the beginning', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-home-'));
  const engine = await openSqlite({ folder, now: machineTime });
  t.after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });
  const home = homeOf(engine, 'a');
  assert.equal(home.isHere, true);
  assert.equal(await home.otherAddress(), undefined);
});

test('a node learns at once that another one has claimed the home, and serves nothing until it has read the claim', async (t) => {
  const url = await freshUrl();
  const cutter = await openCutter(url);
  const [one, other] = [await openPostgres({ url: cutter.url }), await openPostgres({ url })];
  t.after(async () => {
    await Promise.all([one.close(), other.close()]);
    cutter.close();
  });
  const [first, second] = [homeOf(one, 'a'), homeOf(other, 'b', undefined, true)];
  await first.settle('http://10.0.0.5:1');
  let learnt = 0;
  first.follow(() => learnt++);
  const release = cutter.holdCommits(async () => true); // reading the claim ends with one
  await second.settle('http://10.0.0.6:1');
  await until('the first node does not serve any more', () => !first.isHere);
  assert.equal(first.isOnOtherNode, false);
  await assert.rejects(first.otherAddress(), isUnknown);
  release();
  await until('the first node knows the new place', () => first.isOnOtherNode);
  assert.equal(await first.otherAddress(), 'http://10.0.0.6:1');
  assert.equal(learnt, 1);
});

test('a node that lost the database serves nothing until it has read the claim again', async (t) => {
  const url = await freshUrl();
  const cutter = await openCutter(url);
  const [one, other] = [await openPostgres({ url: cutter.url, heartbeatMs: 50 }), await openPostgres({ url })];
  t.after(async () => {
    await Promise.all([one.close(), other.close()]);
    cutter.close();
  });
  const [first, second] = [homeOf(one, 'a'), homeOf(other, 'b', undefined, true)];
  await first.settle('http://10.0.0.5:1');
  cutter.freeze(true);
  await second.settle('http://10.0.0.6:1');
  await until('the first node does not serve any more', () => !first.isHere);
  await assert.rejects(first.otherAddress(), isUnknown);
  cutter.freeze(false);
  await until('the first node knows the new place', () => {
    first.otherAddress().catch(() => undefined); // each call has the claim read
    return first.isOnOtherNode;
  });
  assert.equal(await first.otherAddress(), 'http://10.0.0.6:1');
});

test('a claim that is gone, as after a restore, is claimed by the node that is asked', async (t) => {
  const engine = await openPostgres({ url: await freshUrl() });
  t.after(() => engine.close());
  const [first, second] = [homeOf(engine, 'a'), homeOf(engine, 'a')];
  await first.settle('http://127.0.0.1:1');
  await second.settle('http://127.0.0.1:2');
  await engine.apply([{ op: 'remove', table: 'claim', key: { contract: 0, place: 'engine', id: 'metrics' } }]);
  await assert.rejects(second.otherAddress(), isUnknown);
  await until('the second node claims it', () => second.isHere);
  await first.check();
  assert.equal(await first.otherAddress(), 'http://127.0.0.1:2');
});

test('the first node claims the home, the others know its address, and follow it after a restart at another address', async (t) => {
  const machine = await machines(t);
  const [first, second] = [machine('a', 'one'), machine('a')];
  await first.settle('http://127.0.0.1:1');
  await second.settle('http://127.0.0.1:2');
  assert.deepEqual([first.isHere, second.isHere], [true, false]);
  assert.deepEqual([await first.otherAddress(), await second.otherAddress()], [undefined, 'http://127.0.0.1:1']);
  await machine('a', 'one').settle('http://127.0.0.1:3');
  assert.equal(await second.otherAddress(), 'http://127.0.0.1:3');
});

test('a node of another machine that could not reach it does not start, and says which option helps', async (t) => {
  const machine = await machines(t);
  await machine('a', 'one').settle('http://127.0.0.1:1');
  await assert.rejects(machine('b').settle('http://127.0.0.1:1'), (fault: Fault) =>
    /kept by a node on a, .* --node-url/.test(fault.message),
  );
  await machine('a', 'one').settle('http://10.0.0.5:1');
  await machine('b').settle('http://10.0.0.6:1');
});

test('a node that takes over has the home, and the previous one notices', async (t) => {
  const machine = await machines(t);
  const [first, second] = [machine('a'), machine('b', undefined, true)];
  await first.settle('http://10.0.0.5:1');
  await second.settle('http://10.0.0.6:1');
  await first.check();
  await second.check();
  assert.deepEqual([first.isHere, second.isHere], [false, true]);
  assert.equal(await first.otherAddress(), 'http://10.0.0.6:1');
});

test('a shared engine is served by every node, and no node claims it', async (t) => {
  const engine = await openPostgres({ url: await freshUrl() });
  t.after(() => engine.close());
  const options = { name: 'metrics', data: 'metrics', isShared: true, takes: false };
  const tag = { load: () => undefined, save: () => assert.fail('it needs no id') };
  for (const host of ['a', 'b']) {
    const home = new EngineHome(new Store(engine), options, tag, host);
    await home.settle('http://127.0.0.1:1');
    assert.deepEqual([home.isHere, await home.otherAddress()], [true, undefined]);
  }
});

test('calls that can not be forwarded are refused with the address of the node that keeps the data', async (t) => {
  const machine = await machines(t);
  const [first, second] = [machine('a', 'one'), machine('a')];
  await first.settle('http://127.0.0.1:1');
  await second.settle('http://127.0.0.1:2');
  await first.demandHere();
  await assert.rejects(
    second.demandHere(),
    /^Error: The metrics of this region are kept by the node at .*:1\. --metrics/,
  );
});

const here = 's3+http://m:9000/region';

suite('an engine on a separate server', () => {
  async function homes(t: TestContext): Promise<(engine: string) => EngineHome> {
    const state = await openPostgres({ url: await freshUrl() });
    t.after(() => state.close());
    let kept: string | undefined;
    const tag = {
      load: () => kept,
      save: (id: string) => {
        kept = id;
      },
    };
    return (engine) => {
      const isShared = engine.includes('//');
      const options = { name: 'objects', data: 'objects', isShared, engine, takes: engine === 'here' };
      return new EngineHome(new Store(state), options, tag, 'a');
    };
  }

  test('is recorded: a node without it, or with another one, does not start next to others', async (t) => {
    const home = await homes(t);
    const first = home('s3+http://key:secret@m:9000/region?region=x');
    assert.equal(await first.demandSameEngine([]), undefined);
    await first.settle('http://127.0.0.1:1');
    assert.equal(await home('s3+http://other:one@m:9000/region/').demandSameEngine(['node 1']), undefined);
    for (const engine of ['embedded', 'here', 's3+http://key:secret@m:9000/other', 's3+http://k:s@n:9000/region'])
      await assert.rejects(home(engine).demandSameEngine(['node 1']), (fault: Fault) => {
        assert.equal(fault.kind, 'refused');
        assert.match(
          fault.message,
          /^The objects of this region are at s3\+http:\/\/m:9000\/region, but this node was/,
        );
        assert.match(fault.message, /stop all nodes first: another node runs \(node 1\)/);
        return !/secret/.test(fault.message);
      });
    assert.equal(first.isHere, true);
  });

  test('is changed by the first node that starts with the option of another one, but not without an option', async (t) => {
    const home = await homes(t);
    await home('embedded').settle('http://127.0.0.1:1');
    const from = 'kept by a node on a at http://127.0.0.1:1';
    const moved = home(here);
    await assert.rejects(moved.demandSameEngine(['node 1']), {
      message: new RegExp(`objects of this region are ${from}`),
    });
    assert.deepEqual(await moved.demandSameEngine([]), { data: 'objects', from, to: here });
    await moved.settle('http://127.0.0.1:1');
    await assert.rejects(home('embedded').demandSameEngine([]), { message: /with --objects here to leave them there/ });
    const back = home('here');
    assert.deepEqual(await back.demandSameEngine([]), { data: 'objects', from: `at ${here}`, to: 'here' });
    await back.settle('http://127.0.0.1:2');
    assert.equal(back.isHere, true);
    assert.equal(await home('embedded').demandSameEngine([]), undefined);
  });

  test('that was changed while a node was cut off is not used by this node any more, nor is the new one', async (t) => {
    const home = await homes(t);
    const [first, second] = [home(here), home('s3+http://n:9000/region')];
    await first.settle('http://127.0.0.1:1');
    await second.settle('http://127.0.0.1:2');
    await first.check();
    assert.equal(first.isHere, false);
    assert.match(first.conflict ?? '', /are now at s3\+http:\/\/n:9000\/region\. Restart this node with the --objects/);
    await assert.rejects(first.otherAddress(), { kind: 'unavailable', message: first.conflict ?? '' });
    await home(here).settle('http://127.0.0.1:1');
    for (const one of [first, second]) await one.check();
    assert.deepEqual([first.isHere, second.isHere], [true, false]);
    assert.equal(first.conflict, undefined);
  });
});
