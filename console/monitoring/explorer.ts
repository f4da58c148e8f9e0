// From a metric to a chart: choose one, filter and split it, or write PromQL by hand. What is good becomes a panel of
// the dashboard, or an alert rule.
import { button, type Child, element, fill, freshId } from '../dom.ts';
import { perform } from '../parts/toast.ts';
import { labelsOf, labelValues } from './asking.ts';
import type { PanelSettings } from './dashboard-store.ts';
import { queriesFor, selectorOf } from './expression.ts';
import { labelFilters } from './label-filters.ts';
import { metricPicker } from './metric-picker.ts';
import type { Metric } from './metrics.ts';
import { Panel, type PanelOptions } from './panel.ts';
import { queryRows } from './query-rows.ts';
import type { Source } from './sources.ts';
import type { Span } from './time-range.ts';
import { type Unit, units } from './units.ts';

export interface ExplorerOptions extends Pick<PanelOptions, 'signal' | 'thresholdsOf' | 'onZoom'> {
  source: Source;
  metrics: readonly Metric[];
  onAsk(): void; // there is something else to ask for
  onAdd(settings: PanelSettings): void;
  onSave(settings: PanelSettings): void; // of the panel that is being edited
  onAlert(settings: PanelSettings): void;
}

export class Explorer {
  readonly view: HTMLElement;
  #options: ExplorerOptions;
  #metric: Metric | undefined;
  #panel: Panel;
  #rows = queryRows(
    () => this.#ask(),
    () => this.#unchoose(),
  );
  #picker = metricPicker((metric) => this.choose(metric));
  #filters = labelFilters({
    valuesOf: (label) => this.#valuesOf(label),
    onChange: () => this.#rewrite(),
  });
  #title = element('input', { id: freshId('title'), maxlength: 200, autocomplete: 'off' });
  #unit = element('select', { id: freshId('unit'), change: () => this.#ask() });
  #save = button('Save the panel', () => this.#options.onSave(this.settings));
  #isTable = false;
  #choices = 0;

  constructor(options: ExplorerOptions) {
    this.#options = options;
    const { source, signal, thresholdsOf, onZoom } = options;
    this.#panel = new Panel(this.settings, {
      signal,
      thresholdsOf,
      onZoom,
      sourceOf: () => source,
      onProblems: (problems) => this.#rows.tell(problems),
      onView: (isTable) => {
        this.#isTable = isTable;
      },
    });
    const titles: [Unit | 'auto', string][] = [['auto', 'By the name'], ...(Object.entries(units) as [Unit, string][])];
    fill(
      this.#unit,
      titles.map(([value, title]) => element('option', { value }, title)),
    );
    this.#picker.offer(options.metrics);
    this.#filters.offer([]);
    this.#save.hidden = true;
    this.view = this.#draw();
  }

  get settings(): PanelSettings {
    const queries = this.#rows.read();
    return {
      title: this.#title.value.trim() || (this.#metric?.name ?? queries[0]?.expression.slice(0, 80) ?? ''),
      source: this.#options.source.id,
      queries,
      unit: (this.#unit.value || 'auto') as Unit | 'auto',
      isTable: this.#isTable,
    };
  }

  // By its expressions; `isKept`: they are those of a panel that can be saved again.
  load(settings: Pick<PanelSettings, 'queries'> & Partial<PanelSettings>, isKept: boolean): void {
    this.#unchoose();
    this.#title.value = settings.title ?? '';
    this.#unit.value = settings.unit ?? 'auto';
    this.#isTable = settings.isTable ?? false;
    this.#save.hidden = !isKept;
    this.#rows.write(settings.queries);
    this.#ask();
  }

  choose(metric: Metric): void {
    this.#metric = metric;
    this.#picker.show(metric.name);
    this.#filters.offer([]);
    this.#rewrite();
    perform(() => this.#offerLabels(metric));
  }

  // Nothing of a panel stays after it was removed.
  endEditing(): void {
    this.#save.hidden = true;
  }

  async refresh(span: Span): Promise<void> {
    this.#panel.settings = this.settings;
    if (this.settings.queries.length > 0) await this.#panel.refresh(span);
  }

  focus(): void {
    this.view.scrollIntoView({ block: 'start' });
    this.view.querySelector('textarea')?.focus({ preventScroll: true });
  }

  #unchoose(): void {
    if (!this.#metric) return;
    this.#metric = undefined;
    this.#picker.show('');
    this.#filters.offer([]);
  }

  #ask(): void {
    this.#options.onAsk();
  }

  #rewrite(): void {
    if (!this.#metric) return;
    const choice = { metric: this.#metric, filters: this.#filters.filters(), by: this.#filters.by() };
    this.#rows.write(queriesFor(choice));
    this.#ask();
  }

  #selectorOf(metric: Metric): string {
    const name = metric.type.endsWith('histogram') ? `${metric.name}_bucket` : metric.name;
    return selectorOf({ metric: { ...metric, name }, filters: [] });
  }

  async #offerLabels(metric: Metric): Promise<void> {
    const { source, signal } = this.#options;
    const turn = ++this.#choices;
    const labels = await labelsOf(source, this.#selectorOf(metric), signal);
    if (this.#metric === metric && turn === this.#choices) this.#filters.offer(labels);
  }

  async #valuesOf(label: string): Promise<string[]> {
    const { source, signal } = this.#options;
    return this.#metric ? labelValues(source, label, this.#selectorOf(this.#metric), signal) : [];
  }

  // The title was that panel's: the next one has its own.
  #add(): void {
    this.#options.onAdd(this.settings);
    this.#title.value = '';
  }

  #draw(): HTMLElement {
    const id = freshId('explore');
    const field = (title: string, control: HTMLElement): Child =>
      element('div', { class: 'field' }, element('label', { for: control.id }, title), control);
    return element(
      'section',
      { class: 'panel explorer', 'aria-labelledby': id },
      element('h2', { id }, 'Explore'),
      element('div', { class: 'builder' }, this.#picker.view, this.#filters.view),
      this.#rows.view,
      element(
        'div',
        { class: 'actions' },
        button('Show', () => this.#ask()),
        this.#rows.more,
        this.#panel.toggle,
      ),
      this.#panel.view,
      element(
        'div',
        { class: 'keeping' },
        field('Title', this.#title),
        field('Unit', this.#unit),
        element(
          'div',
          { class: 'actions' },
          this.#save,
          button('Add to the dashboard', () => this.#add(), { look: 'plain' }),
          button('Make an alert rule', () => this.#options.onAlert(this.settings), { look: 'plain' }),
        ),
      ),
    );
  }
}
