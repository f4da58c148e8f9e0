// The expressions of a plot as they are written: one row each, with what is wrong with it told at its place. Enter
// asks, Shift and Enter begins a new line.
import { sentencesOf } from '../api.ts';
import { button, element, fill, freshId } from '../dom.ts';
import { placeOf, plainProblem, type Query } from './expression.ts';
import type { Problems } from './panel.ts';

export interface QueryRows {
  view: HTMLElement;
  more: HTMLElement; // the button for another one
  read(): Query[]; // those that are not empty
  write(queries: readonly Query[]): void;
  tell(problems: Problems): void; // by the number among those that were read
}

interface Row {
  view: HTMLElement;
  expression: HTMLTextAreaElement;
  legend: HTMLInputElement;
  problem: HTMLElement;
}

// `onHand`: somebody writes. Then what was chosen stands for it no more.
export function queryRows(onAsk: () => void, onHand: () => void): QueryRows {
  const list = element('div', { class: 'queries' });
  let rows: Row[] = [];

  const draw = (): void => {
    fill(
      list,
      rows.map(({ view }) => view),
    );
    list.classList.toggle('single', rows.length === 1);
  };
  const add = (query: Query): Row => {
    const row = rowOf(query, onAsk, onHand, () => remove(row));
    rows = [...rows, row];
    return row;
  };
  const remove = (row: Row): void => {
    const at = rows.indexOf(row);
    rows = rows.filter((one) => one !== row);
    draw();
    rows[Math.max(0, at - 1)]?.expression.focus();
    onAsk();
  };
  const filled = (): Row[] => rows.filter(({ expression }) => expression.value.trim() !== '');
  const more = button(
    'Add an expression',
    () => {
      const row = add({ expression: '', legend: '' });
      draw();
      row.expression.focus();
    },
    { look: 'plain' },
  );
  add({ expression: '', legend: '' });
  draw();
  return {
    view: list,
    more,
    read: () => filled().map(({ expression, legend }) => ({ expression: expression.value, legend: legend.value })),
    write(queries) {
      rows = [];
      for (const query of queries.length > 0 ? queries : [{ expression: '', legend: '' }]) add(query);
      draw();
    },
    tell(problems) {
      for (const [at, row] of filled().entries()) tellRow(row, problems.has(at), problems.get(at));
    },
  };
}

function rowOf({ expression, legend }: Query, onAsk: () => void, onHand: () => void, onRemove: () => void): Row {
  const [id, legendId] = [freshId('expression'), freshId('legend')];
  const problem = element('div', { class: 'problem', id: `${id}-problem`, 'aria-live': 'polite' });
  const text = element(
    'textarea',
    { id, class: 'code', rows: linesIn(expression), spellcheck: 'false', autocomplete: 'off' },
    expression,
  );
  text.setAttribute('aria-describedby', problem.id);
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    onAsk();
  });
  text.addEventListener('input', () => {
    text.rows = linesIn(text.value);
    text.removeAttribute('aria-invalid');
    fill(problem);
    onHand();
  });
  const name = element('input', { id: legendId, value: legend, placeholder: '{{job}}', autocomplete: 'off' });
  name.addEventListener('change', onAsk);
  const view = element(
    'div',
    { class: 'query' },
    element('div', { class: 'field wide' }, element('label', { for: id }, 'Expression'), text, problem),
    element('div', { class: 'field' }, element('label', { for: legendId }, 'Legend'), name),
    button('Remove', onRemove, { look: 'plain', label: 'Remove this expression' }),
  );
  return { view, expression: text, legend: name, problem };
}

const linesIn = (text: string): number => Math.min(12, Math.max(2, text.split('\n').length));

function tellRow({ expression, problem }: Row, isWrong: boolean, error: unknown): void {
  if (!isWrong) {
    expression.removeAttribute('aria-invalid');
    fill(problem);
    return;
  }
  const message = sentencesOf(error).join(' ');
  const place = placeOf(expression.value, message);
  expression.setAttribute('aria-invalid', 'true');
  fill(
    problem,
    element('p', {}, plainProblem(message)),
    place &&
      element(
        'pre',
        { class: 'place' },
        place.line.slice(0, place.from),
        element('mark', {}, place.line.slice(place.from, place.to) || ' '),
        place.line.slice(place.to),
      ),
  );
}
