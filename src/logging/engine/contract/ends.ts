// The contract suite on removal: of old lines, and of all lines of a removed tenant.
import assert from 'node:assert/strict';
import type { Case } from './case.ts';
import { appended, at, equals, found, jobOf, newTenant, selectionOf, texts } from './lines.ts';

const [shop, mail] = [{ app: 'shop' }, { app: 'mail' }];

export function endsContract(test: Case): void {
  test('[LOG-06] streams whose lines are all too old are removed; others stay', async (bench) => {
    const tenant = newTenant();
    await appended(
      bench,
      jobOf(tenant, [
        [shop, [1, 'old'], [2, 'old too']],
        [mail, [1, 'of others'], [2, 'too']],
      ]),
    );
    await bench.writer.prune(tenant, [equals('app', 'shop')], at(10));
    await bench.settle();
    assert.deepEqual(texts(await found(bench, tenant)), ['of others', 'too']);
    assert.deepEqual(await bench.reader.series([selectionOf(tenant)]), [mail]);
    await appended(bench, jobOf(tenant, [[shop, [20, 'new']]]));
    assert.deepEqual(texts(await found(bench, tenant)), ['of others', 'too', 'new']);
  });

  test('only old lines are pruned', async (bench) => {
    const tenant = newTenant();
    await appended(bench, jobOf(tenant, [[shop, [11, 'a'], [12, 'b']]]));
    await bench.writer.prune(tenant, [], at(10));
    await bench.settle();
    assert.deepEqual(texts(await found(bench, tenant)), ['a', 'b']);
  });

  test('[LOG-08] a dropped tenant has no lines, and can start again', async (bench) => {
    const [tenant, other] = [newTenant(), newTenant()];
    await appended(bench, jobOf(tenant, [[shop, [1, 'mine']]]), jobOf(other, [[shop, [1, 'other']]]));
    await bench.writer.drop(tenant);
    await bench.settle();
    assert.deepEqual(await found(bench, tenant), []);
    assert.deepEqual(await bench.reader.names(selectionOf(tenant)), []);
    assert.deepEqual(texts(await found(bench, other)), ['other']);
    await appended(bench, jobOf(tenant, [[shop, [2, 'again']]]));
    assert.deepEqual(texts(await found(bench, tenant)), ['again']);
  });

  test('background work does not change search results', async (bench) => {
    const tenant = newTenant();
    for (let n = 0; n < 12; n++) await appended(bench, jobOf(tenant, [[shop, [n, `line ${n}`]]]));
    while (await bench.writer.tidy());
    await bench.settle();
    const expected = Array.from({ length: 12 }, (_, n) => `line ${n}`);
    assert.deepEqual(texts(await found(bench, tenant)), expected);
    const { appendedLines = 12 } = await bench.writer.figures();
    assert.equal(appendedLines, 12);
  });
}
