// A dashboard in Grafana's format, written for these tests, with the constructs of common public dashboards. Its
// queries fit the samples of `fill`.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Grafana's variables

const prometheus = { type: 'prometheus', uid: '${source}' };
const at = (x: number, y: number, w: number, h: number) => ({ x, y, w, h });
const steps = (...colours: [color: string, value: number | null][]) => ({
  mode: 'absolute',
  steps: colours.map(([color, value]) => ({ color, value })),
});
const target = (expr: string, legendFormat = '__auto', more: object = {}) => ({
  datasource: prometheus,
  expr,
  legendFormat,
  refId: 'A',
  ...more,
});

export const grafanaSample = {
  __inputs: [
    { name: 'DS_METRICS', label: 'Metrics', type: 'datasource', pluginId: 'prometheus' },
    { name: 'VAR_PREFIX', type: 'constant', value: 'jobs' },
  ],
  __requires: [{ type: 'grafana', id: 'grafana', name: 'Grafana', version: '11.0.0' }],
  schemaVersion: 39,
  title: 'Print shop',
  time: { from: 'now-3h', to: 'now' },
  templating: {
    list: [
      { name: 'source', type: 'datasource', query: 'prometheus' },
      { name: 'prefix', type: 'constant', query: '${VAR_PREFIX}', hide: 2 },
      {
        name: 'host',
        label: 'Host',
        type: 'query',
        query: { query: 'label_values(memory_bytes, host)', refId: 'A' },
        multi: true,
        includeAll: true,
        current: { text: 'All', value: '$__all' },
      },
      {
        name: 'queue',
        type: 'query',
        query: 'query_result(${prefix}_total)',
        regex: '/.*queue="([^"]*).*/',
        includeAll: true,
        allValue: '.*',
        current: {},
      },
      { name: 'window', type: 'interval', query: '1m,5m,1h', current: { text: '5m', value: '5m' } },
      { name: 'scale', type: 'custom', query: 'one : 1, two : 2', current: { text: 'two', value: '2' } },
      { name: 'filters', type: 'adhoc' },
    ],
  },
  panels: [
    { id: 1, type: 'row', title: 'Overview', collapsed: false, gridPos: at(0, 0, 24, 1), panels: [] },
    {
      id: 2,
      type: 'stat',
      title: 'Hosts of $host',
      gridPos: at(0, 1, 6, 5),
      targets: [target('count(memory_bytes{host=~"$host"})', 'Hosts')],
      fieldConfig: { defaults: { unit: 'none', thresholds: steps(['green', null], ['red', 2]) } },
    },
    {
      id: 3,
      type: 'gauge',
      title: 'Load',
      gridPos: at(6, 1, 6, 5),
      targets: [target('sum(rate(${prefix}_total{queue=~"$queue"}[$window])) / 16', 'Load')],
      fieldConfig: {
        defaults: {
          unit: 'percentunit',
          decimals: 1,
          thresholds: {
            mode: 'percentage',
            steps: [
              { color: 'green', value: null },
              { color: '#EAB839', value: 50 },
            ],
          },
        },
      },
    },
    {
      id: 4,
      type: 'bargauge',
      title: 'Memory',
      gridPos: at(12, 1, 12, 5),
      targets: [target('memory_bytes{host=~"$host"} * $scale / 2', '{{host}}')],
      fieldConfig: { defaults: { unit: 'bytes', min: 0, max: 4194304, thresholds: steps(['blue', null]) } },
    },
    {
      id: 5,
      type: 'timeseries',
      title: 'A very long title of a panel that does not fit into its head, whatever the size of the window',
      gridPos: at(0, 6, 8, 8),
      targets: [
        target('sum by (queue) (rate(jobs_total{queue=~"$queue"}[$__rate_interval]))', '{{queue}}'),
        target('hidden_total', '', { hide: true, refId: 'B' }),
      ],
      fieldConfig: { defaults: { unit: 'reqps' } },
    },
    {
      id: 6,
      type: 'table',
      title: 'By host',
      gridPos: at(8, 6, 8, 8),
      targets: [
        target('sum by (host) (memory_bytes)', 'Now'),
        target('max by (host) (max_over_time(memory_bytes[$__range]))', 'Highest', { refId: 'B' }),
      ],
      fieldConfig: { defaults: { unit: 'bytes' } },
    },
    { id: 7, type: 'geomap', title: 'Where', gridPos: at(16, 6, 8, 8), targets: [target('up')] },
    {
      id: 8,
      type: 'row',
      title: 'Details',
      collapsed: true,
      gridPos: at(0, 14, 24, 1),
      panels: [
        {
          id: 9,
          type: 'graph',
          title: 'Durations',
          gridPos: at(0, 15, 24, 8),
          targets: [target('histogram_quantile(0.5, sum by (le) (rate(took_seconds_bucket[$window])))', 'p50')],
          yaxes: [{ format: 's', min: '0' }, { format: 'short' }],
        },
      ],
    },
    { id: 11, type: 'row', title: 'Logs', collapsed: false, gridPos: at(0, 15, 24, 1), panels: [] },
    {
      id: 10,
      type: 'logs',
      title: 'Lines',
      datasource: { type: 'loki', uid: 'x' },
      gridPos: at(0, 16, 24, 6),
      targets: [{ expr: '{tag="press"}', refId: 'A' }],
    },
  ],
};

// Schema version 14: rows without positions, and kinds that Grafana has replaced.
export const oldGrafanaSample = {
  schemaVersion: 14,
  title: 'Old',
  rows: [
    {
      title: 'First',
      showTitle: true,
      height: '190px',
      panels: [
        {
          type: 'singlestat',
          title: 'Jobs',
          span: 4,
          format: 'percent',
          thresholds: '50,80',
          colors: ['rgba(50, 172, 45, 0.97)', 'rgba(237, 129, 40, 0.89)', 'rgba(245, 54, 54, 0.9)'],
          colorValue: true,
          targets: [{ expr: 'jobs', refId: 'A' }],
        },
        {
          type: 'singlestat',
          title: 'Share',
          span: 8,
          format: 'percent',
          gauge: { show: true, minValue: 0, maxValue: 10 },
          targets: [{ expr: 'share', refId: 'A' }],
        },
        { type: 'graph', title: 'Lines', span: 12, targets: [{ expr: 'lines', legendFormat: '{{a}}', refId: 'A' }] },
      ],
    },
    { title: 'Hidden', collapse: true, height: 250, panels: [{ type: 'text', title: 'About', span: 12 }] },
  ],
  templating: { list: [{ name: 'word', type: 'textbox', query: 'ink' }] },
};
