// The dashboards of a region, the shown one, its panels in order, and the edited panel. A change is stored in the
// region before it is shown; changes are stored one after another.
import { batch, signal } from '@preact/signals';
import type { PanelSettings } from '../plot/panel-settings.ts';
import type { Dashboard, DashboardApi } from './dashboard-api.ts';
import { mostPanels, panelsIn, textOf } from './dashboard-file.ts';

export interface Panel {
  id: number;
  settings: PanelSettings;
}

export const firstName = 'Dashboard';

export class DashboardModel {
  readonly edited = signal<{ id: number } | undefined>(undefined); // a new object for each edit
  readonly panels = signal<readonly Panel[]>([]);
  readonly all = signal<readonly Dashboard[]>([]);
  readonly shown = signal<Dashboard | undefined>(undefined); // undefined: the first panel creates one
  readonly #api: DashboardApi;
  #saved: Promise<unknown> = Promise.resolve(); // the last change
  #count = 0;

  // Shows the user's own dashboard first.
  constructor(api: DashboardApi, all: readonly Dashboard[], user: string) {
    this.#api = api;
    this.all.value = all;
    this.show((all.find(({ metadata }) => metadata.createdByUserId === user) ?? all[0])?.id);
  }

  get text(): string {
    return textOf(this.panels.value.map(({ settings }) => settings));
  }

  show(id: string | undefined): void {
    const wanted = this.all.value.find((one) => one.id === id);
    batch(() => {
      this.edited.value = undefined;
      this.shown.value = wanted;
      this.panels.value = (wanted?.properties.panels ?? []).map((settings) => this.#panelOf(settings));
    });
  }

  async create(name: string): Promise<void> {
    const created = await this.#api.create({ name, panels: [] });
    this.#list([...this.all.value, created]);
    this.show(created.id);
  }

  rename(name: string): Promise<void> {
    return this.#save((panels) => panels, name);
  }

  async delete(): Promise<void> {
    const { id } = this.shown.value ?? {};
    if (id === undefined) return;
    await this.#api.remove(id);
    this.#list(this.all.value.filter((one) => one.id !== id));
    this.show(this.all.value[0]?.id);
  }

  async add(...settings: PanelSettings[]): Promise<void> {
    const added = settings.map((one) => this.#panelOf(checked(one)));
    await this.#save((panels) => [...panels, ...added]);
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

  move(id: number, by: -1 | 1): Promise<void> {
    return this.#save((before) => {
      const from = before.findIndex((one) => one.id === id);
      const to = from + by;
      if (to < 0 || to >= before.length) return before;
      const panels = [...before];
      panels.splice(to, 0, ...panels.splice(from, 1));
      return panels;
    });
  }

  async remove(id: number): Promise<void> {
    await this.#save((panels) => panels.filter((one) => one.id !== id));
    if (this.edited.value?.id === id) this.edited.value = undefined;
  }

  // Adds the panels of a file. Panels with an unknown source get the chosen one.
  async importText(text: string, isKnown: (source: string) => boolean, otherwise: string): Promise<string> {
    const panels = panelsIn(text);
    const missing = panels.filter(({ source }) => !isKnown(source)).length;
    await this.add(...panels.map((one) => (isKnown(one.source) ? one : { ...one, source: otherwise })));
    return missing > 0
      ? `${panels.length} panels added; ${missing} now show the chosen pipeline.`
      : `${panels.length} panels added.`;
  }

  #panelOf(settings: PanelSettings): Panel {
    return { id: ++this.#count, settings };
  }

  #list(all: readonly Dashboard[]): void {
    this.all.value = all.toSorted((a, b) => a.properties.name.localeCompare(b.properties.name));
  }

  // `change` gets the panels as they are when its turn comes.
  #save(change: (panels: readonly Panel[]) => readonly Panel[], name?: string): Promise<void> {
    const saving = this.#saved.then(async () => {
      const before = this.panels.value;
      const panels = change(before);
      if (panels === before && name === undefined) return;
      if (panels.length > mostPanels) throw new Error(`A dashboard has ${mostPanels} panels at most.`);
      const saved = await this.#send(
        panels.map(({ settings }) => settings),
        name,
      );
      batch(() => {
        this.#list([...this.all.value.filter(({ id }) => id !== saved.id), saved]);
        this.shown.value = saved;
        this.panels.value = panels;
      });
    });
    this.#saved = saving.catch(() => undefined); // the caller gets the error
    return saving;
  }

  async #send(panels: readonly PanelSettings[], name: string | undefined): Promise<Dashboard> {
    const shown = this.shown.value;
    if (!shown) return this.#api.create({ name: name ?? firstName, panels });
    const { metadata } = await this.#api.get(shown.id);
    if (metadata.lastModifiedDate !== shown.metadata.lastModifiedDate)
      throw new Error('The dashboard was changed in another browser or tab. Load the page again.');
    return this.#api.replace(shown.id, { name: name ?? shown.properties.name, panels });
  }
}

function checked(settings: PanelSettings): PanelSettings {
  if (settings.queries.length === 0) throw new Error('Type an expression for the panel.');
  return settings;
}
