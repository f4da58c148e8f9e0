// The models of dashboards: the layout of panels, variables in queries, imports from Grafana, values and templates.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Grafana's variables
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { signal } from '@preact/signals';
import { grafanaDashboard, isGrafana } from '../../../console/monitoring/dashboard/grafana/grafana-dashboard.ts';
import { arranged, placed, stepped } from '../../../console/monitoring/dashboard/grid.ts';
import { LayoutModel } from '../../../console/monitoring/dashboard/layout-model.ts';
import { contentOf } from '../../../console/monitoring/dashboard/templates/template.ts';
import { templates } from '../../../console/monitoring/dashboard/templates/templates.ts';
import { latestValues, tableOf } from '../../../console/monitoring/kinds/values.ts';
import {
  colourOf,
  kindOf,
  type PanelSettings,
  type Place,
  thresholdsIn,
} from '../../../console/monitoring/plot/panel-settings.ts';
import { builtIns, interpolated, type Selection } from '../../../console/monitoring/variables/interpolation.ts';
import {
  all,
  listed,
  queryOf,
  selectedBy,
  type Variable,
  variableOf,
} from '../../../console/monitoring/variables/variable.ts';
import { VariablesModel } from '../../../console/monitoring/variables/variables-model.ts';
import { plotOf } from '../../../console/plot/plot.ts';
import { formatValue } from '../../../console/plot/units.ts';
import { axisTimes, localText, secondsIn, timeText } from '../../../console/time/time-range.ts';
import { browserZone, zone } from '../../../console/time/time-zone.ts';
import { grafanaSample, oldGrafanaSample } from './grafana-sample.ts';

const place = (x: number, y: number, width: number, height: number): Place => ({ x, y, width, height });

const settingsOf = (title: string, more: Partial<PanelSettings> = {}): PanelSettings => ({
  title,
  source: 's',
  queries: [{ expression: 'up', legend: '' }],
  unit: 'auto',
  isTable: false,
  ...more,
});

const overlap = (a: Place, b: Place): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

suite('the grid of a dashboard', () => {
  test('places panels of old dashboards two in a row, after the others', () => {
    assert.deepEqual(arranged([undefined, undefined, undefined]), [
      place(0, 0, 6, 9),
      place(6, 0, 6, 9),
      place(0, 9, 6, 9),
    ]);
    assert.deepEqual(arranged([undefined, place(0, 3, 12, 4)]), [place(0, 4, 6, 9), place(0, 0, 12, 4)]);
  });

  test('moves panels past the middle of others, and never lets them overlap', () => {
    const two = [place(0, 0, 12, 4), place(0, 4, 12, 4)];
    assert.deepEqual(placed(two, 0, place(0, 1, 12, 4)), two, 'not yet past the middle');
    assert.deepEqual(placed(two, 0, place(0, 3, 12, 4)), [place(0, 4, 12, 4), place(0, 0, 12, 4)]);
    assert.deepEqual(placed(two, 1, place(0, 2, 12, 4)), [place(0, 4, 12, 4), place(0, 0, 12, 4)]);
    let places = [place(0, 0, 6, 5), place(6, 0, 6, 9), place(0, 5, 3, 4), place(3, 5, 3, 2), place(0, 9, 12, 3)];
    for (let count = 0; count < 200; count++) {
      const at = count % places.length;
      const wanted = place((count * 7) % 12, (count * 5) % 20, 1 + ((count * 3) % 12), 2 + (count % 6));
      places = placed(places, at, wanted);
      for (const [one, a] of places.entries()) {
        assert.ok(a.x >= 0 && a.x + a.width <= 12, JSON.stringify(a));
        for (const b of places.slice(one + 1)) assert.ok(!overlap(a, b), JSON.stringify(places));
      }
    }
  });

  test('moves and resizes by arrow keys', () => {
    const places = [place(0, 0, 6, 4), place(6, 0, 6, 4)];
    assert.deepEqual(stepped(places, 0, 'ArrowRight', true), [place(0, 0, 7, 4), place(6, 4, 6, 4)]);
    assert.deepEqual(stepped(places, 0, 'ArrowDown', true)?.[0], place(0, 0, 6, 5));
    assert.deepEqual(stepped(places, 1, 'ArrowRight', false), places, 'it is at the edge');
    const rows = [place(0, 0, 12, 4), place(0, 4, 12, 4)];
    assert.deepEqual(stepped(rows, 0, 'ArrowDown', false), [place(0, 4, 12, 4), place(0, 0, 12, 4)]);
    assert.deepEqual(stepped(rows, 0, 'ArrowUp', false), rows);
    assert.equal(stepped(rows, 0, 'Enter', false), undefined);
  });

  test('rows hide their panels, which follow their row when it is moved', async () => {
    const panels = signal(
      [
        settingsOf('top', { grid: place(0, 0, 12, 4) }),
        settingsOf('row', { kind: 'row', queries: [], grid: place(0, 4, 12, 1), isCollapsed: true }),
        settingsOf('inner', { grid: place(0, 5, 12, 6) }),
      ].map((settings, id) => ({ id, settings })),
    );
    const saved: ReadonlyMap<number, Place>[] = [];
    const layout = new LayoutModel(panels, async (places) => void saved.push(places));
    layout.collapseRows(panels.value);
    const titles = (): string[] => layout.shown.value.map(({ panel }) => panel.settings.title);
    assert.deepEqual(titles(), ['top', 'row']);
    layout.begin(1);
    assert.match(layout.said.value, /Arrow keys move .* Column 1, row 5, 12 columns wide, 1 rows high\.$/);
    assert.ok(layout.step('ArrowUp', false));
    await layout.end();
    assert.deepEqual(
      [0, 1, 2].map((id) => saved[0]?.get(id)?.y),
      [7, 0, 1],
    );
    layout.toggleRow(1);
    assert.deepEqual(titles(), ['top', 'row', 'inner']);
    layout.begin(0);
    layout.cancel();
    layout.begin(0);
    await layout.end();
    assert.equal(saved.length, 1, 'nothing has changed');
  });
});

suite('variables of a dashboard', () => {
  const selection: Selection = new Map([
    ['one', { values: ['a.b"'], isPattern: false }],
    ['many', { values: ['a.b', 'c'], isPattern: true }],
    ['raw', { values: ['x'], isPattern: true, raw: '.+' }],
  ]);

  test('replace their names in queries, with patterns for several values', () => {
    const text = 'm{a="$one", b=~"${many}", c=~"[[raw]]", d="$unknown", e=~"${many:pipe}", f="${many:csv}"}';
    const wanted = String.raw`m{a="a.b\"", b=~"(a\\.b|c)", c=~".+", d="$unknown", e=~"a.b|c", f="a.b,c"}`;
    assert.equal(interpolated(text, selection), wanted);
    const spans = builtIns({ fromS: 1000, toS: 4600 }, 30, 15);
    const built = interpolated('[$__interval] [$__rate_interval] [$__range] $__range_s ${__interval_ms}', spans);
    assert.equal(built, '[30s] [60s] [3600s] 3600 30000');
    assert.match(interpolated('$__rate_interval', builtIns({ fromS: 0, toS: 60 }, 300, 60)), /^360s$/);
  });

  test('read the query functions of Grafana', () => {
    assert.deepEqual(queryOf('label_values(up{a="b,c"}, job)'), {
      kind: 'labelValues',
      label: 'job',
      selector: 'up{a="b,c"}',
    });
    assert.deepEqual(queryOf('label_values(job)'), { kind: 'labelValues', label: 'job', selector: '' });
    assert.deepEqual(queryOf('metrics(^node_)'), { kind: 'metrics', pattern: '^node_' });
    assert.deepEqual(queryOf('query_result(topk(2, up))'), { kind: 'result', expression: 'topk(2, up)' });
    assert.deepEqual(listed('one : 1, two,a\\,b'), [
      { value: '1', text: 'one' },
      { value: 'two', text: 'two' },
      { value: 'a,b', text: 'a,b' },
    ]);
    const found = selectedBy('/pod="([^"]*)/', ['m{pod="x"} 1', 'm{pod="x"} 2', 'm 3']);
    assert.deepEqual(found, [{ value: 'x', text: 'x' }]);
  });

  test('are written by a form, which keeps what it does not show', () => {
    const edited: Variable = { name: 'a', kind: 'query', query: 'q', allValue: '.*', hasAll: true, current: [all] };
    const wanted = { name: 'b', kind: 'query', query: 'q', allValue: '.*', isMulti: true, current: [all] };
    assert.deepEqual(
      variableOf({ name: ' b ', kind: 'query', query: 'q', isMulti: true, hasAll: false }, edited),
      wanted,
    );
    const added = variableOf({ name: 'c', kind: 'custom', query: '1,2', pattern: '', hasAll: true });
    assert.deepEqual(added, { name: 'c', kind: 'custom', query: '1,2', hasAll: true, current: [all] });
  });

  test('depend on earlier ones, and come from the address', async () => {
    const requested: string[] = [];
    const read = async (query: ReturnType<typeof queryOf>): Promise<string[]> => {
      requested.push(JSON.stringify(query));
      return query.kind === 'labelValues' && query.label === 'job' ? ['shop', 'bank'] : ['h1', 'h2'];
    };
    const variables: Variable[] = [
      { name: 'job', kind: 'query', query: 'label_values(up, job)', current: [] },
      {
        name: 'host',
        kind: 'query',
        query: 'label_values(up{job="$job"}, host)',
        isMulti: true,
        hasAll: true,
        current: [all],
      },
      { name: 'free', kind: 'text', query: 'ink', current: [] },
    ];
    const model = new VariablesModel(read, new URLSearchParams('var-job=bank'));
    assert.equal(await model.show(variables), true);
    const shown = (): string => interpolated('$job $host $free', model.selection);
    assert.equal(shown(), 'bank (h1|h2) ink');
    assert.match(requested[1] ?? '', /up\{job=\\"bank\\"\}/);
    await model.select('host', ['h2']);
    await model.select('job', ['shop']);
    assert.equal(shown(), 'shop h2 ink');
    assert.deepEqual(model.addressed, [
      ['var-job', 'shop'],
      ['var-host', 'h2'],
      ['var-free', 'ink'],
    ]);
    const failing = new VariablesModel(() => Promise.reject(new Error('No such metric.')), new URLSearchParams());
    await failing.show(variables.slice(0, 1));
    assert.equal(failing.states.value[0]?.problem, 'No such metric.');
  });
});

suite('a dashboard of Grafana', () => {
  test('is converted with its grid, rows, units, thresholds and variables', () => {
    assert.ok(isGrafana(grafanaSample));
    const { name, content, notes } = grafanaDashboard({ dashboard: grafanaSample, meta: {} }, 'pipeline');
    assert.deepEqual([name, content.range], ['Print shop', 3 * 3600]);
    assert.deepEqual(notes, ['1 unsupported: geomap.', 'Variables left out: filters.']);
    const panels = new Map(content.panels.map((panel) => [panel.title, panel]));
    assert.deepEqual(content.panels.map(kindOf), [
      'row',
      'stat',
      'gauge',
      'bargauge',
      'timeseries',
      'table',
      'unsupported',
      'row',
      'timeseries',
      'row',
      'logs',
    ]);
    assert.ok(content.panels.every(({ source }) => source === 'pipeline'));
    const gauge = panels.get('Load');
    assert.deepEqual(gauge?.grid, place(3, 1, 3, 5));
    assert.deepEqual([gauge?.unit, gauge?.decimals], ['ratio', 1]);
    assert.deepEqual(gauge?.thresholds, [{ colour: 'good' }, { colour: 'warning', value: 0.5 }]);
    const memory = panels.get('Memory');
    assert.deepEqual([memory?.unit, memory?.min, memory?.max], ['bytes', 0, 4194304]);
    assert.deepEqual(panels.get('Where')?.kind, 'geomap');
    assert.equal(panels.get('Details')?.isCollapsed, true);
    assert.deepEqual([panels.get('Durations')?.unit, panels.get('Durations')?.min], ['seconds', 0]);
    assert.deepEqual(panels.get('Durations')?.grid?.y, 15);
    assert.deepEqual(panels.get('Lines')?.grid?.y, 24, 'panels of a collapsed row have space');
    const [first, ...others] = [...panels.values()].filter(({ title }) => title.startsWith('A very long'));
    assert.deepEqual(
      [first?.queries.length, first?.unit, others.length],
      [1, 'rate', 0],
      'hidden queries are left out',
    );
    const variables = content.variables ?? [];
    assert.deepEqual(
      variables.map((one) => [one.name, one.kind, one.query]),
      [
        ['prefix', 'constant', 'jobs'],
        ['host', 'query', 'label_values(memory_bytes, host)'],
        ['queue', 'query', 'query_result(${prefix}_total)'],
        ['window', 'interval', '1m,5m,1h'],
        ['scale', 'custom', 'one : 1, two : 2'],
      ],
    );
    assert.deepEqual(variables[1], {
      name: 'host',
      label: 'Host',
      kind: 'query',
      query: 'label_values(memory_bytes, host)',
      isMulti: true,
      hasAll: true,
      current: [all],
    });
  });

  test('of old versions is converted, too', () => {
    const { content, notes } = grafanaDashboard(oldGrafanaSample, 's');
    assert.deepEqual(
      content.panels.map(({ title, kind, grid }) => [title, kind, grid]),
      [
        ['First', 'row', place(0, 0, 12, 1)],
        ['Jobs', 'stat', place(0, 1, 4, 5)],
        ['Share', 'gauge', place(4, 1, 8, 5)],
        ['Lines', 'timeseries', place(0, 6, 12, 5)],
        ['Hidden', 'row', place(0, 11, 12, 1)],
        ['About', 'text', place(0, 12, 12, 7)],
      ],
    );
    const [, jobs, share] = content.panels;
    assert.deepEqual(jobs?.thresholds, [
      { colour: 'good' },
      { colour: 'warning', value: 50 },
      { colour: 'danger', value: 80 },
    ]);
    assert.deepEqual([share?.min, share?.max], [0, 10]);
    assert.deepEqual(notes, ['1 unsupported: text.']);
    for (const value of [null, [], {}, { panels: 1 }, { kind: 'cumulet-dashboard', panels: [] }])
      assert.equal(isGrafana(value), false, JSON.stringify(value));
  });
});

suite('values of panels', () => {
  const series = (host: string, value: string) => ({ metric: { host }, values: [[5, value]] as [number, string][] });
  const answer = (expression: string, ...found: ReturnType<typeof series>[]) => ({
    query: { expression, legend: '{{host}}' },
    series: found,
  });
  const span = { fromS: 5, toS: 5 };

  test('have colours of thresholds and a share of the scale', () => {
    const plot = plotOf(span, 1, [answer('m', series('a', '30'), series('b', '95'))]);
    const shown = latestValues(plot, 'percent', { thresholds: thresholdsIn('90, 70') });
    assert.deepEqual(
      shown.map(({ name, value, colour, share }) => [name, value, colour, share]),
      [
        ['a', 30, 'good', 0.3],
        ['b', 95, 'danger', 0.95],
      ],
    );
    assert.equal(latestValues(plot, 'number', { max: 60 })[0]?.share, 0.5);
    assert.equal(colourOf(1, [{ value: 5, colour: 'danger' }]), undefined);
    assert.deepEqual(
      [formatValue(12.345, 'percent', 1), formatValue(2048, 'bytes', 2), formatValue(2_500_000, 'bitRate')],
      ['12.3 %', '2.00 KiB', '2.5 Mbit/s'],
    );
  });

  test('of several queries are the columns of a table', () => {
    const plot = plotOf(span, 1, [answer('m', series('a', '1'), series('b', '2')), answer('n', series('b', '3'))]);
    assert.deepEqual(tableOf(plot, ['M', 'N']), {
      labels: ['host'],
      columns: ['M', 'N'],
      rows: [
        { cells: ['a'], values: [1, undefined] },
        { cells: ['b'], values: [2, 3] },
      ],
    });
  });
});

suite('templates of dashboards', () => {
  test('fill the grid without overlaps, and use only their own variables', () => {
    for (const template of templates) {
      const { panels, variables = [] } = contentOf(template, 's');
      const places = panels.map(({ grid }) => grid as Place);
      assert.deepEqual(arranged(places), places, template.name);
      const names = new Set(variables.map(({ name }) => name));
      for (const { queries } of panels)
        for (const { expression } of queries)
          for (const [, name = ''] of expression.matchAll(/\$(\w+)/g))
            assert.ok(names.has(name) || name.startsWith('__'), expression);
    }
  });
});

suite('the metrics of templates', () => {
  test('are those that the documentation lists', () => {
    const docs = ['monitoring', 'streaming', 'running']
      .map((name) => readFileSync(`docs/${name}.md`, 'utf8'))
      .join('\n');
    const listed = new Set(docs.match(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g));
    for (const { panels, metric } of templates)
      for (const text of [metric, ...panels.flatMap(({ queries }) => queries.map(([expression]) => expression))])
        for (const [name] of text.matchAll(/\b(?:instance|loadbalancer|kafka|bucket|process|cumulet)_\w+(?=[{[)]|$)/g))
          assert.ok(listed.has(name) || name === 'instance_name', `${name} is not documented`);
  });
});

suite('the time zone of charts', () => {
  const noon = Date.parse('2026-07-01T12:00:00Z') / 1000;

  test('applies to texts, axes and the fields of a custom range', () => {
    try {
      zone.value = 'Asia/Tokyo';
      assert.match(timeText(noon), /21:00:00/);
      assert.match(axisTimes([noon], 60)[0] ?? '', /21:00/);
      assert.doesNotMatch(axisTimes([noon + 3 * 3600], 60)[0] ?? '', /:/, 'the start of a day shows the date');
      assert.deepEqual([localText(noon), secondsIn('2026-07-01T21:00:00')], ['2026-07-01T21:00:00', noon]);
      zone.value = 'America/New_York';
      for (const text of ['2026-03-08T01:59:59', '2026-03-08T03:00:00', '2026-11-01T00:30:00'])
        assert.equal(localText(secondsIn(text)), text, 'around a change of the clock');
    } finally {
      zone.value = browserZone;
    }
  });
});
