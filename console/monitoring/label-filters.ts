// Which series of a metric are meant: filters on their labels, and the label that splits them. What there is to choose
// comes from the source.
import { button, element, fill, freshId } from '../dom.ts';
import { type Filter, type Operator, operators } from './expression.ts';

export interface LabelFilters {
  view: HTMLElement;
  filters(): Filter[];
  by(): string;
  offer(labels: readonly string[]): void; // of another metric: filters begin anew
}

export interface FilterOptions {
  valuesOf(label: string): Promise<string[]>;
  onChange(): void;
}

interface Row {
  view: HTMLElement;
  read(): Filter;
}

const meanings: Record<Operator, string> = { '=': 'is', '!=': 'is not', '=~': 'matches', '!~': 'does not match' };

export function labelFilters({ valuesOf, onChange }: FilterOptions): LabelFilters {
  let labels: readonly string[] = [];
  let rows: Row[] = [];
  const list = element('div', { class: 'filters' });
  const byId = freshId('by');
  const by = element('select', { id: byId, change: onChange });

  const draw = (): void =>
    fill(
      list,
      rows.map(({ view }) => view),
    );
  const remove = (row: Row): void => {
    rows = rows.filter((one) => one !== row);
    draw();
    more.focus();
    onChange();
  };
  const more = button(
    'Add a filter',
    () => {
      const row = filterRow(labels, valuesOf, onChange, () => remove(row));
      rows = [...rows, row];
      draw();
      row.view.querySelector('select')?.focus();
    },
    { look: 'plain' },
  );

  return {
    view: element(
      'div',
      { class: 'labels' },
      element('div', { class: 'field' }, element('label', { for: byId }, 'Split by'), by),
      element('div', { class: 'field wide', role: 'group', 'aria-label': 'Filters' }, list, more),
    ),
    filters: () => rows.map((row) => row.read()).filter(({ label }) => label !== ''),
    by: () => by.value,
    offer(all) {
      labels = all;
      rows = [];
      draw();
      more.disabled = all.length === 0;
      fill(
        by,
        element('option', { value: '' }, 'nothing'),
        all.filter((label) => label !== 'le').map((label) => element('option', { value: label }, label)),
      );
    },
  };
}

function filterRow(
  labels: readonly string[],
  valuesOf: (label: string) => Promise<string[]>,
  onChange: () => void,
  onRemove: () => void,
): Row {
  const listId = freshId('values');
  const values = element('datalist', { id: listId });
  const suggest = (): void => {
    const label = name.value;
    valuesOf(label).then(
      (found) =>
        name.value === label &&
        fill(
          values,
          found.map((one) => element('option', { value: one })),
        ),
      () => undefined, // it can be typed all the same
    );
  };
  const relabel = (): void => {
    suggest();
    if (value.value !== '') onChange();
  };
  const name = element(
    'select',
    { 'aria-label': 'Label', change: relabel },
    labels.map((label) => element('option', { value: label }, label)),
  );
  const operator = element(
    'select',
    { 'aria-label': 'Comparison', change: onChange },
    operators.map((one) => element('option', { value: one }, meanings[one])),
  );
  const value = element('input', { 'aria-label': 'Value', list: listId, autocomplete: 'off', change: onChange });
  suggest();
  return {
    view: element(
      'div',
      { class: 'filter' },
      name,
      operator,
      value,
      values,
      button('Remove', onRemove, { look: 'plain', label: 'Remove this filter' }),
    ),
    read: () => ({ label: name.value, operator: operator.value as Operator, value: value.value }),
  };
}
