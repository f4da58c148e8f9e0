// Where an embedded engine is at home, among nodes of several machines.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Fault } from '../../base/fault.ts';
import { freshUrl } from '../../testing/postgres.ts';
import { openPostgres } from '../state/postgres/engine.ts';
import { Store } from '../store.ts';
import { EngineHome } from './engine-home.ts';

async function machines(t: TestContext): Promise<(host: string, id?: string) => EngineHome> {
  const engine = await openPostgres({ url: await freshUrl() });
  t.after(() => engine.close());
  return (host, id) => {
    let kept = id;
    const tag = {
      load: () => kept,
      save: (given: string) => {
        kept = given;
      },
    };
    return new EngineHome(new Store(engine), 'metrics', tag, host);
  };
}

test('the first that comes has it, the others know where, and a restart elsewhere is followed', async (t) => {
  const machine = await machines(t);
  const [first, second] = [machine('a', 'one'), machine('a')];
  await first.settle('http://127.0.0.1:1');
  await second.settle('http://127.0.0.1:2');
  assert.deepEqual([first.isHere, second.isHere], [true, false]);
  assert.deepEqual([await first.elsewhere(), await second.elsewhere()], [undefined, 'http://127.0.0.1:1']);
  await machine('a', 'one').settle('http://127.0.0.1:3');
  assert.equal(await second.elsewhere(), 'http://127.0.0.1:3');
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

test('who takes it has it, and who had it notices', async (t) => {
  const machine = await machines(t);
  const [first, second] = [machine('a'), machine('b')];
  await first.settle('http://10.0.0.5:1');
  await second.settle('http://10.0.0.6:1', true);
  await first.check();
  await second.check();
  assert.deepEqual([first.isHere, second.isHere], [false, true]);
  assert.equal(await first.elsewhere(), 'http://10.0.0.6:1');
});
