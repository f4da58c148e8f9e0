// The lines of a plot as a table: below a chart with the values under the cursor, where a press hides or shows a line
// and a look lifts it; or instead of the chart, as the whole of what can be read.
import { element, fill } from '../dom.ts';
import type { Line, Plot } from './plot.ts';
import { timeText } from './time-range.ts';
import { formatValue, type Unit } from './units.ts';

export const colours = 10; // of lines, one after the other

export interface LegendOptions {
  isTable: boolean; // there is no chart above it
  hidden: Set<string>;
  onLook(line: number | undefined): void;
  onHide(): void;
}

export interface Legend {
  view: HTMLElement;
  follow(at: number | undefined): void; // shows the values at a place of the grid, or the last ones
  mark(line: number | undefined): void;
}

export function legend(plot: Plot, unit: Unit, options: LegendOptions): Legend {
  const when = element('p', { class: 'when' }, 'Last values');
  const rows = plot.lines.map((line, at) => rowOf(line, at, unit, options));
  const titles = [
    'Series',
    options.isTable ? 'Last' : 'Value',
    'Min',
    'Mean',
    'Max',
    ...(options.isTable ? ['At'] : []),
  ];
  const table = element(
    'table',
    { role: 'table', class: 'lines' },
    element('caption', { class: 'unseen' }, 'Series and their values'),
    element(
      'thead',
      { role: 'rowgroup' },
      element(
        'tr',
        { role: 'row' },
        titles.map((title) => element('th', { scope: 'col', role: 'columnheader' }, title)),
      ),
    ),
    element(
      'tbody',
      { role: 'rowgroup' },
      rows.map(({ view }) => view),
    ),
  );
  return {
    view: element('div', { class: options.isTable ? 'legend whole' : 'legend' }, !options.isTable && when, table),
    follow(at) {
      const time = at === undefined ? undefined : plot.times[at];
      when.textContent = time === undefined ? 'Last values' : timeText(time);
      for (const [index, { value }] of rows.entries()) {
        const line = plot.lines[index];
        const shown = at === undefined ? line?.last : (line?.values[at] ?? undefined);
        fill(value, shown === undefined ? '–' : formatValue(shown, unit));
      }
    },
    mark(line) {
      for (const [index, { view }] of rows.entries()) view.classList.toggle('near', index === line);
    },
  };
}

interface Row {
  view: HTMLElement;
  value: HTMLElement;
}

function rowOf(line: Line, at: number, unit: Unit, { isTable, hidden, onLook, onHide }: LegendOptions): Row {
  const cell = (text: string): HTMLElement => element('td', { role: 'cell' }, text);
  const number = (value: number): HTMLElement => cell(Number.isFinite(value) ? formatValue(value, unit) : '–');
  const value = cell(line.last === undefined ? '–' : formatValue(line.last, unit));
  const swatch = element('span', { class: `swatch line-${at % colours}`, 'aria-hidden': 'true' });
  const press = element(
    'button',
    { type: 'button', class: 'plain series', title: line.full, 'aria-pressed': String(!hidden.has(line.name)) },
    swatch,
    line.name,
  );
  press.addEventListener('click', () => {
    if (!hidden.delete(line.name)) hidden.add(line.name);
    press.setAttribute('aria-pressed', String(!hidden.has(line.name)));
    onHide();
  });
  const look = { mouseenter: () => onLook(at), mouseleave: () => onLook(undefined) };
  const view = element(
    'tr',
    { role: 'row', ...(!isTable && { ...look, focusin: look.mouseenter, focusout: look.mouseleave }) },
    element('td', { role: 'cell' }, isTable ? element('span', { class: 'name' }, line.full) : press),
    value,
    number(line.least),
    number(line.mean),
    number(line.most),
    isTable && cell(line.last === undefined ? '–' : timeText(line.lastS)),
  );
  return { view, value };
}

const mostSaid = 5;

// What is read out at a place of the grid.
export function formatUnseen({ times, lines }: Plot, at: number, unit: Unit): string {
  const said = lines.slice(0, mostSaid).map(({ name, values }) => {
    const value = values[at] ?? undefined;
    return `${name}: ${value === undefined ? 'nothing' : formatValue(value, unit)}`;
  });
  return [timeText(times[at] ?? 0), ...said].join('; ');
}
