// The contract suite on index queries: series, names, values, statistics.
import assert from 'node:assert/strict';
import type { Labels, Matcher } from '../engine.ts';
import type { Case, LogBench } from './case.ts';
import { appended, at, equals, jobOf, newTenant, selectionOf } from './lines.ts';

const streams: Labels[] = [
  { app: 'shop', env: 'prod' },
  { app: 'shop', env: 'test', zone: 'a' },
  { app: 'mail', env: 'prod' },
];

async function filled(bench: LogBench): Promise<string> {
  const tenant = newTenant();
  await appended(bench, jobOf(newTenant(), [[{ app: 'secret', hidden: 'x' }, [0, 'of another tenant']]]));
  await appended(
    bench,
    jobOf(
      tenant,
      streams.map((labels, index) => [labels, [index * 100, `line ${index}`]] as const),
    ),
  );
  return tenant;
}

const sorted = (all: readonly Labels[]): string[] =>
  all.map((labels) => JSON.stringify(Object.entries(labels).sort())).sort();

export function indexContract(test: Case): void {
  test('[LOG-06] the series of several selections, each once', async (bench) => {
    const tenant = await filled(bench);
    const [shop, prod] = [equals('app', 'shop'), equals('env', 'prod')].map((one) =>
      selectionOf(tenant, { matchers: [one] }),
    );
    assert.ok(shop && prod);
    assert.deepEqual(sorted(await bench.reader.series([shop])), sorted(streams.slice(0, 2)));
    assert.deepEqual(sorted(await bench.reader.series([shop, prod])), sorted(streams));
  });

  test('[LOG-06] names and values of labels, sorted', async (bench) => {
    const tenant = await filled(bench);
    assert.deepEqual(await bench.reader.names(selectionOf(tenant)), ['app', 'env', 'zone']);
    assert.deepEqual(await bench.reader.values('env', selectionOf(tenant)), ['prod', 'test']);
    const ofMail = selectionOf(tenant, { matchers: [equals('app', 'mail')] });
    assert.deepEqual(await bench.reader.names(ofMail), ['app', 'env']);
    assert.deepEqual(await bench.reader.values('app', ofMail), ['mail']);
    assert.deepEqual(await bench.reader.values('nobody', selectionOf(tenant)), []);
  });

  test('a label named like a JavaScript property is absent', async (bench) => {
    const tenant = await filled(bench);
    assert.deepEqual(await bench.reader.values('constructor', selectionOf(tenant)), []);
    const app: Matcher = { name: 'app', operator: '=~', value: '.+' };
    const without = (matcher: Omit<Matcher, 'name'>) =>
      bench.reader.series([selectionOf(tenant, { matchers: [app, { name: 'toString', ...matcher }] })]);
    assert.equal((await without({ operator: '=', value: '' })).length, 3);
    assert.equal((await without({ operator: '!~', value: '[a-z]+.*' })).length, 3);
  });

  test('only streams with lines in the range count', async (bench) => {
    const tenant = await filled(bench);
    const late = selectionOf(tenant, { fromNs: at(150), toNs: at(250) });
    assert.deepEqual(await bench.reader.series([late]), [streams[2]]);
    assert.deepEqual(await bench.reader.values('app', late), ['mail']);
  });

  test('statistics count streams, lines and bytes', async (bench) => {
    const tenant = await filled(bench);
    const { streams: count, entries, bytes } = await bench.reader.stats(selectionOf(tenant));
    assert.deepEqual({ count, entries, bytes }, { count: 3, entries: 3, bytes: 3 * 'line 0'.length });
    const none = await bench.reader.stats(selectionOf(newTenant()));
    assert.deepEqual([none.streams, none.entries], [0, 0]);
  });
}
