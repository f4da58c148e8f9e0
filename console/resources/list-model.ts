// The rows of a collection. Pages are fetched as the user scrolls. The region filters if it can; otherwise the browser
// filters, and it always sorts.
import { batch, computed, signal } from '@preact/signals';
import { call, isAborted } from '../api.ts';
import { ListNames, type NameSource, type Names } from './list-names.ts';
import type { Item, ResourceModel, Within } from './model.ts';
import { pathOf } from './page-urls.ts';
import { isAcross, regionOf, shownState } from './place.ts';

export const pageSize = 500;
const maxSorted = 10_000; // rows that are fetched for sorting

export interface Order {
  property: string;
  isDown: boolean;
}

// The part of an extension's list that the rows need.
export interface RowView {
  shows: readonly string[]; // the properties that rows have; `nics.ips` for those of the resources in them
  columns: readonly (string | ValueColumn)[]; // a text names a property
  names?: NameSource;
}

export interface ValueColumn {
  key: string;
  value(item: Item, names: Names): string | number; // for sorting
}

export class ListModel {
  readonly rows = signal<readonly Item[]>([]);
  readonly isComplete = signal(false);
  readonly isLoading = signal(false);
  readonly failure = signal<unknown>(undefined);
  readonly isKnown = signal(false); // the first page is loaded
  readonly filter = signal('');
  readonly order = signal<Order | undefined>(undefined);
  readonly chosen = signal<ReadonlySet<string>>(new Set());
  readonly note = signal('');
  readonly shown = computed(() => this.#arranged());
  onChange: (() => void) | undefined; // the page stores the filter and the order
  readonly model: ResourceModel;
  readonly isAcross: boolean; // lists resources of several parents
  readonly view: RowView | undefined;
  readonly #names: ListNames | undefined;
  readonly #address: string;
  readonly #signal: AbortSignal;
  #turn = 0;
  #newest: Promise<void> = Promise.resolve(); // newest call; responses to older calls are dropped
  #isExtending = false; // a call for another page is pending

  // `path`: below the prefix. `view`: from an extension; the region then selects the properties of the rows.
  constructor(model: ResourceModel, path: string, signal: AbortSignal, view?: RowView) {
    this.model = model;
    this.view = model.isListedAcross ? view : undefined;
    this.isAcross = isAcross(path);
    this.#names = this.view?.names && new ListNames(this.view.names, path);
    this.#address = this.isAcross || this.view ? `/console/across${path}` : model.prefix + path;
    this.#signal = signal;
  }

  get names(): Names {
    return this.#names?.known.value ?? noNames;
  }

  // The filter and the order as in the address of the page: `filter=web&sort=-cores`.
  begin(query: URLSearchParams): void {
    this.filter.value = query.get('filter') ?? '';
    const sort = query.get('sort') ?? '';
    if (sort !== '') this.order.value = { property: sort.replace(/^-/, ''), isDown: sort.startsWith('-') };
  }

  get query(): { filter: string; sort: string } {
    const { value } = this.order;
    return { filter: this.filter.value, sort: value ? `${value.isDown ? '-' : ''}${value.property}` : '' };
  }

  // The property that is filtered.
  get filtered(): string {
    return this.model.columns[0] ?? 'name';
  }

  // Some ids, such as LAN numbers, are unique only within their parent.
  keyOf({ id, within }: Item): string {
    return within ? `${within.path} ${id}` : id;
  }

  get filtersThere(): boolean {
    return this.model.list.query.some(({ name }) => name.startsWith('filter.'));
  }

  // Replaces a pending call for another page, so it includes that page.
  async reload(): Promise<void> {
    const known = this.rows.value.length + (this.#isExtending ? pageSize : 0);
    const isFirst = !this.isKnown.value;
    await this.#load(++this.#turn, 0, Math.min(Math.max(known, pageSize), maxSorted), (rows) => rows);
    if (isFirst && this.order.value) await this.#loadForOrder();
  }

  async loadMore(): Promise<void> {
    if (this.isLoading.value || this.isComplete.value || this.failure.value !== undefined) return;
    const known = this.rows.value;
    this.#isExtending = true;
    await this.#load(this.#turn, known.length, pageSize, (rows) => {
      const keys = new Set(known.slice(-pageSize).map((one) => this.keyOf(one))); // creations move rows to later pages
      return [...known, ...rows.filter((one) => !keys.has(this.keyOf(one)))];
    });
  }

  setFilter(text: string): void {
    this.filter.value = text;
    this.onChange?.();
    if (this.filtersThere) void this.#restart();
  }

  // Cycles through ascending, descending and unsorted.
  async sortBy(property: string): Promise<void> {
    const { value } = this.order;
    this.order.value =
      value?.property !== property
        ? { property, isDown: false }
        : value.isDown
          ? undefined
          : { property, isDown: true };
    this.onChange?.();
    await this.#loadForOrder();
  }

  async #loadForOrder(): Promise<void> {
    this.note.value = '';
    await this.#idle();
    while (this.order.value && !this.isComplete.value && this.rows.value.length < maxSorted) {
      const before = this.rows.value.length;
      await this.loadMore();
      await this.#idle();
      if (this.rows.value.length === before) break;
    }
    if (this.order.value && !this.isComplete.value)
      this.note.value = `Only the first ${this.rows.value.length.toLocaleString()} rows are sorted. Filter to see others.`;
  }

  choose(keys: Iterable<string>, isChosen: boolean): void {
    const chosen = new Set(this.chosen.value);
    for (const key of keys)
      if (isChosen) chosen.add(key);
      else chosen.delete(key);
    this.chosen.value = chosen;
  }

  get chosenItems(): Item[] {
    return this.rows.value.filter((one) => this.chosen.value.has(this.keyOf(one)));
  }

  async #restart(): Promise<void> {
    batch(() => {
      this.chosen.value = new Set();
      this.note.value = '';
    });
    this.#isExtending = false;
    await this.#load(++this.#turn, 0, pageSize, (rows) => rows);
  }

  #load(turn: number, offset: number, limit: number, merge: Merge): Promise<void> {
    this.#newest = this.#fetch(turn, offset, limit, merge);
    return this.#newest;
  }

  async #idle(): Promise<void> {
    while (this.isLoading.value) await this.#newest;
  }

  async #fetch(turn: number, offset: number, limit: number, merge: Merge): Promise<void> {
    this.isLoading.value = true;
    const query = new URLSearchParams({ depth: '1', offset: String(offset), limit: String(limit) });
    if (this.filter.value !== '' && this.filtersThere) query.set(`filter.${this.filtered}`, this.filter.value);
    if (this.view) query.set('show', this.view.shows.join(','));
    try {
      const answer = await call<Answer>('GET', `${this.#address}?${query}`, { signal: this.#signal });
      if (turn !== this.#turn) return;
      const items = (answer.items ?? []).map((one) => completed(one, answer.within));
      batch(() => {
        this.rows.value = merge(items);
        this.isComplete.value = items.length < limit || !this.#isPaged;
        this.failure.value = undefined;
        this.isKnown.value = true;
      });
      this.#isExtending = false;
      void this.#names?.load(items);
    } catch (error) {
      if (isAborted(error) || turn !== this.#turn) return;
      this.failure.value = error;
    } finally {
      if (turn === this.#turn) this.isLoading.value = false;
    }
  }

  #valueColumn(key: string): ValueColumn | undefined {
    return this.view?.columns.find((one): one is ValueColumn => typeof one === 'object' && one.key === key);
  }

  get #isPaged(): boolean {
    return this.model.isPaged;
  }

  #arranged(): readonly Item[] {
    const word = this.filter.value.toLowerCase();
    const found =
      word === '' || this.filtersThere
        ? this.rows.value
        : this.rows.value.filter((item) => textOf(item, this.filtered).toLowerCase().includes(word));
    const order = this.order.value;
    if (!order) return found;
    const names = this.names;
    const value = this.#valueColumn(order.property)?.value ?? ((item: Item) => fieldOf(item, order.property));
    const keyed = found.map((item) => ({ item, key: sortKey(value(item, names)) }));
    keyed.sort((a, b) => compare(a.key, b.key));
    if (order.isDown) keyed.reverse();
    return keyed.map(({ item }) => item);
  }
}

const noNames: Names = new Map();

type Merge = (rows: Item[]) => readonly Item[];

interface Answer {
  items?: Item[];
  within?: ParentNames;
}

type ParentNames = Readonly<Record<string, string>>; // by path

// Some responses have items without properties.
const completed = (item: Item, within: ParentNames | undefined): Item => ({
  ...item,
  id: String(item.id ?? ''),
  properties: item.properties ?? {},
  ...(within && { within: withinOf(item, within) }),
});

// The parent: …/datacenters/D for …/datacenters/D/servers/S
function withinOf({ href = '' }: Item, names: ParentNames): Within {
  const path = pathOf(href).split('/').slice(0, -2).join('/');
  return { path, name: names[path] ?? '' };
}

// The value of a column: a property, a metadata field, or a value that is derived from the whole item.
export const fieldOf = (item: Item, property: string): unknown =>
  item.properties[property] ?? item.metadata?.[property] ?? derivedFields[property]?.(item);

const derivedFields: Readonly<Record<string, (item: Item) => unknown>> = {
  id: ({ id }) => id,
  type: ({ type }) => type,
  region: regionOf,
  state: shownState,
  age: ({ metadata }) => metadata?.createdDate,
  within: ({ within }) => within?.name,
};

const textOf = (item: Item, property: string): string => String(fieldOf(item, property) ?? item.id);

type SortKey = number | string;

// Computed once per row. Numbers sort by size, also within texts.
function sortKey(value: unknown): SortKey {
  if (typeof value === 'number') return value;
  const text = value === undefined || value === null ? '' : String(value);
  return text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, '0'));
}

function compare(a: SortKey, b: SortKey): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [x, y] = [String(a), String(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}
