// The metrics of a part: each is declared once, with its description, and shown in /metrics under the part's name.

export interface Figure {
  type: 'counter' | 'gauge';
  help: string;
}

export type FigureTable = Readonly<Record<string, Figure>>;
export type Figures<Table extends FigureTable> = { [Name in keyof Table]?: number };

export interface FigureSource<Table extends FigureTable = FigureTable> {
  of: string; // the part: what its figures' names begin with
  table: Table;
  read(): Figures<Table> | Promise<Figures<Table>>;
}

export const counter = (help: string): Figure => ({ type: 'counter', help }); // only grows, from the start of the process
export const gauge = (help: string): Figure => ({ type: 'gauge', help });

// The naming rules of Prometheus: snake case, and counters end in _total.
export function metricName(part: string, name: string, { type }: Figure): string {
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return `${part}_${words}${type === 'counter' ? '_total' : ''}`;
}
