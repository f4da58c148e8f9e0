// Converts a panel of Grafana: its kind, queries, unit, scale and thresholds.
import type { Query } from '../../../plot/plot.ts';
import { kindOf, type PanelSettings, type Threshold } from '../../plot/panel-settings.ts';
import { mostQueries } from '../dashboard-file.ts';
import { colourOfGrafana, unitOfGrafana } from './grafana-units.ts';
import { type Grafana, numberIn, objectIn, objectsIn, textIn } from './grafana-values.ts';

const renamed: Readonly<Record<string, string>> = { graph: 'timeseries', 'table-old': 'table' };

export function panelOf(panel: Grafana, source: string): PanelSettings {
  const queries = queriesOf(panel);
  const kind = kindOfGrafana(panel, queries.length > 0);
  const scale = kindOf({ kind }) === 'row' ? {} : scaleOf(panel);
  return {
    title: textIn(panel.title),
    source,
    queries,
    unit: unitOfGrafana(unitIn(panel)),
    isTable: false,
    kind,
    ...scale,
    ...(kind === 'row' && (panel.collapsed === true || panel.collapse === true) && { isCollapsed: true }),
  };
}

function kindOfGrafana(panel: Grafana, hasExpressions: boolean): string {
  const type = textIn(panel.type) || (panel.libraryPanel === undefined ? 'unknown' : 'library panel');
  if (type === 'row') return type;
  const shown = type === 'singlestat' ? (objectIn(panel.gauge).show === true ? 'gauge' : 'stat') : type;
  const kind = renamed[shown] ?? shown;
  const isLoki = sourceTypes(panel).includes('loki');
  if (kindOf({ kind }) === 'unsupported') return kind;
  if (!hasExpressions) return `${kind} of another data source`;
  return isLoki && kind !== 'logs' ? `${kind} of log lines` : kind;
}

const sourceTypes = (panel: Grafana): string[] =>
  [panel, ...objectsIn(panel.targets)].map((one) => textIn(objectIn(one.datasource).type));

const queriesOf = (panel: Grafana): Query[] =>
  objectsIn(panel.targets)
    .filter((target) => target.hide !== true && textIn(target.expr).trim() !== '')
    .slice(0, mostQueries)
    .map(({ expr, legendFormat }) => {
      const legend = textIn(legendFormat);
      return { expression: textIn(expr).trim(), legend: legend === '__auto' ? '' : legend };
    });

const defaultsOf = (panel: Grafana): Grafana => objectIn(objectIn(panel.fieldConfig).defaults);
const axisOf = (panel: Grafana): Grafana => objectsIn(panel.yaxes)[0] ?? {}; // of a graph

const unitIn = (panel: Grafana): string =>
  textIn(defaultsOf(panel).unit) || textIn(axisOf(panel).format) || textIn(panel.format);

type Scale = Pick<PanelSettings, 'min' | 'max' | 'decimals' | 'thresholds'>;

function scaleOf(panel: Grafana): Scale {
  const [defaults, axis, gauge] = [defaultsOf(panel), axisOf(panel), objectIn(panel.gauge)];
  const min = numberIn(defaults.min) ?? numberIn(axis.min) ?? numberIn(gauge.minValue);
  const max = numberIn(defaults.max) ?? numberIn(axis.max) ?? numberIn(gauge.maxValue);
  const decimals = numberIn(defaults.decimals) ?? numberIn(panel.decimals);
  const thresholds = thresholdsOf(panel, min, max);
  return {
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(decimals !== undefined && { decimals: Math.min(15, Math.max(0, Math.round(decimals))) }),
    ...(thresholds.length > 0 && { thresholds }),
  };
}

const mostThresholds = 20;

function thresholdsOf(panel: Grafana, min: number | undefined, max: number | undefined): Threshold[] {
  const defaults = defaultsOf(panel);
  const mode = textIn(objectIn(defaults.color).mode) || 'thresholds';
  if (mode !== 'thresholds') return [];
  const { mode: scale, steps } = objectIn(defaults.thresholds);
  if (steps === undefined) return oldThresholds(panel);
  const [least, most] = endsOf(unitIn(panel), min, max);
  return objectsIn(steps)
    .slice(0, mostThresholds)
    .map(({ color, value }, at) => {
      const colour = colourOfGrafana(textIn(color));
      const number = numberIn(value);
      if (number === undefined || (at === 0 && value === null)) return { colour };
      return { colour, value: scale === 'percentage' ? least + (number / 100) * (most - least) : number };
    });
}

function endsOf(unit: string, min: number | undefined, max: number | undefined): [number, number] {
  return [min ?? 0, max ?? (unit === 'percentunit' ? 1 : 100)];
}

// Of a `singlestat`: `50,80` with three colours.
function oldThresholds({ thresholds, colors, colorValue, gauge }: Grafana): Threshold[] {
  if (typeof thresholds !== 'string' || thresholds === '') return [];
  if (colorValue !== true && objectIn(gauge).show !== true) return [];
  const colours = Array.isArray(colors) ? colors.map(textIn).map(colourOfGrafana) : [];
  const values = thresholds.split(',').map(numberIn);
  return colours.slice(0, values.length + 1).flatMap((colour, at): Threshold[] => {
    const value = values[at - 1];
    if (at === 0) return [{ colour }];
    return value === undefined ? [] : [{ colour, value }];
  });
}
