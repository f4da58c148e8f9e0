// A person's panels, in their order, as this browser keeps them; and the way to take them elsewhere.
import { button, element, fill, freshId } from '../dom.ts';
import { confirmed } from '../parts/confirm.ts';
import { downloadText } from '../parts/copy.ts';
import { failureToast, perform, toast } from '../parts/toast.ts';
import { type DashboardStore, type PanelSettings, panelsIn, textOf } from './dashboard-store.ts';
import { Panel, type PanelOptions } from './panel.ts';
import type { Span } from './time-range.ts';

export interface DashboardOptions extends Pick<PanelOptions, 'signal' | 'sourceOf' | 'thresholdsOf' | 'onZoom'> {
  region: string;
  store: DashboardStore;
  chosenSource(): string; // for panels whose own is not here
  onEdit(settings: PanelSettings): void;
  onEdited(): void; // what was being edited is gone
  onChange(): void; // there is another panel to ask for
}

interface Tile {
  settings: PanelSettings;
  panel: Panel;
  view: HTMLElement;
  asking: AbortController;
}

export class Dashboard {
  readonly view: HTMLElement;
  #options: DashboardOptions;
  #tiles: Tile[];
  #edited: Tile | undefined;
  #grid = element('div', { class: 'tiles' });
  #lead = element('p', { class: 'lead' });
  #export = button('Export', () => this.#save(), { look: 'plain', label: 'Export the dashboard as a file' });

  constructor(options: DashboardOptions) {
    this.#options = options;
    this.#tiles = options.store.read().map((settings) => this.#tileOf(settings));
    this.view = this.#frame();
    this.#draw();
  }

  get count(): number {
    return this.#tiles.length;
  }

  async refresh(span: Span): Promise<void> {
    await Promise.all(this.#tiles.map(({ panel }) => panel.refresh(span)));
  }

  add(settings: PanelSettings): void {
    if (!isComplete(settings) || !this.#keep([...this.#tiles, this.#tileOf(settings)])) return;
    toast(`${settings.title} is on the dashboard.`);
    this.#options.onChange();
  }

  // What is edited has its place already.
  replace(settings: PanelSettings): void {
    const before = this.#edited;
    const tile = this.#tileOf(settings);
    if (!isComplete(settings) || !this.#keep(this.#tiles.map((one) => (one === before ? tile : one)))) return;
    before?.asking.abort();
    this.#edited = tile;
    toast(`${settings.title} was saved.`);
    this.#options.onChange();
  }

  // The browser may have no room, or keep nothing at all.
  #keep(tiles: Tile[]): boolean {
    try {
      this.#options.store.write(tiles.map(({ settings }) => settings));
    } catch (error) {
      failureToast(error);
      return false;
    }
    this.#tiles = tiles;
    this.#draw();
    return true;
  }

  #draw(): void {
    this.#export.disabled = this.#tiles.length === 0;
    fill(
      this.#grid,
      this.#tiles.map(({ view }) => view),
    );
    this.#lead.textContent =
      this.#tiles.length === 0
        ? 'There are no panels yet: add what you explore. They are kept in this browser.'
        : 'Kept in this browser for you, this contract and this region.';
  }

  #tileOf(settings: PanelSettings): Tile {
    const { signal, sourceOf, thresholdsOf, onZoom } = this.#options;
    const asking = new AbortController();
    const panel = new Panel(settings, {
      signal: AbortSignal.any([signal, asking.signal]),
      sourceOf,
      thresholdsOf,
      onZoom,
      onView: (isTable) => {
        tile.settings = { ...tile.settings, isTable };
        this.#keep(this.#tiles);
        panel.toggle.focus();
      },
    });
    const id = freshId('panel');
    const named = (text: string, label: string, press: () => void): HTMLElement =>
      button(text, press, { look: 'plain', label: `${label} ${settings.title}` });
    const tile: Tile = {
      settings,
      panel,
      asking,
      view: element(
        'article',
        { class: 'panel tile', 'aria-labelledby': id },
        element(
          'div',
          { class: 'bar' },
          element('h3', { id }, settings.title),
          panel.toggle,
          named('Edit', 'Edit', () => this.#edit(tile)),
          named('↑', 'Move forward:', () => this.#move(tile, -1)),
          named('↓', 'Move back:', () => this.#move(tile, 1)),
          named('Remove', 'Remove', () => perform(() => this.#remove(tile))),
        ),
        element('p', { class: 'from' }, sourceOf(settings.source)?.name ?? ''),
        panel.view,
      ),
    };
    return tile;
  }

  #edit(tile: Tile): void {
    this.#edited = tile;
    this.#options.onEdit(tile.settings);
  }

  #move(tile: Tile, by: -1 | 1): void {
    const focused = document.activeElement;
    const from = this.#tiles.indexOf(tile);
    const to = from + by;
    if (to < 0 || to >= this.#tiles.length) return;
    const others = this.#tiles.filter((one) => one !== tile);
    this.#keep([...others.slice(0, to), tile, ...others.slice(to)]);
    if (focused instanceof HTMLElement) focused.focus();
  }

  async #remove(tile: Tile): Promise<void> {
    const isDone = await confirmed({
      title: 'Remove this panel?',
      text: `${tile.settings.title} goes from the dashboard. Its metrics stay.`,
      action: 'Remove',
      act: async () => {
        this.#keep(this.#tiles.filter((one) => one !== tile));
      },
    });
    if (!isDone) return;
    tile.asking.abort();
    if (this.#edited === tile) {
      this.#edited = undefined;
      this.#options.onEdited();
    }
    this.#export.focus();
  }

  #save(): void {
    downloadText(`cumulet-dashboard-${this.#options.region}.json`, textOf(this.#tiles.map(({ settings }) => settings)));
  }

  async #load(file: File): Promise<void> {
    const { sourceOf, chosenSource } = this.#options;
    const panels = panelsIn(await file.text());
    const missing = panels.filter(({ source }) => !sourceOf(source)).length;
    const fitted = panels.map((one) => (sourceOf(one.source) ? one : { ...one, source: chosenSource() }));
    if (!this.#keep([...this.#tiles, ...fitted.map((settings) => this.#tileOf(settings))])) return;
    toast(
      missing > 0
        ? `${panels.length} panels added; ${missing} now show the chosen pipeline.`
        : `${panels.length} panels added.`,
    );
    this.#options.onChange();
  }

  #frame(): HTMLElement {
    const [id, fileId] = [freshId('dashboard'), freshId('file')];
    const file = element('input', {
      id: fileId,
      class: 'unseen',
      type: 'file',
      accept: '.json,application/json',
      tabindex: -1,
    });
    file.addEventListener('change', () => {
      const [chosen] = file.files ?? [];
      if (chosen) perform(() => this.#load(chosen));
      file.value = '';
    });
    return element(
      'section',
      { class: 'part', 'aria-labelledby': id },
      element(
        'div',
        { class: 'head' },
        element('h2', { id }, 'Dashboard'),
        element(
          'div',
          { class: 'actions' },
          this.#export,
          button('Import', () => file.click(), { look: 'plain', label: 'Import panels from a file' }),
          element('label', { class: 'unseen', for: fileId }, 'A file with panels'),
          file,
        ),
        this.#lead,
      ),
      this.#grid,
    );
  }
}

function isComplete({ queries }: PanelSettings): boolean {
  if (queries.length === 0) failureToast(new Error('A panel needs an expression.'));
  return queries.length > 0;
}
