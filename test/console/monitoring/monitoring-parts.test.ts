// The models of dashboards: units, default expressions, ranges and steps, lines and their names, and panels from files.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { takeOver } from '../../../console/monitoring/dashboard/browser-dashboard.ts';
import { panelsIn, textOf } from '../../../console/monitoring/dashboard/dashboard-file.ts';
import { placeOf, plainProblem, queriesFor, selectorOf } from '../../../console/monitoring/explorer/expression.ts';
import { firstExplored, type MetricType, metricsOf, searched } from '../../../console/monitoring/explorer/metrics.ts';
import type { PanelSettings } from '../../../console/monitoring/plot/panel-settings.ts';
import { plotOf } from '../../../console/plot/plot.ts';
import { formatValue, type Unit, unitOf } from '../../../console/plot/units.ts';
import { addressed, axisTimes, moved, rangeIn, spanOf, stepOf, widened } from '../../../console/time/time-range.ts';

const metric = (name: string, type: MetricType) => ({ name, type, help: '' });
const chosen = (name: string, type: MetricType, by = '') => ({ metric: metric(name, type), filters: [], by });

suite('numbers of dashboards', () => {
  test('have a unit by the name of their metric and by what the expression does with it', () => {
    const wanted: [expression: string, unit: Unit][] = [
      ['up', 'number'],
      ['memory_bytes{job="a_seconds"}', 'bytes'],
      ['process_start_timestamp_seconds', 'time'],
      ['sum by (code_seconds) (rate(requests_total[5m]))', 'rate'],
      ['sum(rate(sent_bytes_total[5m]))', 'byteRate'],
      ['rate(cpu_seconds_total[1m])', 'number'],
      ['increase(cpu_seconds_total[1m])', 'seconds'],
      ['histogram_quantile(0.9, sum by (le) (rate(request_seconds_bucket[5m])))', 'seconds'],
      ['rate(request_seconds_count[5m])', 'rate'],
      ['rate(request_seconds_sum[5m]) / rate(request_seconds_count[5m])', 'number'],
      ['count(memory_bytes)', 'number'],
      ['a_bytes + b_seconds', 'number'],
      ['max_over_time(temperature_celsius[1h]) # of _bytes', 'celsius'],
      ['a_bytes offset 5m', 'bytes'],
      ['hit_ratio', 'ratio'],
      ['instance_cpu_utilization_average', 'percent'],
    ];
    for (const [expression, unit] of wanted) assert.equal(unitOf(expression), unit, expression);
  });

  test('are short and precise', () => {
    const wanted: [value: number, unit: Unit, text: string][] = [
      [0, 'number', '0'],
      [42, 'number', '42'],
      [0.123456, 'number', '0.1235'],
      [12345.67, 'number', '12,345.7'],
      [1_234_567, 'number', '1.235 M'],
      [0.0000012, 'number', '1.20e-6'],
      [-3e9, 'number', '-3 G'],
      [2.5, 'rate', '2.5/s'],
      [0, 'bytes', '0 B'],
      [1536, 'bytes', '1.5 KiB'],
      [2 ** 31, 'byteRate', '2 GiB/s'],
      [0.25, 'seconds', '250 ms'],
      [0.0000025, 'seconds', '2.5 µs'],
      [90, 'seconds', '90 s'],
      [600, 'seconds', '10 min'],
      [86_400 * 3, 'seconds', '3 d'],
      [250, 'milliseconds', '250 ms'],
      [0.5, 'ratio', '50 %'],
      [50, 'percent', '50 %'],
      [21.5, 'celsius', '21.5 °C'],
      [Number.NaN, 'bytes', 'NaN'],
      [Number.POSITIVE_INFINITY, 'seconds', '+Inf'],
    ];
    for (const [value, unit, text] of wanted) assert.equal(formatValue(value, unit), text);
  });
});

suite('metrics to choose from', () => {
  test('have the pushed types and helps, or the type that the name suggests; the buckets of a histogram are one choice', () => {
    const described = { type: 'histogram', help: 'How long', unit: '' } as const;
    const found = metricsOf(
      [
        'jobs_total',
        'open_count',
        'took_bucket',
        'took_count',
        'took_sum',
        'temp',
        'wait_bucket',
        'wait_count',
        'constructor',
      ],
      {
        took: [described],
        jobs: [{ type: 'counter', help: 'Jobs', unit: '' }],
        temp: [{ type: 'gauge', help: 'Warmth', unit: '' }],
      },
    );
    assert.deepEqual(found, [
      { name: 'constructor', type: 'unknown', help: '' },
      { name: 'jobs_total', type: 'counter', help: 'Jobs' },
      { name: 'open_count', type: 'unknown', help: '' },
      { name: 'temp', type: 'gauge', help: 'Warmth' },
      { name: 'took', type: 'histogram', help: 'How long' },
      { name: 'took_count', type: 'counter', help: 'How long' },
      { name: 'took_sum', type: 'counter', help: 'How long' },
      { name: 'wait', type: 'histogram', help: '' },
      { name: 'wait_count', type: 'counter', help: '' },
    ]);
  });

  test('are found by all words, in the name before the help', () => {
    const all = [
      { name: 'b_http_total', type: 'counter', help: '' },
      { name: 'other', type: 'gauge', help: 'HTTP requests' },
      { name: 'http_a', type: 'gauge', help: '' },
    ] as const;
    assert.deepEqual(
      searched(all, 'HTTP', 10).map(({ name }) => name),
      ['http_a', 'b_http_total', 'other'],
    );
    assert.deepEqual(
      searched(all, 'total http', 10).map(({ name }) => name),
      ['b_http_total'],
    );
    assert.equal(searched(all, '', 2).length, 2);
  });

  test('begin with one that clients push', () => {
    const first = (...names: string[]): string | undefined => firstExplored(metricsOf(names, {}))?.name;
    assert.equal(first('ALERTS', 'ALERTS_FOR_STATE', 'job:errors:rate5m', 'up', 'uploads_total'), 'uploads_total');
    assert.equal(first('ALERTS'), 'ALERTS');
    assert.equal(first(), undefined);
  });

  test('have an expression that makes sense for their type', () => {
    const first = (name: string, type: MetricType, by = ''): string | undefined =>
      queriesFor(chosen(name, type, by))[0]?.expression;
    assert.equal(first('jobs_total', 'counter'), 'sum(rate(jobs_total[5m]))');
    assert.equal(first('jobs_total', 'counter', 'job'), 'sum by (job) (rate(jobs_total[5m]))');
    assert.equal(first('temp', 'gauge'), 'temp');
    assert.equal(first('temp', 'unknown', 'room'), 'avg by (room) (temp)');
    const quantiles = queriesFor(chosen('took', 'histogram', 'http.route'));
    assert.deepEqual(quantiles[1], {
      expression: 'histogram_quantile(0.9, sum by (le, "http.route") (rate(took_bucket[5m])))',
      legend: 'p90 {{http.route}}',
    });
    assert.equal(quantiles.length, 3);
    assert.doesNotMatch(first('took', 'gaugehistogram') ?? '', /rate/);
  });

  test('are queried with labels of any text', () => {
    const filters = [
      { label: 'job', operator: '=~', value: 'a\\d"\n' },
      { label: 'http.code', operator: '!=', value: '' },
    ] as const;
    assert.equal(selectorOf({ metric: metric('up', 'gauge'), filters }), 'up{job=~"a\\\\d\\"\\n", "http.code"!=""}');
    assert.equal(selectorOf({ metric: metric('http.up', 'gauge'), filters: [] }), '{"http.up"}');
  });

  test('problems of an expression are shown at their place', () => {
    const place = placeOf('sum(\n  rate(up)\n)', 'invalid parameter "query": 2:8: parse error: expected a range');
    assert.deepEqual(place, { line: '  rate(up)', from: 7, to: 9 });
    assert.deepEqual(placeOf('sum(', '1:5: parse error: unexpected end of input'), { line: 'sum(', from: 4, to: 4 });
    assert.equal(placeOf('up', 'query timed out'), undefined);
    assert.equal(plainProblem('invalid parameter "query": 2:8: parse error: expected a range'), 'expected a range');
  });
});

suite('time of dashboards', () => {
  test('follows the given time, and moves by half', () => {
    assert.deepEqual(spanOf({ lastS: 900 }, 5000), { fromS: 4100, toS: 5000 });
    assert.deepEqual(spanOf({ fromS: 1, toS: 2 }, 5000), { fromS: 1, toS: 2 });
    assert.deepEqual(moved({ fromS: 100, toS: 200 }, -1), { fromS: 50, toS: 150 });
    assert.deepEqual(widened({ fromS: 100, toS: 200 }), { fromS: 50, toS: 250 });
  });

  test('comes in steps that the width can show, and never in too many', () => {
    const day = 86_400;
    for (const [lengthS, width, step] of [
      [900, 900, 5],
      [3600, 900, 15],
      [day, 900, 300],
      [30 * day, 900, 21_600],
      [30 * day, 300, 43_200],
      [10, 900, 1],
      [3650 * day, 900, 13 * day],
    ] as const) {
      assert.equal(stepOf({ fromS: 0, toS: lengthS }, width), step, `${lengthS} s in ${width}`);
    }
  });

  test('is written to the address and read from it', () => {
    for (const range of [{ lastS: 3600 }, { fromS: 1000.5, toS: 2000 }])
      assert.deepEqual(rangeIn(new URLSearchParams(addressed(range))), range);
    for (const text of ['', 'range=x', 'range=-1', 'from=5&to=4', 'from=0&to=NaN'])
      assert.equal(rangeIn(new URLSearchParams(text)), undefined, text);
  });

  test('is shown as a date where a day starts', () => {
    const midnight = new Date(2026, 4, 3).getTime() / 1000;
    const [day, noon] = axisTimes([midnight, midnight + 43_200], 43_200);
    assert.match(String(day), /3/);
    assert.match(String(noon), /12/);
    assert.match(String(axisTimes([midnight + 61], 1)[0]), /01:01/);
  });
});

suite('lines of a chart', () => {
  const query = { expression: 'x', legend: '' };
  const series = (labels: Record<string, string>, ...values: [number, string][]) => ({ metric: labels, values });

  test('lie on one grid, with gaps where there are no values', () => {
    const found = plotOf({ fromS: 100, toS: 130 }, 10, [
      { query, series: [series({ __name__: 'x' }, [100, '1'], [120, '3'], [130, '+Inf'])] },
    ]);
    assert.deepEqual(found.times, [100, 110, 120, 130]);
    const [line] = found.lines;
    assert.deepEqual(line?.values, [1, null, 3, null]);
    assert.deepEqual([line?.least, line?.most, line?.mean, line?.last], [1, 3, 2, Number.POSITIVE_INFINITY]);
    assert.equal(line?.name, 'x');
  });

  test('are named by the labels in which they differ, or by the legend', () => {
    const two = [
      series({ __name__: 'x', job: 'a', zone: '1' }, [0, '1']),
      series({ __name__: 'x', job: 'b', zone: '1' }, [0, '2']),
    ];
    const names = (legend: string, list = two): string[] =>
      plotOf({ fromS: 0, toS: 10 }, 10, [{ query: { ...query, legend }, series: list }]).lines.map(({ name }) => name);
    assert.deepEqual(names(''), ['{job="a"}', '{job="b"}']);
    assert.deepEqual(names('{{job}} in {{ zone }}{{no}}'), ['a in 1', 'b in 1']);
    assert.deepEqual(names('', [series({}, [0, '1'])]), ['x']);
    const uneven = [series({ __name__: 'x' }, [0, '1']), series({ __name__: 'x', job: 'b' }, [0, '2'])];
    assert.deepEqual(names('', uneven), ['x', '{job="b"}'], 'a label that is not there is not shown');
  });

  test('are at most a hundred, with a note if there are more', () => {
    const many = Array.from({ length: 101 }, (_, at) => series({ at: String(at) }, [0, '1']));
    const found = plotOf({ fromS: 0, toS: 10 }, 10, [{ query, series: many }]);
    assert.deepEqual([found.lines.length, found.isCut], [100, true]);
  });
});

suite('panels of a dashboard', () => {
  const panel: PanelSettings = {
    title: 'T',
    source: 'id',
    queries: [{ expression: 'up', legend: '' }],
    unit: 'bytes',
    isTable: true,
  };

  test('stored in the browser are moved to the region once, for this user, contract and region', async () => {
    const kept = new Map([
      ['dashboard/u/1/de-txl', textOf([panel])],
      ['dashboard/u/1/de-fra', 'broken'],
      ['dashboard/v/1/de-txl', textOf([panel])],
    ]);
    const storage = { getItem: (key: string) => kept.get(key) ?? null, removeItem: (key: string) => kept.delete(key) };
    const made: object[] = [];
    const create = async (properties: object): Promise<never> => {
      made.push(properties);
      return undefined as never;
    };
    const take = (region: string, api = { create }): Promise<void> =>
      takeOver(storage, { user: 'u', contract: 1, region }, api);
    const full = { create: () => Promise.reject(new Error('There are too many.')) };
    await assert.rejects(take('de-txl', full));
    assert.equal(kept.size, 3, 'it stays where it is until the region has it');
    for (const region of ['de-txl', 'de-txl', 'de-fra', 'es-vit']) await take(region);
    assert.deepEqual(made, [{ name: 'From this browser', panels: [panel] }]);
    assert.deepEqual([...kept.keys()], ['dashboard/v/1/de-txl']);
  });

  test('of a file are accepted, or refused with a message', () => {
    assert.deepEqual(panelsIn(textOf([panel])), [panel]);
    const wrong: [text: string, why: RegExp][] = [
      ['{', /not valid JSON/],
      ['[]', /neither a dashboard/],
      ['{"kind":"cumulet-dashboard","version":2,"panels":[]}', /has a version/],
      [textOf([{ ...panel, queries: [] }]), /Panel 1 of the file is not/],
      [textOf([panel, { ...panel, title: 5 as unknown as string }]), /Panel 2/],
      [
        textOf([{ ...panel, queries: [{ expression: 1 as unknown as string, legend: '' }] }]),
        /An expression of panel 1/,
      ],
    ];
    for (const [text, why] of wrong) assert.throws(() => panelsIn(text), why);
    const strange = textOf([{ ...panel, unit: 'furlongs' as Unit }]);
    assert.equal(panelsIn(strange)[0]?.unit, 'auto');
  });
});
