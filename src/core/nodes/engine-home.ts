// An embedded data engine belongs to one of several nodes: the one whose data folder holds its data. The first node
// claims it; a row of the state has its id and the address where the other nodes reach it. Until a node has read that
// row it neither serves the engine nor forwards to another node. Every node serves a shared engine: one that runs
// on a separate server, and every engine of a region with an exclusive state engine, which has one node. The row of an
// engine on a separate server has its address: a node with another engine does not start, because data would be split.
// Products do not compare places themselves: routes (`keptBy`), reconcilers (`home`) and HomeJobs name the home.
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import { type Row, rowOf } from '../state/engine.ts';
import { engineClaims as place, type Store } from '../store.ts';
import type { NameTag } from './node.ts';

// The body of the row. Of an embedded engine it has all but `outside`, and of an engine elsewhere only that.
export interface EngineClaim {
  id?: string;
  address?: string;
  host?: string; // the machine's name
  outside?: string; // the engine's address, without credentials and parameters
}

// What forwarding calls needs of it.
export type CallHome = Pick<EngineHome, 'isHere' | 'otherAddress' | 'unavailable'>;

export interface HomeOptions {
  name: string; // also of the option that names a server for all nodes
  data: string; // the content, in messages: 'metrics', 'brokers'
  isShared: boolean;
  engine?: string; // the value of that option; absent: other nodes may have another one
  takes: boolean; // takes the engine over from any other node
  remedy?: string; // what to do without the other node; by default: name a server for all nodes
}

// An engine that the first node of a region changes. The data at `from` stay there.
export interface EngineChange {
  data: string;
  from: string;
  to: string;
}

export class EngineHome {
  readonly #options: HomeOptions;
  readonly #store: Store;
  readonly #tag: NameTag;
  readonly #host: string;
  readonly #outside: string | undefined; // the address of an engine that all nodes use
  readonly #followers: (() => void)[] = [];
  #address = '';
  #site: 'unknown' | 'here' | 'elsewhere';
  #conflict: EngineClaim | undefined; // of another engine than this node's
  #looking: Promise<void> | undefined;
  #news = 0; // how often the claim was, or may have been, changed by another node

  // `tag`: where the engine's id is kept, next to its data.
  constructor(store: Store, options: HomeOptions, tag: NameTag, host: string) {
    this.#store = store;
    this.#options = { ...options, isShared: options.isShared || store.engine.exclusive };
    this.#outside = options.isShared && options.engine !== undefined ? withoutSecrets(options.engine) : undefined;
    this.#tag = tag;
    this.#host = host;
    this.#site = this.isShared ? 'here' : 'unknown';
  }

  get isShared(): boolean {
    return this.#options.isShared;
  }

  // Whether a row of the state has its place.
  get #isClaimed(): boolean {
    return !this.#store.engine.exclusive && (!this.isShared || this.#outside !== undefined);
  }

  // Refuses another engine than that of the region. Only the first node that starts can change it, by an option.
  // `running`: the other nodes. Returns the changed engine.
  async demandSameEngine(running: readonly string[]): Promise<EngineChange | undefined> {
    const { name, data, engine } = this.#options;
    const found = this.#isClaimed ? await this.#claimed() : undefined;
    if (!found || engine === undefined || found.outside === this.#outside) return undefined;
    const change = { data, from: placeIn(found), to: this.#outside ?? engine };
    if (running.length === 0 && engine !== 'embedded') return change;
    throw otherEngine(name, change, running);
  }

  // Called when this node knows the address at which others reach it.
  async settle(address: string): Promise<void> {
    if (!this.#isClaimed) return;
    const { name } = this.#options;
    this.#address = address;
    this.#store.engine.watch(place, (changed) => {
      if (changed === '' || changed === name) this.#hear();
    });
    const there = await this.#inTurn(() => this.#claim(true));
    if (there?.host !== undefined && there.host !== this.#host && isLoopback(there.address ?? ''))
      throw unreachable(this.#options.data, there);
  }

  // `follower` is called when this node has learnt that it has the engine now, or that another node has it.
  follow(follower: () => void): void {
    this.#followers.push(follower);
  }

  // Another node may have taken it over, or a restored state may have no claim.
  async check(): Promise<void> {
    if (this.#isClaimed && this.#address !== '') await this.#inTurn(() => this.#claim(false));
  }

  // From now on this node serves nothing before it has read the claim.
  #hear(): void {
    this.#news++;
    if (this.#site === 'here' && !this.isShared) this.#site = 'unknown';
    this.check().catch(() => undefined);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#store.runExclusive(`${place} ${this.#options.name}`, work);
  }

  // Returns the claim of another node, or of another engine.
  async #claim(isStarting: boolean): Promise<EngineClaim | undefined> {
    const news = this.#news;
    const outside = this.#outside;
    const own: EngineClaim = outside ? { outside } : { id: this.#ownId(), address: this.#address, host: this.#host };
    const there = await this.#store.change(async () => {
      const row = await this.#row();
      const found = row && claimIn(row);
      const isOther = found && (found.id !== own.id || found.outside !== outside);
      const replaces = isStarting && (this.#options.takes || found?.outside !== outside);
      if (isOther && !replaces) return { writes: [], value: found };
      if (found && !isOther && found.address === own.address) return { writes: [], value: undefined };
      const next = { ...(row ?? rowOf({ contract: 0, place, id: this.#options.name })), body: JSON.stringify(own) };
      return { writes: [{ op: row ? 'update' : 'insert', table: 'claim', row: next }], value: undefined };
    });
    if (news !== this.#news) return there;
    this.#conflict = there?.outside === outside ? undefined : there;
    this.#learn(there === undefined ? 'here' : this.#conflict ? 'unknown' : 'elsewhere');
    return there;
  }

  #learn(site: 'unknown' | 'here' | 'elsewhere'): void {
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
    const { address } = (await this.#claimed()) ?? {};
    if (address === undefined) throw this.#unknown(); // the state was restored, or the engine has changed
    return address;
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

  // Undefined: this node has the same engine as the region.
  get conflict(): string | undefined {
    const { name, data } = this.#options;
    if (!this.#conflict) return undefined;
    return `The ${data} of this region are now ${placeIn(this.#conflict)}. Restart this node with the --${name} of the others.`;
  }

  // An earlier look may have failed, so the next one does not wait for its time.
  #unknown(): Fault {
    this.#looking ??= this.check()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
    const usual = `This node does not know yet which node keeps the ${this.#options.data} of this region. Try again.`;
    return new Fault('unavailable', this.conflict ?? usual, { retryAfterS: 1 });
  }

  async #claimed(): Promise<EngineClaim | undefined> {
    const row = await this.#row();
    return row && claimIn(row);
  }

  #row(): Promise<Row | undefined> {
    return this.#store.get(0, place, this.#options.name, 'claim');
  }
}

const isLoopback = (address: string): boolean => /^https?:\/\/(127\.|localhost|\[::1\])/.test(address);

const unreachable = (data: string, { host, address }: EngineClaim): Fault =>
  new Fault(
    'unavailable',
    `The ${data} of this region are kept by a node on ${host}, which can't be reached at ${address} from here. Start ` +
      'that node with --node-url URL.',
  );

const claimIn = ({ body }: Row): EngineClaim => JSON.parse(body) as EngineClaim;

// The credentials may differ, as after a rotation.
const withoutSecrets = (engine: string): string =>
  engine
    .replace(/:\/\/.*@/, '://')
    .replace(/\?.*/, '')
    .replace(/\/$/, '');

const placeIn = ({ outside, host, address }: EngineClaim): string =>
  outside === undefined ? `kept by a node on ${host ?? 'another machine'} at ${address}` : `at ${outside}`;

function otherEngine(name: string, { data, from, to }: EngineChange, running: readonly string[]): Fault {
  const problem = `The ${data} of this region are ${from}, but this node was started with --${name} ${to}. `;
  const nodes = running.length === 1 ? 'another node runs' : `${running.length} other nodes run`;
  const remedy =
    running.length === 0
      ? `Start it with the right --${name}, or with --${name} here to leave them there and begin with an empty folder.`
      : `Start it with the --${name} of the others. To change the engine, stop all nodes first: ${nodes} ` +
        `(${running.join(', ')}); a killed one counts for six more seconds.`;
  return new Fault('refused', problem + remedy);
}
