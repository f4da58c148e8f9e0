// An embedded data engine belongs to one of several nodes: the one whose data folder holds its data. The first node
// claims it; a row of the state has its id and the address where the other nodes reach it. Until a node has read that
// row it neither serves the engine nor forwards to another node. Every node serves a shared engine: one that runs
// on a separate server, and every engine of a region with an exclusive state engine, which has one node.
// Products do not compare places themselves: routes (`keptBy`), reconcilers (`home`) and HomeJobs name the home.
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

// What forwarding calls needs of it.
export type CallHome = Pick<EngineHome, 'isHere' | 'otherAddress' | 'unavailable'>;

export interface HomeOptions {
  name: string; // also of the option that names a server for all nodes
  data: string; // the content, in messages: 'metrics', 'brokers'
  isShared: boolean;
  takes: boolean; // takes the engine over from any other node
  remedy?: string; // what to do without the other node; by default: name a server for all nodes
}

export class EngineHome {
  readonly #options: HomeOptions;
  readonly #store: Store;
  readonly #tag: NameTag;
  readonly #host: string;
  readonly #followers: (() => void)[] = [];
  #address = '';
  #site: 'unknown' | 'here' | 'elsewhere';
  #looking: Promise<void> | undefined;
  #news = 0; // how often the claim was, or may have been, changed by another node

  // `tag`: where the engine's id is kept, next to its data.
  constructor(store: Store, options: HomeOptions, tag: NameTag, host: string) {
    this.#store = store;
    this.#options = { ...options, isShared: options.isShared || store.engine.exclusive };
    this.#tag = tag;
    this.#host = host;
    this.#site = this.isShared ? 'here' : 'unknown';
  }

  get isShared(): boolean {
    return this.#options.isShared;
  }

  // Called when this node knows the address at which others reach it.
  async settle(address: string): Promise<void> {
    if (this.isShared) return;
    const { name, takes } = this.#options;
    this.#address = address;
    this.#store.engine.watch(place, (changed) => {
      if (changed === '' || changed === name) this.#hear();
    });
    const there = await this.#inTurn(() => this.#claim(takes));
    if (there?.host !== undefined && there.host !== this.#host && isLoopback(there.address))
      throw unreachable(this.#options.data, there);
  }

  // `follower` is called when this node has learnt that it has the engine now, or that another node has it.
  follow(follower: () => void): void {
    this.#followers.push(follower);
  }

  // Another node may have taken it over, or a restored state may have no claim.
  async check(): Promise<void> {
    if (!this.isShared && this.#address !== '') await this.#inTurn(() => this.#claim(false));
  }

  // From now on this node serves nothing before it has read the claim.
  #hear(): void {
    this.#news++;
    if (this.#site === 'here') this.#site = 'unknown';
    this.check().catch(() => undefined);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#store.runExclusive(`${place} ${this.#options.name}`, work);
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
      const next = { ...(row ?? rowOf({ contract: 0, place, id: this.#options.name })), body: JSON.stringify(own) };
      return { writes: [{ op: row ? 'update' : 'insert', table: 'claim', row: next }], value: undefined };
    });
    if (news === this.#news) this.#learn(there === undefined ? 'here' : 'elsewhere');
    return there;
  }

  #learn(site: 'here' | 'elsewhere'): void {
    const before = this.#site;
    this.#site = site;
    if (site !== before) for (const follower of this.#followers) follower();
  }

  // Saved before it is claimed: a node that is killed in between is still known by it afterwards.
  #ownId(): string {
    const known = this.#tag.load();
    if (known !== undefined) return known;
    const id = uuid();
    this.#tag.save(id);
    return id;
  }

  get isHere(): boolean {
    return this.#site === 'here';
  }

  get isOnOtherNode(): boolean {
    return this.#site === 'elsewhere';
  }

  // The address of the node that has it; undefined: this one. Throws a Fault 'unavailable' as long as this node does
  // not know which one that is. Read each time, because that node may restart at another address, and forwarding costs
  // more than the look-up.
  async otherAddress(): Promise<string | undefined> {
    if (this.#site === 'here') return undefined;
    if (this.#site === 'unknown') throw this.#unknown();
    const row = await this.#row();
    if (!row) throw this.#unknown(); // the state was restored
    return homeIn(row).address;
  }

  // For calls that can't be forwarded, such as those of commands on this machine.
  async demandHere(): Promise<void> {
    const address = await this.otherAddress();
    if (address !== undefined) throw this.unavailable(address);
  }

  // The call can't be answered, because it needs the node at that address.
  unavailable(address: string, why = '', cause?: unknown): Fault {
    const { name, data, remedy = `--${name} can name a server that all nodes use.` } = this.#options;
    const message = `The ${data} of this region are kept by the node at ${address}. ${why}${why && ' '}${remedy}`;
    return new Fault('unavailable', message, { retryAfterS: 5, cause });
  }

  // An earlier look may have failed, so the next one does not wait for its time.
  #unknown(): Fault {
    this.#looking ??= this.check()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
    const message = `This node does not know yet which node keeps the ${this.#options.data} of this region. Try again.`;
    return new Fault('unavailable', message, { retryAfterS: 1 });
  }

  #row(): Promise<Row | undefined> {
    return this.#store.get(0, place, this.#options.name, 'claim');
  }
}

const isLoopback = (address: string): boolean => /^https?:\/\/(127\.|localhost|\[::1\])/.test(address);

const unreachable = (data: string, { host, address }: Home): Fault =>
  new Fault(
    'unavailable',
    `The ${data} of this region are kept by a node on ${host}, which can't be reached at ${address} from here. Start ` +
      'that node with --node-url URL.',
  );

const homeIn = ({ body }: Row): Home => JSON.parse(body) as Home;
