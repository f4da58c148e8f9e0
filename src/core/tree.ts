// All rows and links below one path, read once: rendering a datacenter with its children asks thousands of times for
// children and links. Everything outside the path is read from the store.
import { reservedLinks } from './operation/reservations.ts';
import type { Row, Table } from './state/engine.ts';
import { rowsAt, type Store } from './store.ts';

// The part of the store that readers need.
export type Reader = Pick<
  Store,
  'each' | 'range' | 'linked' | 'counted' | 'get' | 'at' | 'children' | 'linkedRows' | 'claimed'
>;

const nothing: Row[] = [];
const atOnce = 40; // rows: other calls do not wait long for them

export class Tree implements Reader {
  readonly #store: Store;
  readonly #contract: number;
  readonly #below: string;
  readonly #rows = new Map<string, Row>();
  readonly #places = new Map<string, Row[]>();
  readonly #links = new Map<string, Row[]>();

  private constructor(store: Store, contract: number, path: string) {
    this.#store = store;
    this.#contract = contract;
    this.#below = `${path}/`;
  }

  static async of(store: Store, contract: number, path: string): Promise<Tree> {
    const tree = new Tree(store, contract, path);
    await Promise.all([tree.#read('link'), tree.#read('resource')]);
    return tree;
  }

  async #read(table: 'resource' | 'link'): Promise<void> {
    const groups = table === 'link' ? this.#links : this.#places;
    const scan = { contract: this.#contract, below: this.#below };
    let group = nothing;
    for await (const rows of this.#store.pages(scan, table, atOnce))
      for (const row of rows) {
        // They come in the order of their places.
        if (group[0]?.place !== row.place) {
          group = [];
          groups.set(row.place, group);
        }
        group.push(row);
        if (table === 'resource') this.#rows.set(`${row.place}/${row.id}`, row);
      }
  }

  async get(contract: number, place: string, id: string, table: Table = 'resource'): Promise<Row | undefined> {
    if (!this.#has(contract, place)) return this.#store.get(contract, place, id, table);
    if (table === 'resource') return this.#rows.get(`${place}/${id}`);
    if (table === 'link') return this.#links.get(place)?.find((one) => one.id === id);
    return this.#store.get(contract, place, id, table);
  }

  async at(contract: number, path: string): Promise<Row | undefined> {
    return this.#has(contract, path) ? this.#rows.get(path) : this.#store.at(contract, path);
  }

  async children(contract: number, place: string): Promise<Row[]> {
    if (!this.#has(contract, place)) return this.#store.children(contract, place);
    return this.#places.get(place) ?? nothing;
  }

  async linkedRows(contract: number, path: string, way: '>' | '<', role: string): Promise<Row[]> {
    if (!this.#has(contract, path)) return this.#store.linkedRows(contract, path, way, role);
    const links = this.#links.get(`${path} ${way} ${role}`);
    if (!links) return nothing;
    const paths = links.map(({ id }) => id);
    return rowsAt(this, contract, paths);
  }

  claimed(claim: string): Promise<{ contract: number; path: string } | undefined> {
    return this.#store.claimed(claim);
  }

  counted(contract: number, name: string): Promise<number> {
    return this.#store.counted(contract, name);
  }

  each(...query: Parameters<Store['each']>): AsyncGenerator<Row> {
    return this.#store.each(...query);
  }

  range(...query: Parameters<Store['range']>): Promise<Row[]> {
    return this.#store.range(...query);
  }

  linked(...query: Parameters<Store['linked']>): Promise<string[]> {
    return this.#store.linked(...query);
  }

  #has(contract: number, path: string): boolean {
    return contract === this.#contract && path.startsWith(this.#below);
  }
}

// The rows that a row's own links of one role lead to.
export async function reservedRows(reader: Reader, row: Row, role: string): Promise<Row[]> {
  const paths = reservedLinks(row, role);
  return paths.length === 0 ? nothing : rowsAt(reader, row.contract, paths);
}
