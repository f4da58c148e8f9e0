// The state of a region's charts: the explored source, the time span of all charts, the dashboard and the thresholds of
// alert rules. The address contains the exploration, so that it can be saved and shared.
import { batch, effect, type Signal, signal, untracked } from '@preact/signals';
import { isAborted, sentencesOf } from '../../api.ts';
import { Resource } from '../../components/fetched.ts';
import { addressed, rangeIn, type Span, stepOf, usualRange } from '../../time/time-range.ts';
import { TimeSelection } from '../../time/time-selection.ts';
import { listRules } from '../alerts/alerting-api.ts';
import { type Dashboard, dashboardApi } from '../dashboard/dashboard-api.ts';
import { DashboardModel } from '../dashboard/dashboard-model.ts';
import type { Panel } from '../dashboard/layout-model.ts';
import { ExplorerModel, type Start } from '../explorer/explorer-model.ts';
import { firstExplored, type Metric } from '../explorer/metrics.ts';
import { regionTimeS } from '../prometheus.ts';
import type { Source, Sources } from '../sources.ts';
import { builtIns, interpolated } from '../variables/interpolation.ts';
import { readValues } from '../variables/variable-values.ts';
import { VariablesModel } from '../variables/variables-model.ts';

export interface Exploring {
  source: Source;
  explorer: ExplorerModel;
  metrics: Resource<readonly Metric[]>;
  isBegun: Signal<boolean>; // false: there are no metrics yet
}

export interface ChartsOptions {
  sources: Sources;
  first: Source; // the explored source
  dashboards: readonly Dashboard[];
  user: string; // the user's id
  signal: AbortSignal;
}

const usualWidthPx = 600;

export class ChartsModel {
  readonly sources: Sources;
  readonly time: TimeSelection;
  readonly dashboard: DashboardModel;
  readonly variables: VariablesModel;
  readonly panelSpan = signal<Span | undefined>(undefined); // like span; undefined until the variables are known
  readonly problem = signal('');
  readonly span = signal<Span | undefined>(undefined); // a new object for each refresh
  readonly exploring: Signal<Exploring>;
  readonly #thresholds = signal<ReadonlyMap<string, readonly number[]>>(new Map());
  readonly #signal: AbortSignal;
  #leaving = new AbortController();
  #areVariablesRead = false;
  #turn = 0;

  constructor({ sources, first, dashboards, user, signal: ending }: ChartsOptions) {
    const address = new URLSearchParams(location.search);
    this.sources = sources;
    this.#signal = ending;
    this.dashboard = new DashboardModel(dashboardApi(sources.region), dashboards, user, address.get('dashboard'));
    this.variables = new VariablesModel(
      (query) => readValues(this.#dashboardSource(), query, () => this.#nowS(), ending),
      address,
    );
    this.time = new TimeSelection(rangeIn(address) ?? usualRange, () => this.refresh());
    const queries = address.getAll('expr').map((expression) => ({ expression, legend: '' }));
    this.exploring = signal(this.#explorer(first, queries.length > 0 ? { queries } : undefined));
    void this.readThresholds();
    this.#followDashboard(rangeIn(address) === undefined);
  }

  sourceOf(id: string): Source | undefined {
    return this.sources.all.find((one) => one.id === id);
  }

  choose(id: string): void {
    const source = this.sourceOf(id);
    if (!source) return;
    this.dashboard.edited.value = undefined;
    this.exploring.value = this.#explorer(source, undefined);
  }

  edit({ id, settings }: Panel): void {
    const { source, explorer, isBegun } = this.exploring.value;
    const wanted = this.sourceOf(settings.source) ?? source;
    batch(() => {
      this.dashboard.edited.value = { id };
      if (wanted === source && isBegun.value) explorer.load(settings);
      else this.exploring.value = this.#explorer(wanted, settings);
    });
  }

  // Explores the queries of a panel with the current values of its variables.
  explore({ settings }: Panel): void {
    const { source } = this.exploring.value;
    const wanted = this.sourceOf(settings.source) ?? source;
    const { grid, kind, ...shown } = settings;
    const queries = settings.queries.map(({ expression, legend }) => ({
      expression: this.resolve(wanted, expression, this.span.value),
      legend: this.resolve(wanted, legend, this.span.value),
    }));
    batch(() => {
      this.dashboard.edited.value = undefined;
      this.exploring.value = this.#explorer(wanted, { ...shown, queries });
    });
  }

  // Replaces the variables in a query, legend or title.
  resolve = (source: Source | undefined, text: string, span: Span | undefined, stepS?: number): string => {
    const shown = interpolated(text, this.variables.selection);
    if (!span || !shown.includes('$__')) return shown;
    return interpolated(shown, builtIns(span, stepS ?? stepOf(span, usualWidthPx), source?.pipeline ? 15 : 60));
  };

  async select(variable: string, values: readonly string[]): Promise<void> {
    if (await this.variables.select(variable, values)) this.refresh();
  }

  // Queries all charts again. The page shows a failure until a refresh succeeds.
  refresh(): void {
    const turn = ++this.#turn;
    this.#tellAddress();
    this.#update(turn).then(
      () => {
        if (turn === this.#turn) this.problem.value = '';
      },
      (error: unknown) => {
        if (turn === this.#turn && !isAborted(error)) this.problem.value = sentencesOf(error).join(' ');
      },
    );
  }

  thresholdsOf = (source: string, expression: string): readonly number[] =>
    this.#thresholds.value.get(`${source} ${expression.trim()}`) ?? [];

  async readThresholds(): Promise<void> {
    const rules = await listRules(this.sources.region, this.#signal).catch(() => []); // charts work without thresholds
    const thresholds = new Map<string, readonly number[]>();
    for (const { properties } of rules) {
      const key = `${properties.pipeline} ${properties.expression.trim()}`;
      thresholds.set(key, [...(thresholds.get(key) ?? []), properties.threshold]);
    }
    this.#thresholds.value = thresholds;
  }

  // Reads the variables of each dashboard that is shown, before its panels query.
  #followDashboard(takesRange: boolean): void {
    let [id, variables, isFirst]: [string | undefined, string, boolean] = [undefined, '', true];
    const stop = effect(() => {
      const shown = this.dashboard.shown.value;
      const text = JSON.stringify(shown?.properties.variables ?? []);
      const isSwitched = !isFirst && shown?.id !== id;
      if (!isFirst && !isSwitched && text === variables) return;
      const takes = isSwitched || (isFirst && takesRange);
      [id, variables, isFirst] = [shown?.id, text, false];
      untracked(() => void this.#showVariables(takes, isSwitched));
    });
    this.#signal.addEventListener('abort', stop);
  }

  async #showVariables(takesRange: boolean, isSwitched: boolean): Promise<void> {
    const { range, variables = [] } = this.dashboard.shown.value?.properties ?? {};
    this.panelSpan.value = undefined;
    if (isSwitched) this.variables.forget();
    if (range !== undefined && takesRange) this.time.range.value = { lastS: range };
    this.#areVariablesRead = false;
    if (!(await this.variables.show(variables)) || this.#signal.aborted) return;
    this.#areVariablesRead = true;
    if (this.span.value) this.refresh();
  }

  // Variables have no source, so they use that of the first panel.
  #dashboardSource(): Source {
    const sources = this.dashboard.panels.value.map(({ settings }) => this.sourceOf(settings.source));
    return sources.find((one) => one !== undefined) ?? this.exploring.value.source;
  }

  #nowS(): Promise<number> {
    return regionTimeS(this.#dashboardSource(), this.#signal);
  }

  // Explores a source with these settings, or with its first metric.
  #explorer(source: Source, start: Start | undefined): Exploring {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    const ending = AbortSignal.any([this.#signal, this.#leaving.signal]);
    const explorer = new ExplorerModel(source, ending, () => this.refresh());
    const isBegun = signal(false);
    const begin = (found: readonly Metric[]): void => {
      const first = firstExplored(found);
      isBegun.value = first !== undefined || start !== undefined;
      if (start) explorer.load(start);
      else if (first && this.dashboard.panels.value.length === 0) void explorer.choose(first);
      else this.refresh();
    };
    const metrics = new Resource<readonly Metric[]>(async () => {
      const found = await explorer.listMetrics();
      if (!ending.aborted && !isBegun.value) queueMicrotask(() => begin(found));
      return found;
    }, ending);
    void metrics.reload();
    return { source, explorer, metrics, isBegun };
  }

  async #update(turn: number): Promise<void> {
    const { source, explorer, metrics, isBegun } = this.exploring.value;
    const nowS = await regionTimeS(source, this.#signal);
    if (turn !== this.#turn || this.#signal.aborted) return;
    this.time.nowS = nowS;
    batch(() => {
      explorer.plotted.value = explorer.settings.value.queries;
      this.span.value = this.time.span;
      if (this.#areVariablesRead) this.panelSpan.value = this.span.value;
    });
    // The first metrics may have arrived in the meantime.
    if (!isBegun.value && (await explorer.listMetrics()).length > 0) await metrics.reload();
  }

  #tellAddress(): void {
    const { source, explorer } = this.exploring.value;
    const address = new URLSearchParams({ pipeline: source.id, ...addressed(this.time.range.value) });
    const { shown, all } = this.dashboard;
    if (shown.value && all.value.length > 1) address.set('dashboard', shown.value.id);
    for (const [name, value] of this.variables.addressed) address.append(name, value);
    for (const { expression } of explorer.settings.value.queries) address.append('expr', expression);
    history.replaceState(history.state, '', `${location.pathname}?${address}`);
  }
}
