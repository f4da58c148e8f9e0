// Converts a dashboard of Grafana (schema versions 14 to 41 of its JSON). Panels that this console can't draw are kept
// with the name of their kind. Data sources are replaced by the chosen pipeline.
import { kindOf, type PanelSettings, type Place } from '../../plot/panel-settings.ts';
import { interpolated, type Selection } from '../../variables/interpolation.ts';
import type { DashboardProperties } from '../dashboard-api.ts';
import { isObject, mostPanels } from '../dashboard-file.ts';
import { panelOf } from './grafana-panel.ts';
import { type Grafana, numberIn, objectsIn, textIn } from './grafana-values.ts';
import { constantsOf, variablesOf } from './grafana-variables.ts';

export interface ImportedDashboard {
  name: string;
  content: Omit<DashboardProperties, 'name'>;
  notes: string[];
}

// A dashboard of Grafana's export, or of its API, which wraps it.
const dashboardOf = (value: unknown): unknown =>
  isObject(value) && isObject(value.dashboard) ? value.dashboard : value;

export function isGrafana(value: unknown): boolean {
  const found = dashboardOf(value);
  return isObject(found) && found.kind === undefined && (Array.isArray(found.panels) || Array.isArray(found.rows));
}

export function grafanaDashboard(value: unknown, source: string): ImportedDashboard {
  const found = dashboardOf(value) as Grafana;
  const inputs = constantsOf(found);
  const { variables, dropped } = variablesOf(found, inputs);
  const all = panelsOf(found, source, inputs);
  const panels = all.slice(0, mostPanels);
  const range = rangeOf(found);
  return {
    name: textIn(found.title).trim().slice(0, 200) || 'Imported dashboard',
    content: { panels, variables, ...(range !== undefined && { range }) },
    notes: notesOn(all, dropped),
  };
}

function notesOn(all: readonly PanelSettings[], dropped: readonly string[]): string[] {
  const unsupported = all.filter((one) => kindOf(one) === 'unsupported');
  const names = [...new Set(unsupported.map(({ kind }) => kind))].join(', ');
  return [
    ...(unsupported.length > 0 ? [`${unsupported.length} unsupported: ${names}.`] : []),
    ...(dropped.length > 0 ? [`Variables left out: ${dropped.join(', ')}.`] : []),
    ...(all.length > mostPanels ? [`Only the first ${mostPanels} of ${all.length} panels are imported.`] : []),
  ];
}

interface Positioned {
  panel: Grafana;
  place: Place;
}

const grafanaColumns = 24;
const usualPlace = { x: 0, y: 0, w: 12, h: 8 };

// Grafana's columns are half as wide, and its rows as high.
function placeOf(panel: Grafana): Place {
  const { gridPos } = panel;
  const { x, y, w, h } = isObject(gridPos) ? gridPos : usualPlace;
  const [left, width] = [numberIn(x) ?? 0, numberIn(w) ?? usualPlace.w];
  const right = Math.min(grafanaColumns, left + width);
  return {
    x: Math.min(grafanaColumns - 1, Math.floor(left)) / 2,
    y: Math.max(0, Math.round(numberIn(y) ?? 0)),
    width: Math.max(1, Math.floor(right - left)) / 2,
    height: Math.max(1, Math.round(numberIn(h) ?? usualPlace.h)),
  };
}

function panelsOf(found: Grafana, source: string, inputs: Selection): PanelSettings[] {
  const positioned = Array.isArray(found.rows) ? fromRows(objectsIn(found.rows)) : fromGrid(objectsIn(found.panels));
  return positioned.map(({ panel, place }) => ({
    ...resolved(panelOf(panel, source), inputs),
    grid: place,
  }));
}

const resolved = (settings: PanelSettings, inputs: Selection): PanelSettings => ({
  ...settings,
  queries: settings.queries.map(({ expression, legend }) => ({
    expression: interpolated(expression, inputs),
    legend: interpolated(legend, inputs),
  })),
});

// The panels of a collapsed row are inside it, so all following panels move down by their height.
function fromGrid(panels: readonly Grafana[]): Positioned[] {
  const sorted = panels
    .map((panel) => ({ panel, place: placeOf(panel) }))
    .toSorted((a, b) => a.place.y - b.place.y || a.place.x - b.place.x);
  let added = 0;
  return sorted.flatMap(({ panel, place }) => {
    const y = place.y + added;
    const inner = objectsIn(panel.panels).map((one) => ({ panel: one, place: placeOf(one) }));
    const own = { panel, place: { ...place, y } };
    if (inner.length === 0) return [own];
    const top = Math.min(...inner.map((one) => one.place.y));
    added += Math.max(...inner.map((one) => one.place.y + one.place.height)) - top;
    const placed = inner.map((one) => ({ ...one, place: { ...one.place, y: y + 1 + one.place.y - top } }));
    return [own, ...placed];
  });
}

const rowPx = 38;
const usualRowPx = 250;

// Before schema version 16, rows have panels that fill 12 columns from left to right.
function fromRows(rows: readonly Grafana[]): Positioned[] {
  let y = 0;
  return rows.flatMap((row) => {
    const height = Math.max(3, Math.round((parsedPx(row.height) ?? usualRowPx) / rowPx));
    const hasTitle = row.showTitle === true || row.collapse === true;
    const title = { panel: { ...row, type: 'row', panels: [] }, place: { x: 0, y, width: 12, height: 1 } };
    if (hasTitle) y += 1;
    let x = 0;
    const placed = objectsIn(row.panels).map((panel) => {
      const width = Math.min(12, Math.max(1, Math.round(numberIn(panel.span) ?? 6)));
      if (x + width > 12) [x, y] = [0, y + height];
      const place = { x, y, width, height };
      x += width;
      return { panel, place };
    });
    y += height;
    return hasTitle ? [title, ...placed] : placed;
  });
}

const parsedPx = (height: unknown): number | undefined =>
  numberIn(typeof height === 'string' ? Number.parseFloat(height) : height);

const secondsIn: Record<string, number> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 7 * 86_400,
  M: 30 * 86_400,
  y: 365 * 86_400,
};

// `now-6h` until now. Other ranges are left out.
function rangeOf({ time }: Grafana): number | undefined {
  const [, count, unit = ''] = /^now-(\d+)([smhdwMy])$/.exec(isObject(time) ? textIn(time.from) : '') ?? [];
  const seconds = Number(count) * (secondsIn[unit] ?? Number.NaN);
  return seconds > 0 ? Math.min(366 * 86_400, seconds) : undefined;
}
