// What a panel shows and how: the part of it that a dashboard keeps.
import { type Unit, unitOf } from './units.ts';

export interface Query {
  expression: string;
  legend: string; // with {{label}} for values of labels; empty: the labels in which the series differ
}

export interface PanelSettings {
  title: string;
  source: string; // the id of a pipeline or of central monitoring
  queries: readonly Query[];
  unit: Unit | 'auto';
  isTable: boolean;
}

export function unitOfPanel({ unit, queries }: Pick<PanelSettings, 'unit' | 'queries'>): Unit {
  if (unit !== 'auto') return unit;
  const found = new Set(queries.map(({ expression }) => unitOf(expression)));
  const [only = 'number'] = found;
  return found.size === 1 ? only : 'number';
}
