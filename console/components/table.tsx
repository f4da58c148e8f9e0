// A table from data and column definitions. In a narrow window each row becomes a card whose cells show the column
// titles. The roles are explicit because browsers drop them when CSS changes the display of a table.
// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the roles of a table with its display
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  title: string;
  cell(row: Row): ComponentChildren;
  look?: 'code' | 'number' | 'buttons'; // buttons: the title is only for screen readers
}

export interface TableProps<Row> {
  caption: string; // for screen readers
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
}

export const Table = <Row,>({ caption, columns, rows, keyOf }: TableProps<Row>) => (
  <table role="table">
    <caption class="unseen">{caption}</caption>
    <thead role="rowgroup">
      <tr role="row">
        {columns.map(({ title, look }) => (
          <th key={title} scope="col" role="columnheader" class={look}>
            {look === 'buttons' ? <span class="unseen">{title}</span> : title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {rows.map((row) => (
        <tr key={keyOf(row)} role="row">
          {columns.map(({ title, look, cell }) => (
            <td key={title} role="cell" class={look} data-title={look === 'buttons' ? undefined : title}>
              <span class="value">{cell(row)}</span>
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
