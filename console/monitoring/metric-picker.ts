// The list of metrics to choose from: typing searches names and helps, arrow keys go through what is found, and Enter
// takes it. The pattern is that of a combobox whose list is beside it.
import { element, fill, freshId } from '../dom.ts';
import { type Metric, searched } from './metrics.ts';

export interface MetricPicker {
  view: HTMLElement;
  offer(metrics: readonly Metric[]): void;
  show(name: string): void;
}

const mostShown = 100;

export function metricPicker(onChoose: (metric: Metric) => void): MetricPicker {
  const [id, listId] = [freshId('metric'), freshId('metrics')];
  let metrics: readonly Metric[] = [];
  let found: Metric[] = [];
  let at = -1;
  let chosen = '';

  const list = element('ul', { id: listId, class: 'found', role: 'listbox', 'aria-label': 'Metrics', hidden: true });
  const input = element('input', {
    id,
    role: 'combobox',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'Search by name or help',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': listId,
    input: () => open(input.value),
    click: () => open(''),
    keydown: (event) => onKey(event as KeyboardEvent),
    blur: () => close(),
  });
  const count = element('p', { class: 'hint', id: `${id}-hint` });
  input.setAttribute('aria-describedby', count.id);

  const open = (text: string): void => {
    found = searched(metrics, text, mostShown);
    at = found.findIndex(({ name }) => name === chosen);
    fill(list, found.map(optionOf), found.length === 0 && element('li', { class: 'none' }, 'No metric fits.'));
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    point(text === '' ? at : Math.min(0, found.length - 1));
  };
  const close = (): void => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
    input.value = chosen;
  };
  const point = (to: number): void => {
    at = to;
    for (const [index, option] of [...list.children].entries())
      if (index === to) {
        option.setAttribute('aria-selected', 'true');
        option.scrollIntoView({ block: 'nearest' });
        input.setAttribute('aria-activedescendant', option.id);
      } else option.setAttribute('aria-selected', 'false');
    if (to < 0) input.removeAttribute('aria-activedescendant');
  };
  const take = (metric: Metric | undefined): void => {
    if (!metric) return;
    chosen = metric.name;
    close();
    onChoose(metric);
  };
  const optionOf = (metric: Metric): HTMLElement =>
    element(
      'li',
      {
        id: freshId('option'),
        role: 'option',
        mousedown: (event) => event.preventDefault(),
        click: () => take(metric),
      },
      element('span', { class: 'name' }, metric.name),
      element('span', { class: 'type' }, metric.type === 'unknown' ? '' : metric.type),
      metric.help !== '' && element('span', { class: 'help' }, metric.help),
    );

  const onKey = (event: KeyboardEvent): void => {
    const isOpen = !list.hidden;
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      if (isOpen) point(Math.min(found.length - 1, Math.max(0, at + move)));
      else open('');
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      take(found[at]);
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      close();
    }
  };

  return {
    view: element('div', { class: 'field picker' }, element('label', { for: id }, 'Metric'), input, list, count),
    offer(all) {
      metrics = all;
      count.textContent = all.length === 1 ? 'There is one metric.' : `There are ${all.length} metrics.`;
    },
    show(name) {
      chosen = name;
      input.value = name;
    },
  };
}
