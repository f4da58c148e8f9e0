// A dashboard as a file, to move its panels between regions. Imported files are validated like any input.
import type { Query } from '../../plot/plot.ts';
import { isUnit } from '../../plot/units.ts';
import type { PanelSettings, Place, Threshold } from '../plot/panel-settings.ts';
import { hasQueries } from '../plot/panel-settings.ts';
import type { Variable } from '../variables/variable.ts';

const version = 1;
export const mostPanels = 200;
export const mostQueries = 20;
export const mostVariables = 30;
const mostText = 8192;

export interface DashboardFile {
  panels: PanelSettings[];
  variables: Variable[];
}

export const textOf = (panels: readonly PanelSettings[], variables: readonly Variable[] = []): string =>
  `${JSON.stringify({ kind: 'cumulet-dashboard', version, panels, variables }, null, 2)}\n`;

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The file is not valid JSON.');
  }
}

// Throws an error with a message if the value is not a dashboard.
export function dashboardIn(value: unknown): DashboardFile {
  if (!isObject(value) || value.kind !== 'cumulet-dashboard' || !Array.isArray(value.panels))
    throw new Error('The file is neither a dashboard of this console nor one of Grafana.');
  if (value.version !== version) throw new Error('The dashboard file has a version that this console can’t read.');
  if (value.panels.length > mostPanels) throw new Error(`A dashboard can have at most ${mostPanels} panels.`);
  const variables = Array.isArray(value.variables) ? value.variables.slice(0, mostVariables) : [];
  return {
    panels: value.panels.map((panel, at) => panelOf(panel, at + 1)),
    variables: variables.flatMap((one: unknown) => variableOf(one)),
  };
}

export const panelsIn = (text: string): PanelSettings[] => dashboardIn(jsonIn(text)).panels;

function panelOf(value: unknown, number: number): PanelSettings {
  const { title, source, queries, unit, isTable, ...more } = isObject(value) ? value : {};
  const kind = isText(more.kind) ? { kind: more.kind } : {};
  const least = hasQueries(kind) ? 1 : 0;
  const isList = Array.isArray(queries) && queries.length >= least && queries.length <= mostQueries;
  if (!isText(title) || !isText(source) || !isList)
    throw new Error(`Panel ${number} of the file is not a valid panel.`);
  const grid = placeOf(more.grid);
  const thresholds = Array.isArray(more.thresholds) ? more.thresholds.filter(isThreshold) : [];
  return {
    title,
    source,
    queries: queries.map((query: unknown) => queryOf(query, number)),
    unit: isUnit(unit) ? unit : 'auto',
    isTable: isTable === true,
    ...kind,
    ...(grid && { grid }),
    ...(isNumber(more.min) && { min: more.min }),
    ...(isNumber(more.max) && { max: more.max }),
    ...(isNumber(more.decimals) && { decimals: more.decimals }),
    ...(thresholds.length > 0 && { thresholds }),
    ...(more.isCollapsed === true && { isCollapsed: true }),
  };
}

function queryOf(value: unknown, number: number): Query {
  const { expression, legend } = isObject(value) ? value : {};
  if (!isText(expression) || !isText(legend)) throw new Error(`An expression of panel ${number} is not a text.`);
  return { expression, legend };
}

function placeOf(value: unknown): Place | undefined {
  const { x, y, width, height } = isObject(value) ? value : {};
  const isPlace = [2 * Number(x), y, 2 * Number(width), height].every(
    (one) => Number.isInteger(one) && Number(one) >= 0,
  );
  return isPlace ? ({ x, y, width, height } as Place) : undefined;
}

const isThreshold = (value: unknown): value is Threshold =>
  isObject(value) && isText(value.colour) && (value.value === undefined || isNumber(value.value));

function variableOf(value: unknown): Variable[] {
  if (!isObject(value) || !isText(value.name) || !isText(value.kind) || !isText(value.query)) return [];
  const { name, label, kind, query, pattern, isMulti, hasAll, allValue, isHidden, current } = value;
  return [
    {
      name,
      kind,
      query,
      ...(isText(label) && { label }),
      ...(isText(pattern) && { pattern }),
      ...(isMulti === true && { isMulti }),
      ...(hasAll === true && { hasAll }),
      ...(isText(allValue) && { allValue }),
      ...(isHidden === true && { isHidden }),
      current: Array.isArray(current) ? current.filter(isText) : [],
    },
  ];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= mostText;
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
