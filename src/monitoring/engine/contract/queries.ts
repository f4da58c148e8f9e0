// The contract suite on queries: the series that a matcher selects, and lists of names, values and series.
import assert from 'node:assert/strict';
import type { Matcher, MatchOp } from '../../series.ts';
import type { Case, MetricBench } from './case.ts';
import { base, found, labelsOf, named, newTenant, type PushedSeries, pushed, selectionOf, textOf } from './pushes.ts';

const series: Record<string, string>[] = [
  { __name__: 'http_requests', code: '200', job: 'api', path: '/a' },
  { __name__: 'http_requests', code: '404', job: 'api', path: '/a' },
  { __name__: 'http_requests', code: '500', job: 'web' },
  { __name__: 'up', job: 'api' },
  { __name__: 'up', job: 'web', über: 'größe "x" \\ \n' },
];

const pushes: PushedSeries[] = series.map((labels, at) => [labels, [base, at]]);

async function filled(bench: MetricBench): Promise<string> {
  const tenant = newTenant();
  await pushed(bench, newTenant(), [[{ __name__: 'other', secret: 'label' }, [base, 1]]]);
  await pushed(bench, tenant, pushes);
  return tenant;
}

const matcher = (name: string, op: MatchOp, value: string): Matcher => ({ name, op, value });

export function queriesContract(test: Case): void {
  const cases: [title: string, matchers: Matcher[], expected: number[]][] = [
    ['a name', [named('up')], [3, 4]],
    ['a label', [matcher('job', '=', 'api')], [0, 1, 3]],
    ['a name and labels', [named('http_requests'), matcher('job', '=', 'api'), matcher('code', '=', '404')], [1]],
    ['another value', [named('http_requests'), matcher('code', '!=', '200')], [1, 2]],
    ['a different value matches series without the label', [matcher('path', '!=', '/a')], [2, 3, 4]],
    ['the empty value matches series without the label', [matcher('path', '=', '')], [2, 3, 4]],
    ['not the empty value', [matcher('path', '!=', '')], [0, 1]],
    ['a pattern', [matcher('code', '=~', '[45]0.')], [1, 2]],
    ['a pattern matches whole values', [matcher('code', '=~', '0')], []],
    ['a list', [matcher('code', '=~', '200|500')], [0, 2]],
    ['a pattern that also matches nothing', [named('http_requests'), matcher('path', '=~', '|/b')], [2]],
    ['a negated pattern', [named('http_requests'), matcher('code', '!~', '4..|5..')], [0]],
    ['everything', [matcher('job', '=~', '.*')], [0, 1, 2, 3, 4]],
    ['two matchers of one label', [matcher('code', '=~', '2..|4..'), matcher('code', '!=', '200')], [1]],
    ['a label that no series has', [matcher('nobody', '=', 'x')], []],
    ['a value that no series has', [matcher('job', '=', 'nobody')], []],
    ['quotes, line ends and letters of any kind', [matcher('__name__', '=~', 'up'), matcher('job', '=', 'web')], [4]],
  ];
  for (const [title, matchers, expected] of cases) {
    test(`matchers: ${title}`, async (bench) => {
      const tenant = await filled(bench);
      assert.deepEqual(
        await found(bench, selectionOf(tenant, matchers)),
        expected.map((at) => pushes[at]),
      );
    });
  }
  names(test);
  descriptions(test);
}

function names(test: Case): void {
  const sorted = (texts: readonly string[]): string[] => texts.toSorted();

  test('series are listed once, whichever selections match them', async (bench) => {
    const tenant = await filled(bench);
    const selections = [selectionOf(tenant, [named('up')]), selectionOf(tenant, [matcher('job', '=', 'web')])];
    const texts = (await bench.reader.series(selections)).map((labels) => JSON.stringify(labels));
    const expected = [2, 3, 4].map((at) => JSON.stringify(labelsOf(series[at] as Record<string, string>)));
    assert.deepEqual(sorted(texts), sorted(expected));
  });

  test('names of labels are listed, for all and for some series', async (bench) => {
    const tenant = await filled(bench);
    const { reader } = bench;
    assert.deepEqual(await reader.names([selectionOf(tenant)]), ['__name__', 'code', 'job', 'path', 'über']);
    assert.deepEqual(await reader.names([selectionOf(tenant, [matcher('code', '=', '500')])]), [
      '__name__',
      'code',
      'job',
    ]);
    assert.deepEqual(await reader.names([selectionOf(newTenant())]), []);
  });

  test('values of a label are listed, for all and for some series', async (bench) => {
    const tenant = await filled(bench);
    const { reader } = bench;
    assert.deepEqual(await reader.values('__name__', [selectionOf(tenant)]), ['http_requests', 'up']);
    assert.deepEqual(await reader.values('code', [selectionOf(tenant, [matcher('job', '=', 'api')])]), ['200', '404']);
    assert.deepEqual(
      await reader.values('code', [
        selectionOf(tenant, [matcher('job', '=', 'web')]),
        selectionOf(tenant, [matcher('code', '=', '200')]),
      ]),
      ['200', '500'],
    );
    assert.deepEqual(await reader.values('secret', [selectionOf(tenant)]), []);
    assert.deepEqual(await reader.values('code', [selectionOf(newTenant())]), []);
  });
}

function descriptions(test: Case): void {
  const text = (help: string): string =>
    `# HELP requests_total ${help}\n# TYPE requests_total counter\nrequests_total 1\n# TYPE level gauge\nlevel 2\n`;

  test('the newest metadata of metrics is listed', async (bench) => {
    const tenant = newTenant();
    await bench.writer.append([textOf(tenant, text('First.'))]);
    await bench.writer.append([textOf(tenant, text('All requests: "good" and bad.'), base + 1000)]);
    await bench.settle();
    const described = await bench.reader.described(tenant);
    assert.deepEqual(
      described.map(({ type, help }) => [type, help]),
      [
        ['gauge', ''],
        ['counter', 'All requests: "good" and bad.'],
      ],
    );
    assert.deepEqual(await bench.reader.described(newTenant()), []);
  });
}
