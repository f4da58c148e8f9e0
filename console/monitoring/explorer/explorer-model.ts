// The state of the explorer: a metric with filters and a label to split by, or expressions that the user writes. A
// choice writes the expressions; editing an expression clears the choice.
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Query } from '../../plot/plot.ts';
import type { Unit } from '../../plot/units.ts';
import {
  type Kind,
  kindOf,
  type PanelSettings,
  type Threshold,
  thresholdsIn,
  thresholdsText,
} from '../plot/panel-settings.ts';
import type { Problems } from '../plot/plot-query.ts';
import { labelsOf, labelValues, listMetrics } from '../prometheus.ts';
import type { Source } from '../sources.ts';
import { type Filter, type Operator, queriesFor, selectorOf } from './expression.ts';
import type { Metric } from './metrics.ts';

let count = 0;

export class QueryRow {
  readonly id = ++count;
  readonly expression: Signal<string>;
  readonly legend: Signal<string>;
  readonly problem = signal<unknown>(undefined);

  constructor({ expression, legend }: Query) {
    this.expression = signal(expression);
    this.legend = signal(legend);
  }

  get isEmpty(): boolean {
    return this.expression.value.trim() === '';
  }
}

export class FilterRow {
  readonly id = ++count;
  readonly label: Signal<string>;
  readonly operator = signal<Operator>('=');
  readonly value = signal('');

  constructor(label: string) {
    this.label = signal(label);
  }

  get filter(): Filter {
    return { label: this.label.value, operator: this.operator.value, value: this.value.value };
  }
}

const noQuery: Query = { expression: '', legend: '' };

export type Start = Pick<PanelSettings, 'queries'> & Partial<PanelSettings>;

export class ExplorerModel {
  readonly title = signal('');
  readonly unit = signal<Unit | 'auto'>('auto');
  readonly isTable = signal(false);
  readonly kind = signal<Kind>('timeseries');
  readonly thresholds = signal(''); // numbers, separated by commas
  readonly by = signal('');
  readonly plotted = signal<readonly Query[]>([]); // the queries of the plot
  readonly metric = signal<Metric | undefined>(undefined);
  readonly labels = signal<readonly string[]>([]); // of the metric
  readonly filters = signal<readonly FilterRow[]>([]);
  readonly rows = signal<readonly QueryRow[]>([new QueryRow(noQuery)]);
  #loaded: Partial<PanelSettings> = {}; // the settings of the edited panel
  readonly #source: Source;
  readonly #signal: AbortSignal;
  readonly #onAsk: () => void;

  readonly settings: ReadonlySignal<PanelSettings> = computed(() => {
    const queries = this.#filledRows().map(({ expression, legend }) => ({
      expression: expression.value,
      legend: legend.value,
    }));
    const title = this.title.value.trim() || (this.metric.value?.name ?? queries[0]?.expression.slice(0, 80) ?? '');
    const kind = this.kind.value;
    const thresholds = thresholdsOf(this.thresholds.value, this.#loaded);
    return {
      title,
      source: this.#source.id,
      queries,
      unit: this.unit.value,
      isTable: this.isTable.value,
      ...((kind !== 'timeseries' || this.#loaded.kind !== undefined) && { kind }),
      ...(thresholds && { thresholds }),
    };
  });

  // `onAsk` is called when the queries change.
  constructor(source: Source, signal: AbortSignal, onAsk: () => void) {
    this.#source = source;
    this.#signal = signal;
    this.#onAsk = onAsk;
  }

  listMetrics(): Promise<Metric[]> {
    return listMetrics(this.#source, this.#signal);
  }

  load(start: Start): void {
    const { queries, title = '', unit = 'auto', isTable = false } = start;
    batch(() => {
      this.endChoice();
      this.#loaded = start;
      const kind = kindOf(start);
      this.kind.value = kind === 'unsupported' ? 'timeseries' : kind;
      this.thresholds.value = thresholdsText(start.thresholds);
      this.title.value = title;
      this.unit.value = unit;
      this.isTable.value = isTable;
      this.#write(queries);
    });
    this.ask();
  }

  async choose(metric: Metric): Promise<void> {
    batch(() => {
      this.metric.value = metric;
      this.#offer([]);
    });
    this.rewrite();
    // Without labels there are no filters. The chart itself shows failures.
    const labels = await labelsOf(this.#source, seriesOf(metric), this.#signal).catch(() => []);
    if (this.metric.value === metric) this.labels.value = labels;
  }

  endChoice(): void {
    if (!this.metric.value) return;
    this.metric.value = undefined;
    this.#offer([]);
  }

  // Writes the expressions for the choice.
  rewrite(): void {
    const metric = this.metric.value;
    if (!metric) return;
    const filters = this.filters.value.map(({ filter }) => filter).filter(({ label }) => label !== '');
    this.#write(queriesFor({ metric, filters, by: this.by.value }));
    this.ask();
  }

  ask(): void {
    this.#onAsk();
  }

  addFilter(): void {
    this.filters.value = [...this.filters.value, new FilterRow(this.labels.value[0] ?? '')];
  }

  removeFilter(row: FilterRow): void {
    this.filters.value = this.filters.value.filter((one) => one !== row);
    this.rewrite();
  }

  async valuesOf(label: string): Promise<string[]> {
    const metric = this.metric.value;
    return metric ? labelValues(this.#source, label, seriesOf(metric), this.#signal) : [];
  }

  addRow(): void {
    this.rows.value = [...this.rows.value, new QueryRow(noQuery)];
  }

  removeRow(row: QueryRow): void {
    this.rows.value = this.rows.value.filter((one) => one !== row);
    this.ask();
  }

  // By the number of the query.
  showProblems(problems: Problems): void {
    for (const [at, row] of this.#filledRows().entries()) row.problem.value = problems.get(at);
  }

  #filledRows(): QueryRow[] {
    return this.rows.value.filter((row) => !row.isEmpty);
  }

  #write(queries: readonly Query[]): void {
    this.rows.value = (queries.length > 0 ? queries : [noQuery]).map((query) => new QueryRow(query));
  }

  #offer(labels: readonly string[]): void {
    batch(() => {
      this.labels.value = labels;
      this.filters.value = [];
      this.by.value = '';
    });
  }
}

// The colours of the panel are kept until its thresholds are edited.
function thresholdsOf(text: string, { thresholds }: Partial<PanelSettings>): readonly Threshold[] | undefined {
  if (text === thresholdsText(thresholds)) return thresholds;
  return thresholdsIn(text);
}

function seriesOf(metric: Metric): string {
  const name = metric.type.endsWith('histogram') ? `${metric.name}_bucket` : metric.name;
  return selectorOf({ metric: { ...metric, name }, filters: [] });
}
