// An embedded data engine belongs to one of several nodes: the one whose data folder holds its data. The first that
// comes takes it; a row of the state names it and tells the others where it is reached. Where a process has the state
// for itself, everything is at home with it.
import { uuid } from '../base/ids.ts';
import type { NameTag } from './node.ts';
import { type Row, rowOf } from './state/engine.ts';
import type { Store } from './store.ts';

const place = 'engine';

interface Home {
  id: string;
  address: string;
}

export class EngineHome {
  readonly #store: Store;
  readonly #name: string;
  readonly #tag: NameTag;
  #isHere = true;

  // `tag`: where the engine's own name is kept, beside its data.
  constructor(store: Store, name: string, tag: NameTag) {
    this.#store = store;
    this.#name = name;
    this.#tag = tag;
  }

  // To be called when this node knows by which address the others reach it.
  async settle(address: string): Promise<void> {
    if (this.#store.engine.exclusive) return;
    const own = this.#tag.load() ?? uuid();
    this.#isHere = await this.#store.change(async () => {
      const row = await this.#row();
      const home: Home = { id: own, address };
      if (row && homeIn(row).id !== own) return { writes: [], value: false };
      if (row && homeIn(row).address === address) return { writes: [], value: true };
      const next = { ...(row ?? rowOf({ contract: 0, place, id: this.#name })), body: JSON.stringify(home) };
      return { writes: [{ op: row ? 'update' : 'insert', table: 'claim', row: next }], value: true };
    });
    if (this.#isHere) this.#tag.save(own);
  }

  get isHere(): boolean {
    return this.#isHere;
  }

  // The address of the node that has it; undefined: this one. Looked up each time: after a restart that node may be
  // somewhere else, and a call that is handed on costs more than this.
  async elsewhere(): Promise<string | undefined> {
    if (this.#isHere) return undefined;
    const row = await this.#row();
    return row ? homeIn(row).address : '';
  }

  #row(): Promise<Row | undefined> {
    return this.#store.get(0, place, this.#name, 'claim');
  }
}

const homeIn = ({ body }: Row): Home => JSON.parse(body) as Home;
