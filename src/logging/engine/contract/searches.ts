// The contract suite on searches: which lines they return, in which order, and that they end.
import assert from 'node:assert/strict';
import type { Labels, LineSelection, Matcher } from '../engine.ts';
import type { Case, LogBench } from './case.ts';
import { appended, at, found, jobOf, newTenant, type PushedLine, selectionOf, texts } from './lines.ts';

const streams: Labels[] = [
  { app: 'shop', env: 'prod', code: '200' },
  { app: 'shop', env: 'test', code: '404' },
  { app: 'mail', env: 'prod' },
  { app: 'größe "x"', env: 'prod', code: '500' },
];

async function filled(bench: LogBench): Promise<string> {
  const tenant = newTenant();
  await appended(bench, jobOf(newTenant(), [[{ app: 'shop' }, [0, 'of another tenant']]]));
  await appended(
    bench,
    jobOf(
      tenant,
      streams.map((labels, index) => [labels, [index, `line ${index}`]] as const),
    ),
  );
  return tenant;
}

const matcher = (name: string, operator: Matcher['operator'], value: string): Matcher => ({ name, operator, value });
const any = matcher('app', '=~', '.+');

export function searchesContract(test: Case): void {
  const cases: [title: string, matchers: Matcher[], expected: number[]][] = [
    ['a label', [matcher('app', '=', 'shop')], [0, 1]],
    ['two labels', [matcher('app', '=', 'shop'), matcher('env', '=', 'test')], [1]],
    ['a different value matches streams without the label', [any, matcher('code', '!=', '200')], [1, 2, 3]],
    ['the empty value matches streams without the label', [any, matcher('code', '=', '')], [2]],
    ['a pattern matches whole values', [matcher('code', '=~', '4.')], []],
    ['a pattern', [matcher('code', '=~', '4..|500')], [1, 3]],
    ['a negated pattern', [any, matcher('code', '!~', '4..|500')], [0, 2]],
    ['a pattern that also matches nothing', [any, matcher('code', '=~', '|200')], [0, 2]],
    ['quotes and letters of any kind', [matcher('app', '=', 'größe "x"')], [3]],
    ['a value that no stream has', [matcher('app', '=', 'nobody')], []],
  ];
  for (const [title, matchers, expected] of cases) {
    test(`matchers: ${title}`, async (bench) => {
      const tenant = await filled(bench);
      assert.deepEqual(
        (await found(bench, tenant, { matchers })).map(({ labels }) => labels),
        expected.map((index) => streams[index]),
      );
    });
  }

  test('a range includes its first time and excludes its last', async (bench) => {
    const tenant = newTenant();
    await appended(bench, jobOf(tenant, [[{ app: 'a' }, [1, 'one'], [2, 'two'], [3, 'three'], [4, 'four']]]));
    const between = { fromNs: at(2), toNs: at(4) };
    assert.deepEqual(texts(await found(bench, tenant, between)), ['two', 'three']);
    assert.deepEqual(texts(await found(bench, tenant, { ...between, direction: 'backward' })), ['three', 'two']);
    assert.deepEqual(await found(bench, tenant, { fromNs: at(2.5), toNs: at(2.6) }), []);
  });

  test('lines that contain all given words, parts of words and signs', async (bench) => {
    const tenant = newTenant();
    const lines: PushedLine[] = [
      [1, 'GET /orders/4711 failed: "timeout"'],
      [2, 'GET /orders/4712 ok'],
      [3, 'POST /orders/4711 ok GET'],
      [4, 'größe=字'],
    ];
    await appended(bench, jobOf(tenant, [[{ app: 'a' }, ...lines]]));
    const has = async (...contains: string[]) =>
      (await found(bench, tenant, { contains })).map(({ seconds }) => seconds);
    assert.deepEqual(await has('4711'), [1, 3]);
    assert.deepEqual(await has('rders/471'), [1, 2, 3]);
    assert.deepEqual(await has('GET', '4711'), [1, 3]);
    assert.deepEqual(await has('ok', '4711'), [3]);
    assert.deepEqual(await has('"timeout"'), [1]);
    assert.deepEqual(await has('get'), []);
    assert.deepEqual(await has('öße=字'), [4]);
    assert.deepEqual(await has('ok\nPOST'), [], 'not across two lines');
    assert.deepEqual(await has(''), [1, 2, 3, 4]);
  });

  test('[LOG-06] pieces are ordered across all streams, in both directions', async (bench) => {
    const tenant = newTenant();
    const lines = 300;
    for (let part = 0; part < 3; part++)
      await bench.writer.append(
        ['a', 'b', 'c'].map((app, stream) =>
          jobOf(tenant, [
            [
              { app },
              ...Array.from(
                { length: lines },
                (_, n): PushedLine => [part * 100 + (n * 3 + stream) / 5, `${app} ${part} ${n}`],
              ),
            ],
          ]),
        ),
      );
    await bench.settle();
    for (const direction of ['forward', 'backward'] as const) {
      const sign = direction === 'forward' ? 1n : -1n;
      let [count, last] = [0, direction === 'forward' ? 0n : -(2n ** 62n)];
      for await (const piece of bench.reader.select({ ...selectionOf(tenant), direction })) {
        let latest = last;
        for (const { times } of piece) {
          let before = last;
          for (const time of times) {
            assert.ok(sign * time >= before, 'a line is before one of an earlier piece');
            before = sign * time;
          }
          count += times.length;
          if (before > latest) latest = before;
        }
        last = latest;
      }
      assert.equal(count, 9 * lines);
    }
  });

  test('a search ends with its iteration, and by its signal', async (bench) => {
    const tenant = newTenant();
    const lines = Array.from({ length: 500 }, (_, n): PushedLine => [n, `line ${n}`]);
    await appended(bench, jobOf(tenant, [[{ app: 'a' }, ...lines]]));
    const backward: LineSelection = { ...selectionOf(tenant), direction: 'backward' };
    for await (const [first] of bench.reader.select(backward)) {
      assert.equal(first?.lines[0], 'line 499');
      break;
    }
    const leaving = AbortSignal.abort(new Error('the client left'));
    await assert.rejects(async () => {
      for await (const _ of bench.reader.select({ ...backward, signal: leaving }));
    }, /the client left/);
  });
}
