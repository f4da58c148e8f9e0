// A dashboard of the console: its panels, each with the expressions it shows. It belongs to a contract and a region and
// is seen like a pipeline: by its maker, the owner and administrators. What a panel names need not exist any more.
import { Fault } from '../base/fault.ts';
import { regional } from '../core/dialect.ts';
import { resource } from '../core/resource.ts';
import { flag, list, shape, text } from '../core/schema.ts';
import { privilege } from './pipeline.ts';
import type { MonitoringTools } from './tools.ts';

const mostDashboards = 50; // of a contract and region
const mostPanels = 50;
const mostQueries = 20; // of a panel
const mostText = 8192;
const mostBytes = 256 * 1024; // of one dashboard

const example = { title: 'Orders', source: '', queries: [{ expression: 'rate(orders_total[5m])', legend: '' }] };

export const dashboard = resource<MonitoringTools>({
  name: 'dashboard',
  plural: 'dashboards',
  type: 'dashboard',
  root: 'monitoring/',
  dialect: regional,
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  privilege,
  actions: 'monitoring.dashboard',
  pace: 0,
  properties: {
    name: text({
      required: true,
      min: 1,
      max: 200,
      pattern: /\S/,
      says: 'Expected more than blanks.',
      example: 'Shop',
    }),
    panels: list(
      shape({
        title: text({ required: true, max: mostText }),
        source: text({ required: true, max: 200, description: 'The id of a pipeline or of central monitoring' }),
        queries: list(
          shape({
            expression: text({ required: true, max: mostText, description: 'PromQL' }),
            legend: text({ default: '', max: mostText, description: 'With {{label}} for the values of labels' }),
          }),
          { required: true, min: 1, max: mostQueries },
        ),
        unit: text({ default: 'auto', max: 50, description: 'That of the values, or auto' }),
        isTable: flag({ default: false, description: 'A table instead of a chart' }),
      }),
      { default: [], max: mostPanels, example: [example] },
    ),
  },
  columns: ['name'],
  rules({ values }, report) {
    const size = Buffer.byteLength(JSON.stringify(values.panels ?? null));
    if (size > mostBytes) report('panels', `Expected at most ${mostBytes / 1024} KiB of JSON`);
  },
  async decide({ way, contract, place }, { store }) {
    if (way === 'create' && (await store.children(contract, place)).length >= mostDashboards)
      throw new Fault('refused', `A contract can have ${mostDashboards} dashboards in a region.`);
  },
});
