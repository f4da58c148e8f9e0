// The panels of a user, in their order, as this browser keeps them; and which of them is being edited.
import { signal } from '@preact/signals';
import type { PanelSettings } from '../plot/panel-settings.ts';
import { type DashboardStore, panelsIn, textOf } from './dashboard-store.ts';

export interface Panel {
  id: number;
  settings: PanelSettings;
}

export class DashboardModel {
  readonly edited = signal<{ id: number } | undefined>(undefined); // a new object for each edit
  readonly panels = signal<readonly Panel[]>([]);
  readonly #store: DashboardStore;
  #count = 0;

  constructor(store: DashboardStore) {
    this.#store = store;
    this.panels.value = store.read().map((settings) => this.#panelOf(settings));
  }

  get text(): string {
    return textOf(this.panels.value.map(({ settings }) => settings));
  }

  add(...settings: PanelSettings[]): void {
    this.#keep([...this.panels.value, ...settings.map((one) => this.#panelOf(checked(one)))]);
  }

  replaceEdited(settings: PanelSettings): void {
    this.replace(this.edited.value?.id, checked(settings));
  }

  replace(id: number | undefined, settings: PanelSettings): void {
    this.#keep(this.panels.value.map((one) => (one.id === id ? { id, settings } : one)));
  }

  move(id: number, by: -1 | 1): void {
    const from = this.panels.value.findIndex((one) => one.id === id);
    const to = from + by;
    if (to < 0 || to >= this.panels.value.length) return;
    const panels = [...this.panels.value];
    panels.splice(to, 0, ...panels.splice(from, 1));
    this.#keep(panels);
  }

  remove(id: number): void {
    this.#keep(this.panels.value.filter((one) => one.id !== id));
    if (this.edited.value?.id === id) this.edited.value = undefined;
  }

  // Adds the panels of a file. Those of a source that is not known here get another one.
  importText(text: string, isKnown: (source: string) => boolean, otherwise: string): string {
    const panels = panelsIn(text);
    const missing = panels.filter(({ source }) => !isKnown(source)).length;
    this.add(...panels.map((one) => (isKnown(one.source) ? one : { ...one, source: otherwise })));
    return missing > 0
      ? `${panels.length} panels added; ${missing} now show the chosen pipeline.`
      : `${panels.length} panels added.`;
  }

  #panelOf(settings: PanelSettings): Panel {
    return { id: ++this.#count, settings };
  }

  // Throws when the browser has no room, or keeps nothing at all.
  #keep(panels: readonly Panel[]): void {
    this.#store.write(panels.map(({ settings }) => settings));
    this.panels.value = panels;
  }
}

function checked(settings: PanelSettings): PanelSettings {
  if (settings.queries.length === 0) throw new Error('A panel needs an expression.');
  return settings;
}
