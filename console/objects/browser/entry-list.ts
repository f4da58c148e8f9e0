// The loaded entries of a bucket's folder, and the selected ones. More pages are loaded near the end of the list.
import { batch, signal } from '@preact/signals';
import type { Entry, ListRequest, Page } from '../s3/listing.ts';

export type List = (request: ListRequest) => Promise<Page<Entry>>;

export interface Folder {
  bucket: string;
  prefix: string; // the folder, and the beginning of the searched name
}

export const idOf = (entry: Entry): string =>
  entry.kind === 'folder' ? `/${entry.key}` : `${entry.versionId ?? ''} ${entry.key}`;

export class EntryList {
  readonly entries = signal<readonly Entry[]>([]);
  readonly chosen = signal<ReadonlySet<string>>(new Set());
  readonly isBusy = signal(true);
  readonly hasMore = signal(false);
  readonly error = signal<unknown>(undefined);
  #list: List;
  #folder: Folder = { bucket: '', prefix: '' };
  #next: string | undefined;
  #isBehind = false; // there was a change since the last request
  #controller = new AbortController();

  constructor(list: List) {
    this.#list = list;
  }

  // Shows another folder, or reloads this one.
  open(folder: Folder, list = this.#list): Promise<void> {
    this.close();
    this.#controller = new AbortController();
    this.#folder = folder;
    this.#list = list;
    this.#next = undefined;
    batch(() => {
      this.entries.value = [];
      this.chosen.value = new Set();
      this.hasMore.value = false;
    });
    return this.#load();
  }

  // Reloads all loaded pages and replaces them together, so that the list doesn't jump.
  async refresh(): Promise<void> {
    const loaded = this.entries.value.length;
    this.close();
    this.#controller = new AbortController();
    this.#next = undefined;
    await this.#load(loaded);
  }

  // Reloads after a change by others. A reload that is already running may have read older data, so another one
  // follows.
  async follow(): Promise<void> {
    if (this.isBusy.value) this.#isBehind = true;
    else await this.refresh();
  }

  more(): void {
    if (!this.isBusy.value && this.#next !== undefined) void this.#load();
  }

  close(): void {
    this.#controller.abort();
  }

  // Loads one more page, or with `reloadCount` everything again, at least this number of entries.
  async #load(reloadCount?: number): Promise<void> {
    const { signal } = this.#controller;
    this.#isBehind = false;
    batch(() => {
      this.isBusy.value = true;
      this.error.value = undefined;
    });
    try {
      const entries = reloadCount === undefined ? [...this.entries.value] : [];
      do {
        const page = await this.#list({ ...this.#folder, after: this.#next, signal });
        if (signal.aborted) return;
        entries.push(...page.items.filter((one) => !isFolderItself(one, this.#folder)));
        this.#next = page.next;
      } while (entries.length < (reloadCount ?? 0) && this.#next !== undefined);
      const known = new Set(entries.map(idOf));
      batch(() => {
        this.entries.value = entries;
        this.chosen.value = new Set([...this.chosen.value].filter((one) => known.has(one)));
        this.hasMore.value = this.#next !== undefined;
        this.isBusy.value = false;
      });
    } catch (error) {
      if (signal.aborted) return;
      batch(() => {
        this.error.value = error;
        this.isBusy.value = false;
      });
    }
    if (this.#isBehind) await this.refresh();
  }

  choose(ids: readonly string[], isChosen: boolean): void {
    const chosen = new Set(this.chosen.value);
    for (const id of ids) {
      if (isChosen) chosen.add(id);
      else chosen.delete(id);
    }
    this.chosen.value = chosen;
  }

  clear(): void {
    this.chosen.value = new Set();
  }

  get chosenEntries(): Entry[] {
    return this.entries.value.filter((one) => this.chosen.value.has(idOf(one)));
  }
}

const isFolderItself = ({ kind, key }: Entry, { prefix }: Folder): boolean =>
  kind !== 'folder' && key === prefix && key.endsWith('/');
