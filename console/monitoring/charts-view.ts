// Dashboard, explorer and pipelines of a region together: one source is explored, one range of time is shown by all of
// them. What is explored stands in the address, so that it can be kept and sent to others.
import { sentencesOf } from '../api.ts';
import { button, type Child, element, fill, freshId } from '../dom.ts';
import { empty, loaded } from '../parts/states.ts';
import { perform, toast } from '../parts/toast.ts';
import { listRules } from './alert-calls.ts';
import { listMetrics, nowOf } from './asking.ts';
import { Dashboard } from './dashboard.ts';
import { DashboardStore, type Owned, type PanelSettings } from './dashboard-store.ts';
import { Explorer } from './explorer.ts';
import type { Metric } from './metrics.ts';
import { newPipeline } from './pipeline-form.ts';
import { pipelinesSection } from './pipelines-section.ts';
import { pushHelp } from './push-help.ts';
import { openRuleForm } from './rule-form.ts';
import type { Source, Sources } from './sources.ts';
import { type TimeBar, timeBar } from './time-bar.ts';
import { addressed, rangeIn, spanOf, usualRange } from './time-range.ts';

export interface ChartsOptions {
  sources: Sources;
  first: Source; // that is looked at
  owned: Owned;
  signal: AbortSignal;
  reload(pipeline?: string): void; // there are other sources; and that one is looked at
}

export class ChartsView {
  readonly view: HTMLElement;
  #sources: Sources;
  #signal: AbortSignal;
  #reload: (pipeline?: string) => void;
  #source: Source;
  #exploring = new AbortController();
  #explorer: Explorer | undefined;
  #dashboard: Dashboard;
  #bar: TimeBar;
  #place = element('div', { class: 'part' });
  #problem = element('p', { class: 'problem', role: 'status' });
  #choice: HTMLSelectElement;
  #thresholds = new Map<string, number[]>();
  #turn = 0;

  constructor({ sources, first, owned, signal, reload }: ChartsOptions) {
    this.#sources = sources;
    this.#signal = signal;
    this.#reload = reload;
    const asked = new URLSearchParams(location.search);
    this.#bar = timeBar({ range: rangeIn(asked) ?? usualRange, signal, onChange: () => this.#look() });
    this.#source = first;
    this.#dashboard = new Dashboard({
      signal,
      region: sources.region,
      store: new DashboardStore(localStorage, owned),
      sourceOf: (id) => this.#sourceOf(id),
      thresholdsOf: (source, expression) => this.#thresholdsOf(source, expression),
      chosenSource: () => this.#source.id,
      onZoom: (span) => this.#bar.zoom(span),
      onEdit: (settings) => this.#edit(settings),
      onEdited: () => this.#explorer?.endEditing(),
      onChange: () => this.#look(),
    });
    this.#choice = this.#sourceChoice();
    this.view = this.#draw();
    const expressions = asked.getAll('expr').map((expression) => ({ expression, legend: '' }));
    this.#explore(expressions.length > 0 ? { queries: expressions } : undefined, false);
    perform(() => this.#readThresholds());
  }

  #sourceOf(id: string): Source | undefined {
    return this.#sources.all.find((one) => one.id === id);
  }

  #sourceChoice(): HTMLSelectElement {
    const { all, central } = this.#sources;
    const choice = element(
      'select',
      { id: freshId('source') },
      all.map((one) =>
        element(
          'option',
          { value: one.id, selected: one === this.#source },
          one.pipeline || central.properties.enabled ? one.name : `${one.name} (off)`,
        ),
      ),
    );
    choice.addEventListener('change', () => {
      this.#source = this.#sourceOf(choice.value) ?? this.#source;
      this.#explore(undefined, false);
    });
    return choice;
  }

  #draw(): HTMLElement {
    return element(
      'div',
      { class: 'charts' },
      element(
        'div',
        { class: 'bars' },
        element('div', { class: 'field' }, element('label', { for: this.#choice.id }, 'Pipeline'), this.#choice),
        this.#bar.view,
      ),
      this.#problem,
      this.#dashboard.view,
      this.#place,
      pipelinesSection(this.#sources, this.#reload),
    );
  }

  // Shows the explorer of the chosen source, with these settings or with the first metric that there is.
  #explore(settings: (Pick<PanelSettings, 'queries'> & Partial<PanelSettings>) | undefined, isKept: boolean): void {
    this.#exploring.abort();
    this.#exploring = new AbortController();
    this.#explorer = undefined;
    const source = this.#source;
    const signal = AbortSignal.any([this.#signal, this.#exploring.signal]);
    const list = loaded({
      what: 'the metrics',
      signal,
      fetch: () => listMetrics(source, signal),
      draw: (metrics) => {
        if (metrics.length === 0 && !settings) {
          this.#look();
          return this.#nothing(source);
        }
        const explorer = this.#explorerOf(source, metrics, signal);
        this.#explorer = explorer;
        const [first] = metrics;
        if (settings) explorer.load(settings, isKept);
        else if (first && this.#dashboard.count === 0) explorer.choose(first);
        else this.#look();
        if (isKept) queueMicrotask(() => explorer.focus());
        return explorer.view;
      },
    });
    this.#retry = list.reload;
    fill(this.#place, list.view);
  }

  #retry: () => Promise<void> = async () => undefined;

  #explorerOf(source: Source, metrics: readonly Metric[], signal: AbortSignal): Explorer {
    return new Explorer({
      source,
      metrics,
      signal,
      thresholdsOf: (id, expression) => this.#thresholdsOf(id, expression),
      onZoom: (span) => this.#bar.zoom(span),
      onAsk: () => this.#look(),
      onAdd: (settings) => this.#dashboard.add(settings),
      onSave: (settings) => this.#dashboard.replace(settings),
      onAlert: ({ queries }) => this.#alert(queries[0]?.expression ?? ''),
    });
  }

  #nothing({ name, pipeline }: Source): Child {
    const { region, pipelines, central } = this.#sources;
    if (pipeline) return empty(`Nothing was pushed to ${name} yet.`, pushHelp(region, pipeline));
    if (central.properties.enabled) return empty('Nothing was measured yet: the products push once a minute.');
    const make = button('New pipeline', () => newPipeline(region, this.#reload));
    if (pipelines.length === 0) return empty('Make a pipeline, and push metrics to it.', make);
    return empty('Central monitoring is off. It is switched on at the end of this page.');
  }

  #edit(settings: PanelSettings): void {
    const source = this.#sourceOf(settings.source);
    if (source && source !== this.#source) {
      this.#source = source;
      this.#choice.value = source.id;
      this.#explore(settings, true);
    } else if (this.#explorer) {
      this.#explorer.load(settings, true);
      this.#explorer.focus();
    } else this.#explore(settings, true);
  }

  #alert(expression: string): void {
    openRuleForm({
      sources: this.#sources,
      values: { expression, pipeline: this.#source.id },
      signal: this.#signal,
      onDone: () => {
        toast('The rule was made. It stands under Alerts.');
        perform(async () => {
          await this.#readThresholds();
          this.#look();
        });
      },
    });
  }

  // Failures are told once, in their place: this goes on by itself.
  #look(): void {
    const turn = ++this.#turn;
    this.#tellAddress();
    this.#refresh(turn).then(
      () => {
        if (turn === this.#turn) this.#problem.textContent = '';
      },
      (error: unknown) => {
        if (turn === this.#turn && !this.#signal.aborted) this.#problem.textContent = sentencesOf(error).join(' ');
      },
    );
  }

  async #refresh(turn: number): Promise<void> {
    const nowS = await nowOf(this.#source, this.#signal);
    if (turn !== this.#turn) return;
    this.#bar.told(nowS);
    const span = spanOf(this.#bar.range, nowS);
    const isWaiting = this.#explorer === undefined && this.#place.querySelector('.state') !== null;
    await Promise.all([this.#dashboard.refresh(span), this.#explorer?.refresh(span), isWaiting && this.#expect()]);
  }

  // Looks whether the first metrics have come.
  async #expect(): Promise<void> {
    const metrics = await listMetrics(this.#source, this.#signal);
    if (metrics.length > 0 && !this.#explorer) await this.#retry();
  }

  #tellAddress(): void {
    const asked = new URLSearchParams({ pipeline: this.#source.id, ...addressed(this.#bar.range) });
    for (const { expression } of this.#explorer?.settings.queries ?? []) asked.append('expr', expression);
    history.replaceState(history.state, '', `${location.pathname}?${asked}`);
  }

  #thresholdsOf(source: string, expression: string): readonly number[] {
    return this.#thresholds.get(`${source} ${expression.trim()}`) ?? [];
  }

  async #readThresholds(): Promise<void> {
    const rules = await listRules(this.#sources.region, this.#signal);
    this.#thresholds = new Map();
    for (const { properties } of rules) {
      const key = `${properties.pipeline} ${properties.expression.trim()}`;
      this.#thresholds.set(key, [...(this.#thresholds.get(key) ?? []), properties.threshold]);
    }
  }
}
