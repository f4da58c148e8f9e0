// The settings of a panel, as a dashboard stores them.
import type { Query } from '../../plot/plot.ts';
import { isUnit, type Unit, unitOf } from '../../plot/units.ts';

export const kinds = {
  timeseries: 'Time series',
  stat: 'Stat',
  gauge: 'Gauge',
  bargauge: 'Bar gauge',
  table: 'Table',
  logs: 'Logs',
  row: 'Row',
} as const;

export type Kind = keyof typeof kinds;

const thresholdColours = ['good', 'warning', 'danger', 'accent', 'quiet'] as const;
export type ThresholdColour = (typeof thresholdColours)[number];

export interface Threshold {
  value?: number; // absent: below all others
  colour: string;
}

// In cells of a grid with 12 columns; imported panels can use halves of columns.
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PanelSettings {
  title: string;
  source: string; // the id of a pipeline or of central monitoring; of log lines: of a log pipeline
  queries: readonly Query[];
  unit: Unit | 'auto';
  isTable: boolean;
  kind?: string; // default: timeseries; a kind of another tool is kept and shown as unsupported
  grid?: Place;
  min?: number;
  max?: number;
  decimals?: number;
  thresholds?: readonly Threshold[];
  isCollapsed?: boolean; // of a row
}

export function kindOf({ kind = 'timeseries' }: Pick<PanelSettings, 'kind'>): Kind | 'unsupported' {
  return Object.hasOwn(kinds, kind) ? (kind as Kind) : 'unsupported';
}

export const hasQueries = (settings: Pick<PanelSettings, 'kind'>): boolean =>
  !['row', 'unsupported'].includes(kindOf(settings));

export function unitOfPanel({ unit, queries }: Pick<PanelSettings, 'unit' | 'queries'>): Unit {
  if (isUnit(unit)) return unit; // the API accepts any text
  const found = new Set(queries.map(({ expression }) => unitOf(expression)));
  const [only = 'number'] = found;
  return found.size === 1 ? only : 'number';
}

// The colour of a value: that of the highest threshold that it reaches.
export function colourOf(value: number, thresholds: readonly Threshold[] = []): ThresholdColour | undefined {
  const [reached] = thresholds
    .filter((one) => value >= (one.value ?? Number.NEGATIVE_INFINITY))
    .toSorted((a, b) => (b.value ?? Number.NEGATIVE_INFINITY) - (a.value ?? Number.NEGATIVE_INFINITY));
  return thresholdColours.find((colour) => colour === reached?.colour);
}

// `70, 90`: a warning from 70 on, danger from 90 on. With one number: danger.
export function thresholdsIn(text: string): Threshold[] {
  const numbers = text
    .split(/[,;\s]+/)
    .filter((part) => part !== '')
    .map(Number)
    .filter((number) => Number.isFinite(number))
    .toSorted((a, b) => a - b);
  if (numbers.length === 0) return [];
  const steps = numbers.map((value, at) => ({ value, colour: at === numbers.length - 1 ? 'danger' : 'warning' }));
  return [{ colour: 'good' }, ...steps];
}

export const thresholdsText = (thresholds: readonly Threshold[] = []): string =>
  thresholds.flatMap(({ value }) => (value === undefined ? [] : [String(value)])).join(', ');
