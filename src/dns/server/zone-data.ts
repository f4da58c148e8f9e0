// A zone in the form that the name server needs: sets of records by name and type, in wire form. Names between a record
// and the zone exist too, without records.
import { TimeSlice } from '../../core/threads/time-slice.ts';
import { isWithin, nameKey, parentOf } from '../records/domain-name.ts';
import { typeNumbers } from '../records/types.ts';

export interface RecordSet {
  type: number;
  ttl: number;
  data: Buffer[];
}

export interface ZoneRecord {
  id: string; // of its row; any text that is unique in the zone
  name: string; // whole
  type: number;
  ttl: number;
  data: Buffer;
}

// Follows the names of a zone.
export interface ZoneWatcher {
  changed(name: string): void; // it has appeared or disappeared, or a type at it
  delegationChanged(name: string): void; // one that has names below it has appeared or disappeared
}

interface Node {
  sets: Map<number, RecordSet> | undefined; // undefined: none
  below: number; // nodes directly below
}

const manyRecords = 64; // of a set
const noSets: ReadonlyMap<number, RecordSet> = new Map();
const delegationType = typeNumbers.NS as number;

export class ZoneData {
  readonly name: string; // as a key
  serial = 1;
  readonly #nodes = new Map<string, Node>();
  readonly #records = new Map<string, ZoneRecord>(); // by id
  #watcher: ZoneWatcher | undefined;
  #bytes = 0;
  readonly #known = new WeakMap<RecordSet, Set<string>>(); // the data of large sets that grow

  constructor(name: string) {
    this.name = nameKey(name);
    this.#nodes.set(this.name, { sets: undefined, below: 0 });
  }

  // Replaces the zone's watcher.
  watch(watcher: ZoneWatcher | undefined): void {
    this.#watcher = watcher;
  }

  get size(): number {
    return this.#records.size;
  }

  // Of the data of all records.
  get dataBytes(): number {
    return this.#bytes;
  }

  // Replaces the record of the same id.
  put(record: ZoneRecord): void {
    const before = this.#records.get(record.id);
    if (before && isSame(before, record)) return;
    this.remove(record.id);
    const key = nameKey(record.name);
    if (!isWithin(key, this.name)) return;
    this.#records.set(record.id, record);
    this.#bytes += record.data.length;
    const { type, ttl, data } = record;
    const sets = this.#setsOf(key, type);
    const set = sets.get(type);
    if (!set) {
      sets.set(type, { type, ttl, data: [data] });
    } else if (!this.#hasData(set, data)) {
      // One set has one TTL: the lowest of its records'.
      const larger = { type, ttl: Math.min(set.ttl, ttl), data: [...set.data, data] };
      sets.set(type, larger);
      const known = this.#known.get(set)?.add(data.toString('latin1'));
      if (known) this.#known.set(larger, known);
    }
  }

  // Many records are looked up instead of compared one by one.
  #hasData(set: RecordSet, data: Buffer): boolean {
    if (set.data.length < manyRecords) return set.data.some((one) => one.equals(data));
    const known = this.#known.get(set) ?? new Set(set.data.map((one) => one.toString('latin1')));
    this.#known.set(set, known);
    return known.has(data.toString('latin1'));
  }

  // Adds many records to an empty zone at once: one by one, a large set would be copied with each record.
  async fill(records: Iterable<ZoneRecord>): Promise<void> {
    const slice = new TimeSlice();
    const sets = new Map<RecordSet, Set<string>>(); // with the data that they have
    for (const record of records) {
      await slice.pause();
      const key = nameKey(record.name);
      if (!isWithin(key, this.name)) continue;
      this.#records.set(record.id, record);
      this.#bytes += record.data.length;
      const { type, ttl, data } = record;
      const own = this.#setsOf(key, type);
      const set = own.get(type) ?? { type, ttl, data: [] };
      own.set(type, set);
      const known = sets.get(set) ?? new Set();
      sets.set(set, known);
      set.ttl = Math.min(set.ttl, ttl);
      const text = data.toString('latin1');
      if (known.has(text)) continue;
      known.add(text);
      set.data.push(data);
    }
  }

  remove(id: string): void {
    const old = this.#records.get(id);
    if (!old) return;
    this.#records.delete(id);
    this.#bytes -= old.data.length;
    const key = nameKey(old.name);
    const node = this.#nodes.get(key);
    const set = node?.sets?.get(old.type);
    if (!node?.sets || !set) return;
    const at = set.data.indexOf(old.data);
    if (at < 0) return; // another record has the same data
    const rest = set.data.toSpliced(at, 1);
    if (rest.length > 0) {
      node.sets.set(old.type, { ...set, data: rest });
      return;
    }
    node.sets.delete(old.type);
    if (node.sets.size === 0) node.sets = undefined;
    this.#typeChanged(key, node, old.type);
    this.#shrink(key);
  }

  // Undefined: the name does not exist. An existing name without records is an empty map.
  setsAt(key: string): ReadonlyMap<number, RecordSet> | undefined {
    const node = this.#nodes.get(key);
    return node && (node.sets ?? noSets);
  }

  // The delegation that the name is at or below, without the zone itself.
  delegationAbove(key: string): string | undefined {
    let found: string | undefined;
    for (let at = key; at !== this.name && at !== ''; at = parentOf(at))
      if (this.#nodes.get(at)?.sets?.has(delegationType)) found = at;
    return found;
  }

  // The nearest existing name above.
  closestTo(key: string): string {
    let at = key;
    while (!this.#nodes.has(at) && at !== this.name) at = parentOf(at);
    return at;
  }

  // All names, in no order. The zone may change in the meantime.
  names(): IterableIterator<string> {
    return this.#nodes.keys();
  }

  get nameCount(): number {
    return this.#nodes.size;
  }

  ids(): IterableIterator<string> {
    return this.#records.keys();
  }

  recordOf(id: string): ZoneRecord | undefined {
    return this.#records.get(id);
  }

  // Returns an empty set to fill, if the type has none.
  #setsOf(key: string, type: number): Map<number, RecordSet> {
    const node = this.#grow(key);
    node.sets ??= new Map();
    if (!node.sets.has(type)) this.#typeChanged(key, node, type);
    return node.sets;
  }

  #typeChanged(key: string, { below }: Node, type: number): void {
    this.#watcher?.changed(key);
    if (type === delegationType && below > 0 && key !== this.name) this.#watcher?.delegationChanged(key);
  }

  #grow(key: string): Node {
    const known = this.#nodes.get(key);
    if (known) return known;
    const node: Node = { sets: undefined, below: 0 };
    this.#nodes.set(key, node);
    this.#watcher?.changed(key);
    if (key !== this.name) this.#grow(parentOf(key)).below += 1;
    return node;
  }

  #shrink(key: string): void {
    const node = this.#nodes.get(key);
    if (!node || key === this.name || node.sets || node.below > 0) return;
    this.#nodes.delete(key);
    this.#watcher?.changed(key);
    const parent = parentOf(key);
    const above = this.#nodes.get(parent);
    if (above) above.below -= 1;
    this.#shrink(parent);
  }
}

const isSame = (a: ZoneRecord, b: ZoneRecord): boolean =>
  a.name === b.name && a.type === b.type && a.ttl === b.ttl && a.data.equals(b.data);
