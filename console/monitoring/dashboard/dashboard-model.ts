// The dashboards of a region, the shown one, its panels in order, and the edited panel. A change is stored in the
// region before it is shown; changes are stored one after another.
import { batch, computed, signal } from '@preact/signals';
import { hasQueries, type PanelSettings, type Place } from '../plot/panel-settings.ts';
import type { Variable } from '../variables/variable.ts';
import type { Dashboard, DashboardApi, DashboardProperties } from './dashboard-api.ts';
import { dashboardIn, jsonIn, mostPanels, textOf } from './dashboard-file.ts';
import { grafanaDashboard, isGrafana } from './grafana/grafana-dashboard.ts';
import { LayoutModel, type Panel } from './layout-model.ts';

export const firstName = 'Dashboard';

export class DashboardModel {
  readonly edited = signal<{ id: number } | undefined>(undefined); // a new object for each edit
  readonly panels = signal<readonly Panel[]>([]);
  readonly all = signal<readonly Dashboard[]>([]);
  readonly created = signal(0); // dashboards that the user has created or imported on this page
  readonly shown = signal<Dashboard | undefined>(undefined); // undefined: the first panel creates one
  readonly listedVariables = computed(() => this.shown.value?.properties.variables ?? []);
  readonly layout = new LayoutModel(this.panels, (places) => this.arrange(places));
  readonly #api: DashboardApi;
  #saved: Promise<unknown> = Promise.resolve(); // the last change
  #count = 0;

  // Shows the wanted dashboard first, or the user's own.
  constructor(api: DashboardApi, all: readonly Dashboard[], user: string, wanted?: string | null) {
    this.#api = api;
    this.all.value = all;
    const own = all.find(({ metadata }) => metadata.createdByUserId === user) ?? all[0];
    this.show((all.find(({ id }) => id === wanted) ?? own)?.id);
  }

  get text(): string {
    return textOf(
      this.panels.value.map(({ settings }) => settings),
      this.variables,
    );
  }

  get variables(): readonly Variable[] {
    return this.listedVariables.value;
  }

  replaceVariables(variables: readonly Variable[]): Promise<void> {
    return this.#save((panels) => panels, { variables });
  }

  show(id: string | undefined): void {
    const wanted = this.all.value.find((one) => one.id === id);
    batch(() => {
      this.edited.value = undefined;
      this.shown.value = wanted;
      this.panels.value = (wanted?.properties.panels ?? []).map((settings) => this.#panelOf(settings));
      this.layout.collapseRows(this.panels.value);
    });
  }

  async create(name: string, content: Partial<DashboardProperties> = {}): Promise<void> {
    const created = await this.#api.create({ panels: [], ...content, name });
    this.#list([...this.all.value, created]);
    this.show(created.id);
    this.created.value += 1;
  }

  rename(name: string): Promise<void> {
    return this.#save((panels) => panels, { name });
  }

  async delete(): Promise<void> {
    const { id } = this.shown.value ?? {};
    if (id === undefined) return;
    await this.#api.remove(id);
    this.#list(this.all.value.filter((one) => one.id !== id));
    this.show(this.all.value[0]?.id);
  }

  add(...settings: PanelSettings[]): Promise<void> {
    return this.#add(settings, []);
  }

  async replaceEdited(settings: PanelSettings): Promise<void> {
    await this.change(this.edited.value?.id, checked(settings));
  }

  // Changes only the given fields, because another change may still be saving the rest.
  change(id: number | undefined, changed: Partial<PanelSettings>): Promise<void> {
    return this.#save((panels) =>
      panels.map((one) => (one.id === id ? { id, settings: { ...one.settings, ...changed } } : one)),
    );
  }

  arrange(places: ReadonlyMap<number, Place>): Promise<void> {
    return this.#save((panels) =>
      panels.map(({ id, settings }) => {
        const grid = places.get(id) ?? settings.grid;
        return { id, settings: grid ? { ...settings, grid } : settings };
      }),
    );
  }

  // The copy is placed at the end.
  duplicate(id: number): Promise<void> {
    return this.#save((panels) => {
      const original = panels.find((one) => one.id === id);
      if (!original) return panels;
      const { grid, ...settings } = original.settings;
      const bottom = Math.max(0, ...this.layout.shown.value.map(({ place }) => place.y + place.height));
      const copy = { ...settings, title: `${settings.title} (copy)`, ...(grid && { grid: { ...grid, y: bottom } }) };
      return [...panels, this.#panelOf(copy)];
    });
  }

  async remove(id: number): Promise<void> {
    await this.#save((panels) => panels.filter((one) => one.id !== id));
    if (this.edited.value?.id === id) this.edited.value = undefined;
  }

  // A dashboard of Grafana becomes a new dashboard. Panels of this console's files are added to the shown dashboard;
  // those with an unknown source get the chosen one.
  async importText(text: string, isKnown: (source: string) => boolean, otherwise: string): Promise<string> {
    const value = jsonIn(text);
    if (isGrafana(value)) {
      const { name, content, notes } = grafanaDashboard(value, otherwise);
      await this.create(name, content);
      return [`${name} imported: ${content.panels.length} panels.`, ...notes].join(' ');
    }
    const { panels, variables } = dashboardIn(value);
    const missing = panels.filter(({ source }) => !isKnown(source)).length;
    const added = panels.map((one) => (isKnown(one.source) ? one : { ...one, source: otherwise }));
    await this.#add(added, variables);
    return missing > 0
      ? `${panels.length} panels added; ${missing} now show the chosen pipeline.`
      : `${panels.length} panels added.`;
  }

  async #add(settings: readonly PanelSettings[], variables: readonly Variable[]): Promise<void> {
    const added = settings.map((one) => this.#panelOf(checked(one)));
    const known = new Set(this.variables.map(({ name }) => name));
    const missing = variables.filter(({ name }) => !known.has(name));
    const change = missing.length > 0 ? { variables: [...this.variables, ...missing] } : {};
    await this.#save((panels) => [...panels, ...added], change);
  }

  #panelOf(settings: PanelSettings): Panel {
    return { id: ++this.#count, settings };
  }

  #list(all: readonly Dashboard[]): void {
    this.all.value = all.toSorted((a, b) => a.properties.name.localeCompare(b.properties.name));
  }

  // `change` gets the panels as they are when its turn comes.
  #save(
    change: (panels: readonly Panel[]) => readonly Panel[],
    properties: Partial<DashboardProperties> = {},
  ): Promise<void> {
    const saving = this.#saved.then(async () => {
      const before = this.panels.value;
      const panels = change(before);
      if (panels === before && Object.keys(properties).length === 0) return;
      if (panels.length > mostPanels) throw new Error(`A dashboard has ${mostPanels} panels at most.`);
      const saved = await this.#send({ ...properties, panels: panels.map(({ settings }) => settings) });
      batch(() => {
        this.#list([...this.all.value.filter(({ id }) => id !== saved.id), saved]);
        this.shown.value = saved;
        this.panels.value = panels;
      });
    });
    this.#saved = saving.catch(() => undefined); // the caller gets the error
    return saving;
  }

  async #send(changed: Partial<DashboardProperties> & Pick<DashboardProperties, 'panels'>): Promise<Dashboard> {
    const shown = this.shown.value;
    if (!shown) return this.#api.create({ name: firstName, ...changed });
    const { metadata } = await this.#api.get(shown.id);
    if (metadata.lastModifiedDate !== shown.metadata.lastModifiedDate)
      throw new Error('The dashboard was changed in another browser or tab. Load the page again.');
    return this.#api.replace(shown.id, { ...shown.properties, ...changed });
  }
}

function checked(settings: PanelSettings): PanelSettings {
  if (settings.queries.length === 0 && hasQueries(settings)) throw new Error('Type an expression for the panel.');
  return settings;
}
