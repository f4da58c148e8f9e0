// The layout of the shown panels: rows hide their panels, and a moved or resized panel has a draft until it is saved.
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { kindOf, type PanelSettings, type Place } from '../plot/panel-settings.ts';
import { arranged, columns, placed, placeText, readingOrder, resized, stepped } from './grid.ts';

export interface Panel {
  id: number; // on this page
  settings: PanelSettings;
}

export interface PlacedPanel {
  panel: Panel;
  place: Place;
}

interface Draft {
  id: number;
  base: readonly PlacedPanel[]; // before the move
  places: readonly Place[];
}

export class LayoutModel {
  readonly collapsed = signal<ReadonlySet<number>>(new Set()); // ids of rows
  readonly moving = signal<Draft | undefined>(undefined);
  readonly said = signal(''); // for screen readers
  readonly #panels: ReadonlySignal<readonly Panel[]>;
  readonly #save: (places: ReadonlyMap<number, Place>) => Promise<void>;

  // The panels that are not hidden, in reading order. The order stays during a move, so that the focus stays.
  readonly shown: ReadonlySignal<readonly PlacedPanel[]> = computed(() => {
    const draft = this.moving.value;
    if (!draft) return this.#visible();
    return draft.base.map(({ panel }, at) => ({ panel, place: draft.places[at] as Place }));
  });

  constructor(panels: ReadonlySignal<readonly Panel[]>, save: (places: ReadonlyMap<number, Place>) => Promise<void>) {
    this.#panels = panels;
    this.#save = save;
  }

  toggleRow(id: number): void {
    const next = new Set(this.collapsed.value);
    if (!next.delete(id)) next.add(id);
    this.collapsed.value = next;
  }

  collapseRows(panels: readonly Panel[]): void {
    this.moving.value = undefined;
    this.collapsed.value = new Set(panels.filter(({ settings }) => settings.isCollapsed === true).map(({ id }) => id));
  }

  begin(id: number): void {
    const base = this.#visible();
    this.moving.value = { id, base, places: base.map(({ place }) => place) };
    this.#say('Arrow keys move the panel, Shift and arrow keys resize it. Enter saves, Escape cancels.');
  }

  // By cells, from where the move began.
  drag(right: number, down: number, isResizing: boolean): void {
    const draft = this.moving.value;
    const at = this.#movedAt();
    const place = draft?.base[at]?.place;
    if (!draft || !place) return;
    const before = draft.base.map((one) => one.place);
    const wanted = isResizing ? resized(place, right, down) : { ...place, x: place.x + right, y: place.y + down };
    this.moving.value = { ...draft, places: placed(before, at, wanted) };
  }

  // Returns false for keys that do not move the panel.
  step(key: string, isResizing: boolean): boolean {
    const draft = this.moving.value;
    const places = draft && stepped(draft.places, this.#movedAt(), key, isResizing);
    if (!places) return false;
    this.moving.value = { ...draft, places };
    this.#say('');
    return true;
  }

  cancel(): void {
    this.moving.value = undefined;
    this.said.value = 'Cancelled.';
  }

  async end(): Promise<void> {
    const draft = this.moving.value;
    if (!draft) return;
    const isSame = draft.base.every(({ place }, at) => JSON.stringify(place) === JSON.stringify(draft.places[at]));
    try {
      if (!isSame) await this.#save(this.#whole(draft));
      this.said.value = 'Saved.';
    } finally {
      this.moving.value = undefined;
    }
  }

  #say(hint: string): void {
    const draft = this.moving.value;
    const place = draft?.places[this.#movedAt()];
    if (place) this.said.value = [hint, `${placeText(place)}.`].filter(Boolean).join(' ');
  }

  #movedAt(): number {
    const draft = this.moving.value;
    return draft ? draft.base.findIndex(({ panel }) => panel.id === draft.id) : -1;
  }

  #placed(): PlacedPanel[] {
    const panels = this.#panels.value;
    const places = arranged(
      panels.map(({ settings }) => settings.grid),
      panels.map(({ settings }) => sizeOf(settings, panels.length === 1)),
    );
    return readingOrder(places).map((at) => ({ panel: panels[at] as Panel, place: places[at] as Place }));
  }

  #visible(): PlacedPanel[] {
    const all = this.#placed();
    const hidden = new Set([...this.#hiddenIn(all).values()].flat());
    const visible = all.filter((one) => !hidden.has(one));
    const places = arranged(visible.map(({ place }) => place));
    return visible.map(({ panel }, at) => ({ panel, place: places[at] as Place }));
  }

  // The panels of each collapsed row.
  #hiddenIn(all: readonly PlacedPanel[]): Map<number, PlacedPanel[]> {
    const hidden = new Map<number, PlacedPanel[]>();
    let row: number | undefined;
    for (const one of all) {
      const { id, settings } = one.panel;
      if (kindOf(settings) === 'row') row = this.collapsed.value.has(id) ? id : undefined;
      else if (row !== undefined) hidden.set(row, [...(hidden.get(row) ?? []), one]);
    }
    return hidden;
  }

  // The places of all panels: hidden ones follow their row.
  #whole({ base, places }: Draft): Map<number, Place> {
    const hidden = this.#hiddenIn(this.#placed());
    const whole = new Map<number, Place>();
    let added = 0;
    for (const at of readingOrder(places)) {
      const place = places[at] as Place;
      const id = base[at]?.panel.id ?? 0;
      whole.set(id, { ...place, y: place.y + added });
      const group = hidden.get(id) ?? [];
      if (group.length === 0) continue;
      const top = Math.min(...group.map((one) => one.place.y));
      const start = place.y + added + place.height;
      for (const one of group) whole.set(one.panel.id, { ...one.place, y: start + one.place.y - top });
      added += Math.max(...group.map((one) => one.place.y + one.place.height)) - top;
    }
    return whole;
  }
}

// Rows, and the only panel of a dashboard, are as wide as the grid.
function sizeOf(settings: PanelSettings, isOnly: boolean): Partial<Place> {
  if (kindOf(settings) === 'row') return { width: columns, height: 1 };
  return isOnly ? { width: columns } : {};
}
