// What is in a folder of a bucket, as far as it was asked for: pages come when the end of the list is near. Also what
// of it is chosen.
import { batch, signal } from '@preact/signals';
import type { Entry, ListRequest, Page } from '../s3/listing.ts';

export type List = (request: ListRequest) => Promise<Page<Entry>>;

export interface Folder {
  bucket: string;
  prefix: string; // the folder, and the beginning of a name where one is looked for
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
  #isBehind = false; // something has changed since it was asked for
  #controller = new AbortController();

  constructor(list: List) {
    this.#list = list;
  }

  // Shows another folder, or this one anew.
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

  // The same as far as it was loaded, without a jump: it is replaced when all of it is there.
  async refresh(): Promise<void> {
    const loaded = this.entries.value.length;
    this.close();
    this.#controller = new AbortController();
    this.#next = undefined;
    await this.#load(loaded);
  }

  // As somebody else has changed something, once at a time: what is being read may be older.
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

  // One page more; `anew`: all of it instead, so many entries at least.
  async #load(anew?: number): Promise<void> {
    const { signal } = this.#controller;
    this.#isBehind = false;
    batch(() => {
      this.isBusy.value = true;
      this.error.value = undefined;
    });
    try {
      const entries = anew === undefined ? [...this.entries.value] : [];
      do {
        const page = await this.#list({ ...this.#folder, after: this.#next, signal });
        if (signal.aborted) return;
        entries.push(...page.items.filter((one) => !isFolderItself(one, this.#folder)));
        this.#next = page.next;
      } while (entries.length < (anew ?? 0) && this.#next !== undefined);
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
