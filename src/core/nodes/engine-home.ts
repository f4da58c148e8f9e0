// An embedded data engine belongs to one of several nodes: the one whose data folder holds its data. The first node
// claims it; a row of the state has its id and the address where the other nodes reach it. With an exclusive state
// engine there is one node, which owns all.
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

  // `tag`: where the engine's id is kept, beside its data.
  constructor(store: Store, name: string, tag: NameTag, host: string) {
    this.#store = store;
    this.#name = name;
    this.#tag = tag;
    this.#host = host;
  }

  // Called when this node knows the address at which others reach it. With `takes` it takes the engine over from any
  // other node.
  async settle(address: string, takes = false): Promise<void> {
    if (this.#store.engine.exclusive) return;
    this.#address = address;
    const there = await this.#claim(takes);
    if (there?.host !== undefined && there.host !== this.#host && isLoopback(there.address))
      throw unreachable(this.#name, there);
  }

  // Another node may have taken it over meanwhile, or a restored state may have no claim.
  async check(): Promise<void> {
    if (!this.#store.engine.exclusive && this.#address !== '') await this.#claim(false);
  }

  // Returns the other node's claim, if it is not ours.
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

  // The address of the node that owns it; undefined: this one. Read each time, because that node may restart at another
  // address, and forwarding costs more than the look-up.
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
