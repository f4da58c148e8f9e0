// An embedded data engine belongs to one of several nodes: the one whose data folder holds its data. The first node
// claims it; a row of the state has its id and the address where the other nodes reach it. Until a node has read that
// row it neither serves the engine nor forwards to another node. With an exclusive state engine there is one node,
// which has all engines.
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import { type Row, rowOf } from '../state/engine.ts';
import { engineClaims as place, type Store } from '../store.ts';
import type { NameTag } from './node.ts';

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
  #site: 'unknown' | 'here' | 'elsewhere';
  #looking: Promise<void> | undefined;
  #news = 0; // how often the claim was, or may have been, changed by another node

  // `tag`: where the engine's id is kept, next to its data.
  constructor(store: Store, name: string, tag: NameTag, host: string) {
    this.#store = store;
    this.#name = name;
    this.#tag = tag;
    this.#host = host;
    this.#site = store.engine.exclusive ? 'here' : 'unknown';
  }

  // Called when this node knows the address at which others reach it. With `takes` it takes the engine over from any
  // other node. `checked` is called each time that the claim was read again because another node may have changed it.
  async settle(address: string, takes = false, checked: () => void = () => {}): Promise<void> {
    const { engine } = this.#store;
    if (engine.exclusive) return;
    this.#address = address;
    engine.watch(place, (name) => {
      if (name === '' || name === this.#name) this.#hear(checked);
    });
    const there = await this.#inTurn(() => this.#claim(takes));
    if (there?.host !== undefined && there.host !== this.#host && isLoopback(there.address))
      throw unreachable(this.#name, there);
  }

  // Another node may have taken it over, or a restored state may have no claim.
  async check(): Promise<void> {
    if (!this.#store.engine.exclusive && this.#address !== '') await this.#inTurn(() => this.#claim(false));
  }

  // From now on this node serves nothing before it has read the claim.
  #hear(checked: () => void): void {
    this.#news++;
    if (this.#site === 'here') this.#site = 'unknown';
    this.check().then(checked, () => undefined);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#store.runExclusive(`${place} ${this.#name}`, work);
  }

  // Returns the other node's claim, if it is not ours.
  async #claim(takes: boolean): Promise<Home | undefined> {
    const news = this.#news;
    const own: Home = { id: this.#ownId(), address: this.#address, host: this.#host };
    const there = await this.#store.change(async () => {
      const row = await this.#row();
      const home = row && homeIn(row);
      if (home && home.id !== own.id && !takes) return { writes: [], value: home };
      if (home?.id === own.id && home.address === own.address) return { writes: [], value: undefined };
      const next = { ...(row ?? rowOf({ contract: 0, place, id: this.#name })), body: JSON.stringify(own) };
      return { writes: [{ op: row ? 'update' : 'insert', table: 'claim', row: next }], value: undefined };
    });
    if (news === this.#news) this.#site = there === undefined ? 'here' : 'elsewhere';
    return there;
  }

  // Saved before it is claimed: a node that is killed in between is still known by it afterwards.
  #ownId(): string {
    const known = this.#tag.load();
    if (known !== undefined) return known;
    const id = uuid();
    this.#tag.save(id);
    return id;
  }

  // For work that another node, or this one, does later where it is not done now. Calls ask `elsewhere`.
  get isHere(): boolean {
    return this.#site === 'here';
  }

  get isElsewhere(): boolean {
    return this.#site === 'elsewhere';
  }

  // The address of the node that has it; undefined: this one. Throws a Fault 'unavailable' as long as this node does
  // not know which one that is. Read each time, because that node may restart at another address, and forwarding costs
  // more than the look-up.
  async elsewhere(): Promise<string | undefined> {
    if (this.#site === 'here') return undefined;
    if (this.#site === 'unknown') throw this.#unknown();
    const row = await this.#row();
    if (!row) throw this.#unknown(); // the state was restored
    return homeIn(row).address;
  }

  // An earlier look may have failed, so the next one does not wait for its time.
  #unknown(): Fault {
    this.#looking ??= this.check()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
    const message = `This node does not know yet which node keeps the ${this.#name} of this region. Try again.`;
    return new Fault('unavailable', message, { retryAfterS: 1 });
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
