// A table from data: columns say what a row shows. In a narrow window each row becomes a card whose cells carry the
// titles of their columns, so the roles are spelled out: browsers forget them with the display.
import { type Child, element } from '../dom.ts';

export interface Column<Row> {
  title: string;
  cell(row: Row): Child;
  look?: 'code' | 'buttons'; // buttons: no title is shown, but read
}

export interface TableOptions<Row> {
  caption: string; // what is listed, for those who do not see the heading above it
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}

export function table<Row>({ caption, columns, rows }: TableOptions<Row>): HTMLTableElement {
  const head = columns.map(({ title, look }) =>
    element('th', { scope: 'col', role: 'columnheader', class: look }, look === 'buttons' ? unseen(title) : title),
  );
  return element(
    'table',
    { role: 'table' },
    element('caption', { class: 'unseen' }, caption),
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, head)),
    element(
      'tbody',
      { role: 'rowgroup' },
      rows.map((row) =>
        element(
          'tr',
          { role: 'row' },
          columns.map(({ title, look, cell }) =>
            element(
              'td',
              { role: 'cell', class: look, 'data-title': look === 'buttons' ? undefined : title },
              element('span', { class: 'value' }, cell(row)),
            ),
          ),
        ),
      ),
    ),
  );
}

const unseen = (text: string): HTMLSpanElement => element('span', { class: 'unseen' }, text);
