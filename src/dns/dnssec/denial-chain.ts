// The names of a signed zone in the order of its NSEC or NSEC3 records. A change of the zone moves the affected names.
// Many changes at once are processed in slices, and a thread computes the hashes of NSEC3.
import { TimeSlice } from '../../core/threads/time-slice.ts';
import { labelsOf, parentOf, rawLabel } from '../records/domain-name.ts';
import type { ZoneData } from '../server/zone-data.ts';
import { SortedKeys } from './sorted-keys.ts';

export interface ChainOptions {
  zone: ZoneData;
  isMember(name: string): boolean; // whether the name has a record in the chain
  // NSEC3 only. Without them names are in canonical order.
  hashes?: { one(name: string): string; many(names: readonly string[]): Promise<readonly string[]> };
}

const fewNames = 16; // their hashes are computed at once
const namesPerBatch = 1000;

export class DenialChain {
  readonly #options: ChainOptions;
  readonly #order = new SortedKeys();
  readonly #names = new Map<string, string>(); // by their keys in the order
  readonly #keys = new Map<string, string>(); // by their names
  readonly #changed = new Set<string>(); // names that may have entered or left the chain
  readonly #delegations = new Set<string>(); // that appeared or disappeared above other names
  #work: Promise<void> | undefined;

  constructor(options: ChainOptions) {
    const { zone } = options;
    this.#options = options;
    for (const name of zone.names()) this.#changed.add(name);
    zone.watch({
      changed: (name) => this.#note(name),
      delegationChanged: (name) => this.#delegations.add(name),
    });
  }

  // The number of names without a position.
  get waiting(): number {
    return this.#changed.size;
  }

  // A name that has disappeared again needs no position: without queries, it would stay in the set.
  #note(name: string): void {
    if (this.#options.zone.setsAt(name) || this.#keys.has(name)) this.#changed.add(name);
    else this.#changed.delete(name);
  }

  // Undefined: the order is complete. Otherwise it is complete when the promise resolves, unless the zone changes
  // again.
  settle(): Promise<void> | undefined {
    if (this.#work) return this.#work;
    if (this.#delegations.size === 0 && this.#changed.size <= fewNames) {
      for (const name of this.#changed) this.#place(name, this.#keyOf(name));
      this.#changed.clear();
      return undefined;
    }
    this.#work = this.#settle().finally(() => {
      this.#work = undefined;
    });
    return this.#work;
  }

  // The following calls require a complete order.
  has(name: string): boolean {
    return this.#keys.has(name);
  }

  // The name whose record covers this one, or matches it.
  before(name: string): string {
    return this.#names.get(this.#order.atOrBefore(this.#keyOf(name)) ?? '') ?? this.#options.zone.name;
  }

  // The key of a name's record: its hash with NSEC3.
  keyOf(name: string): string {
    return this.#keyOf(name);
  }

  nextKey(name: string): string {
    const key = this.#keyOf(name);
    return this.#order.after(key) ?? key;
  }

  nameOf(key: string): string {
    return this.#names.get(key) ?? this.#options.zone.name;
  }

  // All names of the chain, which may change in the meantime.
  *names(): Generator<string> {
    yield* this.#keys.keys();
  }

  async #settle(): Promise<void> {
    const slice = new TimeSlice();
    await new Promise(setImmediate); // the change may be followed by more
    while (this.#changed.size + this.#delegations.size > 0) {
      await this.#addBelow(slice);
      const names = this.#changed.values().take(namesPerBatch).toArray();
      const keys = await this.#keysOf(names);
      for (const [at, name] of names.entries()) {
        this.#changed.delete(name);
        this.#place(name, keys[at] as string);
        await slice.pause();
      }
    }
  }

  // Names below a delegation are not the zone's own: they enter or leave the chain with it.
  async #addBelow(slice: TimeSlice): Promise<void> {
    const above = new Set(this.#delegations);
    this.#delegations.clear();
    if (above.size === 0) return;
    const { zone } = this.#options;
    for (const name of zone.names()) {
      for (let at = name; at !== zone.name && at !== ''; at = parentOf(at)) {
        if (!above.has(at)) continue;
        this.#changed.add(name);
        break;
      }
      await slice.pause();
    }
  }

  async #keysOf(names: readonly string[]): Promise<string[]> {
    const { hashes } = this.#options;
    const known = names.map((name) => this.#keys.get(name));
    const unknown = names.filter((_, at) => known[at] === undefined);
    if (!hashes || unknown.length <= fewNames) return names.map((name) => this.#keyOf(name));
    const made = (await hashes.many(unknown)).values();
    return known.map((key) => key ?? (made.next().value as string));
  }

  #place(name: string, key: string): void {
    if (this.#options.isMember(name)) {
      this.#keys.set(name, key);
      this.#names.set(key, name);
      this.#order.add(key);
    } else if (this.#keys.delete(name)) {
      this.#names.delete(key);
      this.#order.remove(key);
    }
  }

  #keyOf(name: string): string {
    return this.#keys.get(name) ?? this.#options.hashes?.one(name) ?? canonicalKey(name);
  }
}

// Keys sort like names in canonical order (RFC 4034, 6.1): by labels from the right, byte by byte. The separator is
// less than every byte of a label.
const canonicalKey = (name: string): string => labelsOf(name).reverse().map(sortableLabel).join('\0');
const sortableLabel = (label: string): string =>
  rawLabel(label).replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01');
