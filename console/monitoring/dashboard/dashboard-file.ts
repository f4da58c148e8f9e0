// The panels of a dashboard as a file, to move them between regions. Imported files are validated like any input.
import type { Query } from '../../plot/plot.ts';
import { isUnit } from '../../plot/units.ts';
import type { PanelSettings } from '../plot/panel-settings.ts';

const version = 1;
export const mostPanels = 50;
const mostQueries = 20;
const mostText = 8192;

export const textOf = (panels: readonly PanelSettings[]): string =>
  `${JSON.stringify({ kind: 'cumulet-dashboard', version, panels }, null, 2)}\n`;

// Throws an error with a message if the text is not a dashboard.
export function panelsIn(text: string): PanelSettings[] {
  const value = parsed(text);
  if (!isObject(value) || value.kind !== 'cumulet-dashboard' || !Array.isArray(value.panels))
    throw new Error('The file is not a dashboard of this console. Export one with Export.');
  if (value.version !== version) throw new Error('The dashboard file has a version that this console can’t read.');
  if (value.panels.length > mostPanels) throw new Error(`A dashboard can have at most ${mostPanels} panels.`);
  return value.panels.map((panel, at) => panelOf(panel, at + 1));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The file is not valid JSON.');
  }
}

function panelOf(value: unknown, number: number): PanelSettings {
  const { title, source, queries, unit, isTable } = isObject(value) ? value : {};
  const isList = Array.isArray(queries) && queries.length > 0 && queries.length <= mostQueries;
  if (!isText(title) || !isText(source) || !isList)
    throw new Error(`Panel ${number} of the file is not a valid panel.`);
  return {
    title,
    source,
    queries: queries.map((query: unknown) => queryOf(query, number)),
    unit: isUnit(unit) ? unit : 'auto',
    isTable: isTable === true,
  };
}

function queryOf(value: unknown, number: number): Query {
  const { expression, legend } = isObject(value) ? value : {};
  if (!isText(expression) || !isText(legend)) throw new Error(`An expression of panel ${number} is not a text.`);
  return { expression, legend };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= mostText;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
