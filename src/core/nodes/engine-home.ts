// An embedded data engine belongs to one of several nodes: the one whose data folder holds its data. The first that
// comes takes it; a row of the state names it and tells the others where it is reached. Where a process has the state
// for itself, everything is at home with it.
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import { type Row, rowOf } from '../state/engine.ts';
import type { Store } from '../store.ts';
import type { NameTag } from './node.ts';

const place = 'engine';

interface Home {
  id: string;
  address: string;
  host?: string; // the machine's name
}

export class EngineHome {
  readonly #store: Store;
  readonly #name: string;
  readonly #tag: NameTag;
  readonly #host: string;
  #address = '';
  #isHere = true;

  // `tag`: where the engine's own name is kept, beside its data.
  constructor(store: Store, name: string, tag: NameTag, host: string) {
    this.#store = store;
    this.#name = name;
    this.#tag = tag;
    this.#host = host;
  }

  // To be called when this node knows by which address the others reach it. With `takes` it is its home from now on,
  // whoever had it before.
  async settle(address: string, takes = false): Promise<void> {
    if (this.#store.engine.exclusive) return;
    this.#address = address;
    const there = await this.#claim(takes);
    if (there?.host !== undefined && there.host !== this.#host && isLoopback(there.address))
      throw unreachable(this.#name, there);
  }

  // Somebody else may have taken it meanwhile, or a state was restored that knows of no home.
  async check(): Promise<void> {
    if (!this.#store.engine.exclusive && this.#address !== '') await this.#claim(false);
  }

  // Where it is, if not here.
  async #claim(takes: boolean): Promise<Home | undefined> {
    const own: Home = { id: this.#tag.load() ?? uuid(), address: this.#address, host: this.#host };
    const there = await this.#store.change(async () => {
      const row = await this.#row();
      const home = row && homeIn(row);
      if (home && home.id !== own.id && !takes) return { writes: [], value: home };
      if (home?.id === own.id && home.address === own.address) return { writes: [], value: undefined };
      const next = { ...(row ?? rowOf({ contract: 0, place, id: this.#name })), body: JSON.stringify(own) };
      return { writes: [{ op: row ? 'update' : 'insert', table: 'claim', row: next }], value: undefined };
    });
    this.#isHere = there === undefined;
    if (this.#isHere && this.#tag.load() !== own.id) this.#tag.save(own.id);
    return there;
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

const isLoopback = (address: string): boolean => /^https?:\/\/(127\.|localhost|\[::1\])/.test(address);

const unreachable = (name: string, { host, address }: Home): Fault =>
  new Fault(
    'unavailable',
    `The ${name} of this region are kept by a node on ${host}, which nobody reaches at ${address} from here: start ` +
      'that node with --node-url URL.',
  );

const homeIn = ({ body }: Row): Home => JSON.parse(body) as Home;
