// The names of resources that the rows of a list refer to, such as the images of servers. Each list of names is loaded
// once, and again if a row refers to an id that it does not have.
import { signal } from '@preact/signals';
import { call } from '../api.ts';
import type { Item } from './model.ts';
import { nameOf } from './place.ts';

export type Names = ReadonlyMap<string, string>; // by id

export interface NameSource {
  at(path: string): readonly string[]; // the addresses of the lists with the names; `path`: of the list with the rows
  of(item: Item): readonly string[]; // the ids that a row refers to
}

const loaded = new Map<string, Promise<Names>>(); // by address

async function namesAt(address: string): Promise<Names> {
  const { items = [] } = await call<{ items?: Item[] }>('GET', address);
  return new Map(items.map((item) => [item.id, nameOf({ ...item, properties: item.properties ?? {} })]));
}

export class ListNames {
  readonly known = signal<Names>(new Map());
  readonly #source: NameSource;
  readonly #path: string;
  readonly #tried = new Set<string>();

  constructor(source: NameSource, path: string) {
    this.#source = source;
    this.#path = path;
  }

  // A user who may not read the lists sees ids.
  async load(items: readonly Item[]): Promise<void> {
    const missing = items
      .flatMap((item) => this.#source.of(item))
      .filter((id) => !this.known.value.has(id) && !this.#tried.has(id));
    if (missing.length === 0) return;
    for (const id of missing) this.#tried.add(id);
    const addresses = this.#source.at(this.#path);
    const first = await this.#read(addresses);
    if (missing.every((id) => first.has(id))) return;
    for (const address of addresses) loaded.delete(address);
    await this.#read(addresses);
  }

  async #read(addresses: readonly string[]): Promise<Names> {
    const found = await Promise.all(
      addresses.map((address) => {
        const names = loaded.get(address) ?? namesAt(address);
        loaded.set(address, names);
        return names.catch((): Names => {
          loaded.delete(address);
          return new Map();
        });
      }),
    );
    this.known.value = new Map([...this.known.value, ...found.flatMap((names) => [...names])]);
    return this.known.value;
  }
}
