// A dashboard of the console: its panels with their expressions. It belongs to a contract and a region, and is visible
// like a pipeline: to its creator, the owner and administrators. Panels may refer to resources that no longer exist.
import { Fault } from '../base/fault.ts';
import { regional } from '../core/dialect.ts';
import { resource } from '../core/resource.ts';
import { decimal, flag, integer, list, shape, text } from '../core/schema.ts';
import { privilege } from './pipeline.ts';
import type { MonitoringTools } from './tools.ts';

const mostDashboards = 50; // per contract and region
const mostPanels = 200; // a common dashboard of machines has 140
const mostQueries = 20; // per panel
const mostVariables = 30;
const mostThresholds = 20; // per panel
const mostText = 8192;
const mostBytes = 512 * 1024; // per dashboard
const columns = 12;
const mostRows = 5000;

const example = { title: 'Orders', source: '', queries: [{ expression: 'rate(orders_total[5m])', legend: '' }] };

const half = 0.5; // imported dashboards can have 24 columns
const column = (min: number) => decimal({ required: true, min, max: columns, step: half });
const row = (min: number) => integer({ required: true, min, max: mostRows });

const grid = shape(
  { x: column(0), y: row(0), width: column(half), height: row(1) },
  { omitNull: true, description: 'The place in a grid of 12 columns, in halves. The console places panels without it' },
);

const thresholds = list(
  shape({
    value: decimal({ omitNull: true, description: 'The lowest value; absent: the colour below all thresholds' }),
    colour: text({ required: true, max: 50, description: 'good, warning, danger, accent or quiet' }),
  }),
  { omitNull: true, max: mostThresholds },
);

const variable = shape({
  name: text({ required: true, min: 1, max: 100, pattern: /^\w+$/, says: 'Expected letters, digits and underscores.' }),
  label: text({ omitNull: true, max: 200 }),
  kind: text({ required: true, max: 50, description: 'query, custom, constant, interval or text' }),
  query: text({ default: '', max: mostText, description: 'A query such as label_values(up, job), or the values' }),
  pattern: text({ omitNull: true, max: mostText, description: 'A regular expression that selects the values' }),
  isMulti: flag({ omitNull: true, description: 'Several values can be selected' }),
  hasAll: flag({ omitNull: true, description: 'All values can be selected at once' }),
  allValue: text({ omitNull: true, max: mostText, description: 'The text for all values; default: all of them' }),
  isHidden: flag({ omitNull: true }),
  current: list(text({ max: mostText }), { default: [], max: 1000, description: 'The initial selection' }),
});

export const dashboard = resource<MonitoringTools>({
  name: 'dashboard',
  plural: 'dashboards',
  shown: { type: 'dashboard', columns: ['name'] },
  root: 'monitoring/',
  dialect: regional,
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  rights: { create: privilege },
  actions: 'monitoring.dashboard',
  lifecycle: { pace: 0 },
  properties: {
    name: text({
      required: true,
      min: 1,
      max: 200,
      pattern: /\S/,
      says: 'Expected at least one character other than blanks.',
      example: 'Shop',
    }),
    panels: list(
      shape({
        title: text({ required: true, max: mostText }),
        source: text({ required: true, max: 200, description: 'The id of a pipeline or of central monitoring' }),
        queries: list(
          shape({
            expression: text({ required: true, max: mostText, description: 'PromQL' }),
            legend: text({
              default: '',
              max: mostText,
              description: 'The legend; {{label}} is replaced by the value of a label',
            }),
          }),
          { required: true, max: mostQueries },
        ),
        unit: text({ default: 'auto', max: 50, description: 'The unit of the values, or auto' }),
        isTable: flag({ default: false, description: 'Shows a table instead of a chart' }),
        kind: text({ omitNull: true, max: 100, description: 'timeseries (the default), stat, gauge, table, …' }),
        grid,
        min: decimal({ omitNull: true }),
        max: decimal({ omitNull: true }),
        decimals: integer({ omitNull: true, min: 0, max: 15 }),
        thresholds,
        isCollapsed: flag({ omitNull: true, description: 'Of a row: its panels are hidden at first' }),
      }),
      { default: [], max: mostPanels, example: [example] },
    ),
    variables: list(variable, { omitNull: true, max: mostVariables, description: 'Variables of the queries' }),
    range: integer({ omitNull: true, min: 1, max: 366 * 86_400, description: 'The initial time range in seconds' }),
  },
  rules({ values }, report) {
    const size = Buffer.byteLength(JSON.stringify([values.panels, values.variables]));
    if (size > mostBytes) report('panels', `Expected at most ${mostBytes / 1024} KiB of JSON`);
  },
  async decide({ way, contract, place }, { store }) {
    if (way === 'create' && (await store.children(contract, place)).length >= mostDashboards)
      throw new Fault(
        'refused',
        `A contract can have at most ${mostDashboards} dashboards in a region. Delete one first.`,
      );
  },
});
