// The contract suite on appends: confirmed lines are stored completely and once.
import assert from 'node:assert/strict';
import type { Case } from './case.ts';
import { appended, at, found, jobOf, newTenant, type PushedLine, texts } from './lines.ts';

const app = { app: 'shop', host: 'a' };

export function appendsContract(test: Case): void {
  test('[LOG-06] lines are stored as sent, with labels, nanoseconds and metadata', async (bench) => {
    const tenant = newTenant();
    const lines: PushedLine[] = [
      [1, 'plain'],
      [2, 'größe 字 🙂 "quoted" \\ back\tslash'],
      [3, 'two\nlines'],
      [4, '{"level":"info","n":1}', { trace_id: 'abc', user: 'ü' }],
    ];
    const job = jobOf(tenant, [[app, ...lines]]);
    (job.streams[0]?.times as BigInt64Array)[0] = at(1) + 123_456_789n;
    await appended(bench, job);
    const all = await found(bench, tenant);
    assert.deepEqual(texts(all), texts(lines.map(([seconds, text]) => ({ labels: app, seconds, text }))));
    assert.deepEqual(all[0]?.labels, app);
    assert.equal(all[0]?.seconds, 1.123456789);
    assert.deepEqual(all[3]?.metadata, { trace_id: 'abc', user: 'ü' });
    assert.equal(all[0]?.metadata, undefined);
  });

  test('lines appended in any order are returned in the order of time', async (bench) => {
    const tenant = newTenant();
    await appended(bench, jobOf(tenant, [[app, [5, 'e'], [1, 'a'], [3, 'c']]]));
    await appended(bench, jobOf(tenant, [[app, [4, 'd'], [2, 'b'], [6, 'f']]]));
    assert.deepEqual(texts(await found(bench, tenant)), ['a', 'b', 'c', 'd', 'e', 'f']);
    assert.deepEqual(texts(await found(bench, tenant, { direction: 'backward' })), ['f', 'e', 'd', 'c', 'b', 'a']);
  });

  test('a line with the same time and text as another of its stream is stored once', async (bench) => {
    const tenant = newTenant();
    const other = { ...app, host: 'b' };
    await appended(
      bench,
      jobOf(tenant, [
        [app, [1, 'x'], [1, 'x'], [1, 'y'], [2, 'x']],
        [other, [1, 'x']],
      ]),
    );
    await appended(bench, jobOf(tenant, [[app, [1, 'x'], [3, 'z'], [1, 'y']]]));
    const of = (host: string) => found(bench, tenant, { matchers: [{ name: 'host', operator: '=', value: host }] });
    assert.deepEqual(texts(await of('a')).sort(), ['x', 'x', 'y', 'z']);
    assert.deepEqual(texts(await of('b')), ['x']);
  });

  test('[LOG-04] a repeated chunk is stored once, and confirmed again', async (bench) => {
    const tenant = newTenant();
    const job = jobOf(tenant, [[app, [1, 'once']]], 'chunk-1');
    await Promise.all([bench.writer.append([job]), bench.writer.append([job])]);
    await bench.writer.append([job]);
    // The same chunk name of another pipeline's sender means another chunk.
    const other = newTenant();
    await appended(bench, jobOf(other, [[app, [1, 'other']]], 'chunk-1'));
    assert.deepEqual(texts(await found(bench, tenant)), ['once']);
    assert.deepEqual(texts(await found(bench, other)), ['other']);
  });

  test('many concurrent jobs are all stored', async (bench) => {
    const tenant = newTenant();
    const jobs = Array.from({ length: 60 }, (_, n) =>
      jobOf(tenant, [
        [
          { app: 'shop', n: String(n % 7) },
          ...Array.from({ length: 10 }, (_, k): PushedLine => [n + k / 100, `${n} ${k}`]),
        ],
      ]),
    );
    await Promise.all(jobs.map((job) => bench.writer.append([job])));
    await bench.settle();
    const all = await found(bench, tenant);
    assert.equal(all.length, 600);
    assert.equal(new Set(texts(all)).size, 600);
    for (const [index, { seconds }] of all.entries())
      assert.ok(index === 0 || seconds >= (all[index - 1]?.seconds ?? 0));
  });

  test('a line that is too long is refused, and nothing of its job is stored', async (bench) => {
    const tenant = newTenant();
    const job = jobOf(tenant, [[app, [1, 'short'], [2, 'x'.repeat(256 * 1024 + 1)]]]);
    await assert.rejects(async () => bench.writer.append([job]), { kind: 'refused', message: /at most 262144/ });
    await bench.settle();
    assert.deepEqual(await found(bench, tenant), []);
  });
}
