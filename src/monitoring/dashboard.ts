// A dashboard of the console: its panels with their expressions. It belongs to a contract and a region, and is visible
// like a pipeline: to its creator, the owner and administrators. Panels may refer to resources that no longer exist.
import { Fault } from '../base/fault.ts';
import { regional } from '../core/dialect.ts';
import { resource } from '../core/resource.ts';
import { flag, list, shape, text } from '../core/schema.ts';
import { privilege } from './pipeline.ts';
import type { MonitoringTools } from './tools.ts';

const mostDashboards = 50; // per contract and region
const mostPanels = 50;
const mostQueries = 20; // per panel
const mostText = 8192;
const mostBytes = 256 * 1024; // per dashboard

const example = { title: 'Orders', source: '', queries: [{ expression: 'rate(orders_total[5m])', legend: '' }] };

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
          { required: true, min: 1, max: mostQueries },
        ),
        unit: text({ default: 'auto', max: 50, description: 'The unit of the values, or auto' }),
        isTable: flag({ default: false, description: 'Shows a table instead of a chart' }),
      }),
      { default: [], max: mostPanels, example: [example] },
    ),
  },
  rules({ values }, report) {
    const size = Buffer.byteLength(JSON.stringify(values.panels ?? null));
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
