// A template of a dashboard. The queries use metrics that the region itself has.
import type { Unit } from '../../../plot/units.ts';
import type { Kind, PanelSettings, Place, Threshold } from '../../plot/panel-settings.ts';
import { all, type Variable } from '../../variables/variable.ts';
import type { DashboardProperties } from '../dashboard-api.ts';

export interface Template {
  key: string;
  name: string;
  note: string;
  metric: string; // it must exist for the panels to show values
  isCentral: boolean; // false: of the chosen pipeline
  variables: readonly Variable[];
  panels: readonly TemplatePanel[];
}

interface TemplatePanel extends Partial<Pick<PanelSettings, 'min' | 'max' | 'thresholds'>> {
  title: string;
  kind?: Kind;
  queries: readonly (readonly [expression: string, legend: string])[];
  unit: Unit;
  grid: Place;
}

export const at = (x: number, y: number, width: number, height: number): Place => ({ x, y, width, height });

export const load: readonly Threshold[] = [
  { colour: 'good' },
  { value: 70, colour: 'warning' },
  { value: 90, colour: 'danger' },
];

export const several = (name: string, label: string, query: string): Variable => ({
  name,
  label,
  kind: 'query',
  query,
  isMulti: true,
  hasAll: true,
  allValue: '.*',
  current: [all],
});

export const contentOf = ({ panels, variables }: Template, source: string): Omit<DashboardProperties, 'name'> => ({
  variables,
  panels: panels.map(({ queries, ...panel }) => ({
    ...panel,
    source,
    queries: queries.map(([expression, legend]) => ({ expression, legend })),
    isTable: false,
  })),
});
