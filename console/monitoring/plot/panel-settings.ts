// The settings of a panel, as a dashboard stores them.
import type { Query } from '../../plot/plot.ts';
import { isUnit, type Unit, unitOf } from '../../plot/units.ts';

export interface PanelSettings {
  title: string;
  source: string; // the id of a pipeline or of central monitoring
  queries: readonly Query[];
  unit: Unit | 'auto';
  isTable: boolean;
}

export function unitOfPanel({ unit, queries }: Pick<PanelSettings, 'unit' | 'queries'>): Unit {
  if (isUnit(unit)) return unit; // the API accepts any text
  const found = new Set(queries.map(({ expression }) => unitOf(expression)));
  const [only = 'number'] = found;
  return found.size === 1 ? only : 'number';
}
