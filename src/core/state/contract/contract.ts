// The contract suite that every state engine must pass. It knows no engine: everything is awaited, and a test that an
// engine can't pass is excused by a reason in `except`.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { countsOf } from '../dump/dump.ts';
import type { StateEngine, WriteSet } from '../engine.ts';
import { stateFigures } from '../figures.ts';
import { dumpsContract } from './dumps.ts';
import { type Case, holds, isUnavailable, put, row } from './samples.ts';
import { scansContract } from './scans.ts';
import { setsContract } from './write-sets.ts';

export interface ContractOptions {
  // Lets that much of the store's own time pass: moves an injected clock, or waits.
  pass: (ms: number) => Promise<void>;
  except?: Record<string, string>; // title: the reason
}

export type Open = (folder: string) => Promise<StateEngine>;

export function stateContract(name: string, open: Open, options: ContractOptions): void {
  const test: Case = (title, run) => {
    it(title, { skip: options.except?.[title] ?? false }, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'state-'));
      const state = await open(folder);
      try {
        await run(state, folder);
      } finally {
        await state.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
  };
  describe(`${name}: rows in key order`, () => scansContract(test));
  describe(`${name}: write sets`, () => setsContract(test));
  describe(`${name}: dumps`, () => dumpsContract(test, open));
  describe(`${name}: leases, reopening, closing`, () => {
    leases(test, options.pass);
    reopening(test, open);
    remembering(test);
    closing(test);
  });
}

const longMs = 60_000; // a lease that does not end during a test, however busy the machine is

function leases(test: Case, pass: ContractOptions['pass']): void {
  test('a lease is taken, renewed and refused to another', async (state) => {
    assert.equal(await state.lease('runner', 'A', longMs), true);
    assert.equal(await state.lease('runner', 'B', longMs), false);
    assert.equal(await state.lease('runner', 'A', longMs), true);
    assert.equal(await state.lease('other', 'B', longMs), true);
    assert.equal(await state.lease('other', 'A', longMs), false);
  });

  test('a lease that ran out is taken over, and its old holder is refused', async (state) => {
    assert.equal(await state.lease('runner', 'A', 100), true);
    assert.equal(await state.lease('other', 'A', longMs), true);
    await pass(200);
    assert.equal(await state.lease('other', 'B', longMs), false);
    assert.equal(await state.lease('runner', 'B', longMs), true);
    assert.equal(await state.lease('runner', 'A', longMs), false);
  });

  test('a renewed lease counts from its renewal', async (state) => {
    assert.equal(await state.lease('runner', 'A', 100), true);
    assert.equal(await state.lease('runner', 'A', longMs), true);
    await pass(200);
    assert.equal(await state.lease('runner', 'B', longMs), false);
    assert.equal(await state.lease('runner', 'A', 100), true);
    await pass(200);
    assert.equal(await state.lease('runner', 'B', longMs), true);
  });

  test('a lease that is given back is free at once, and only its holder gives it back', async (state) => {
    assert.equal(await state.lease('runner', 'A', 60_000), true);
    assert.equal(await state.lease('runner', 'B', 0), false);
    assert.equal(await state.lease('runner', 'B', 1000), false);
    assert.equal(await state.lease('runner', 'A', 0), true);
    assert.equal(await state.lease('runner', 'B', 1000), true);
  });

  test('leases are listed by their beginning, with the time that is left', async (state) => {
    for (const [name, holder, ms] of [
      ['node B', 'B', 60_000],
      ['node A', 'A', 100],
      ['nodf', 'C', 60_000],
    ] as const)
      await state.lease(name, holder, ms);
    await pass(200);
    const found = await state.leases('node ');
    assert.deepEqual(
      found.map(({ name, holder }) => [name, holder]),
      [
        ['node A', 'A'],
        ['node B', 'B'],
      ],
    );
    assert.ok((found[0]?.leftMs ?? 1) <= 0 && (found[1]?.leftMs ?? 0) > 50_000, JSON.stringify(found));
  });

  test('of many that ask for a lease at once, one has it', async (state) => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => state.lease('runner', `H${at}`, 5000)));
    assert.equal(answers.filter(Boolean).length, 1);
  });
}

function reopening(test: Case, open: Open): void {
  test('a state that is opened again has its rows, counters, numbers, times and leases', async (state, folder) => {
    const body = '{"name":"für 東京 😀","text":"line\\nline"}';
    await put(state, 'resource', row(7, 'p', 'a', { meta: '{"m":1}', body, hidden: '{"h":1}' }));
    await holds(state, [{ op: 'count', contract: 7, name: 'cores', add: 5 }]);
    await holds(state, [{ op: 'append', table: 'activity', row: row(7, 'log', '', { time: 5000 }) }]);
    await state.lease('runner', 'A', 60_000);
    const before = await state.get('resource', 7, 'p', 'a');
    await state.close();

    const again = await open(folder);
    try {
      assert.deepEqual(await again.get('resource', 7, 'p', 'a'), before);
      assert.equal(before?.body, body);
      assert.deepEqual(await again.counters(7), new Map([['cores', 5]]));
      const appended = await holds(again, [{ op: 'append', table: 'activity', row: row(7, 'log', '', { time: 1 }) }]);
      assert.deepEqual(appended, ['000000000002']);
      assert.equal((await again.get('activity', 7, 'log', '000000000002'))?.time, 5000);
      assert.equal(await again.lease('runner', 'B', 1000), false);
    } finally {
      await again.close();
    }
  });
}

function remembering(test: Case): void {
  test('the current text changes with every commit, and with nothing that was acknowledged before', async (state) => {
    const seen = new Set<string>();
    const changes: WriteSet[] = [
      [{ op: 'insert', table: 'resource', row: row(1, 'p', 'a') }],
      [{ op: 'update', table: 'resource', row: row(1, 'p', 'a', { body: '2' }) }],
      [{ op: 'count', contract: 1, name: 'cores', add: 1 }],
      [{ op: 'append', table: 'activity', row: row(1, 'log', '') }],
      [{ op: 'remove', table: 'resource', key: { contract: 1, place: 'p', id: 'a' } }],
    ];
    for (const set of changes) {
      seen.add(await state.current());
      await holds(state, set);
    }
    seen.add(await state.current());
    assert.equal(seen.size, changes.length + 1);
  });

  test('the current text stays the same while nothing is committed', async (state) => {
    await put(state, 'resource', row(1, 'p', 'a'));
    // Other users of the same server may commit: then it changes, but not each time.
    const same = async (): Promise<boolean> => {
      const before = await state.current();
      await state.get('resource', 1, 'p', 'a');
      await state.range('resource', { contract: 1, place: 'p', limit: 9 });
      return (await state.current()) === before;
    };
    let found = false;
    for (let tries = 0; tries < 20 && !found; tries++) found = await same();
    assert.ok(found);
  });

  test('what is remembered with the current text is never old', async (state) => {
    await put(state, 'resource', row(1, 'p', 'a'));
    let acknowledged = 1;
    let writing = true;
    const remembered = { text: '', version: 0 };
    const look = async (): Promise<number> => {
      const text = await state.current();
      if (remembered.text === text) return remembered.version;
      const version = (await state.get('resource', 1, 'p', 'a'))?.version ?? 0;
      Object.assign(remembered, { text, version });
      return version;
    };
    const reader = async (): Promise<void> => {
      while (writing) {
        // not a wait: it reads
        const least = acknowledged;
        const found = await look();
        assert.ok(found >= least, `${found} was read when ${least} was acknowledged`);
        await new Promise(setImmediate);
      }
    };
    const readers = Array.from({ length: 10 }, reader);
    for (let version = 1; version <= 50; version++) {
      await holds(state, [{ op: 'update', table: 'resource', row: row(1, 'p', 'a', { version }) }]);
      acknowledged = version + 1;
    }
    writing = false;
    await Promise.all(readers);
  });
}

function closing(test: Case): void {
  test('closing waits for the sets that were handed in', async (state) => {
    const outcomes = Array.from({ length: 20 }, (_, at) => put(state, 'resource', row(1, 'p', `r${at}`)));
    await state.close();
    assert.equal((await Promise.all(outcomes)).length, 20);
  });

  test('a closed store answers unavailable, and can be closed twice', async (state) => {
    await state.close();
    await state.close();
    await assert.rejects(state.get('resource', 1, 'p', 'a'), isUnavailable);
    await assert.rejects(state.range('resource', { contract: 1, place: 'p', limit: 1 }), isUnavailable);
    await assert.rejects(state.counters(1), isUnavailable);
    await assert.rejects(state.apply([]), isUnavailable);
    await assert.rejects(state.lease('runner', 'A', 1), isUnavailable);
    await assert.rejects(countsOf(state.dump()), isUnavailable);
    await assert.rejects(state.load(state.dump(), true), isUnavailable);
  });

  test('watching can be ended, and figures are numbers', async (state) => {
    state.watch('identity', () => {})();
    await put(state, 'resource', row(1, 'p', 'a'));
    const figures = state.figures();
    for (const name of ['commits', 'syncs', 'sets'] as const) assert.ok((figures[name] ?? 0) > 0, name);
    for (const name of Object.keys(figures)) assert.ok(Object.hasOwn(stateFigures, name), `${name} is declared`);
  });
}
