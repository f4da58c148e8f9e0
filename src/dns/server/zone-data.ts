// A zone as the name server reads it: sets of records by name and type, as they are on the wire. Names between a record
// and the zone exist too, without records of their own.
import { compareNames, isWithin, nameKey, parentOf } from '../records/domain-name.ts';
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

interface Node {
  sets: Map<number, RecordSet>;
  below: number; // nodes directly below
}

export class ZoneData {
  readonly name: string; // as a key
  serial = 1;
  readonly #nodes = new Map<string, Node>();
  readonly #records = new Map<string, ZoneRecord>(); // by id
  #sorted: string[] | undefined; // names in canonical order, for DNSSEC

  constructor(name: string) {
    this.name = nameKey(name);
    this.#nodes.set(this.name, { sets: new Map(), below: 0 });
  }

  get size(): number {
    return this.#records.size;
  }

  // Replaces the record of the same id.
  put(record: ZoneRecord): void {
    this.remove(record.id);
    const key = nameKey(record.name);
    if (!isWithin(key, this.name)) return;
    this.#records.set(record.id, record);
    const { sets } = this.#grow(key);
    const { type, ttl, data } = record;
    const set = sets.get(type);
    if (!set) {
      sets.set(type, { type, ttl, data: [data] });
      this.#sorted = undefined;
    } else if (!set.data.some((one) => one.equals(data))) {
      // One set has one TTL: the lowest of its records'.
      sets.set(type, { type, ttl: Math.min(set.ttl, ttl), data: [...set.data, data] });
    }
  }

  // Many at once, into a zone that is empty: one by one, a large set would be copied with each of its records.
  fill(records: Iterable<ZoneRecord>): void {
    const sets = new Map<RecordSet, Set<string>>(); // with the data that they have
    for (const record of records) {
      const key = nameKey(record.name);
      if (!isWithin(key, this.name)) continue;
      this.#records.set(record.id, record);
      const { type, ttl, data } = record;
      const node = this.#grow(key);
      const set = node.sets.get(type) ?? { type, ttl, data: [] };
      node.sets.set(type, set);
      const known = sets.get(set) ?? new Set();
      sets.set(set, known);
      set.ttl = Math.min(set.ttl, ttl);
      const text = data.toString('latin1');
      if (known.has(text)) continue;
      known.add(text);
      set.data.push(data);
    }
    this.#sorted = undefined;
  }

  remove(id: string): void {
    const old = this.#records.get(id);
    if (!old) return;
    this.#records.delete(id);
    const key = nameKey(old.name);
    const node = this.#nodes.get(key);
    const set = node?.sets.get(old.type);
    if (!node || !set) return;
    const rest = set.data.filter((one) => !one.equals(old.data));
    if (rest.length > 0) {
      node.sets.set(old.type, { ...set, data: rest });
      return;
    }
    node.sets.delete(old.type);
    this.#sorted = undefined;
    this.#shrink(key);
  }

  // Undefined: the name does not exist. A name without records that has others below it is an empty map.
  setsAt(key: string): ReadonlyMap<number, RecordSet> | undefined {
    return this.#nodes.get(key)?.sets;
  }

  // The delegation that the name is at or below, without the zone itself.
  delegationAbove(key: string): string | undefined {
    let found: string | undefined;
    for (let at = key; at !== this.name && at !== ''; at = parentOf(at))
      if (this.#nodes.get(at)?.sets.has(typeNumbers.NS as number)) found = at;
    return found;
  }

  // The nearest name above that exists.
  closestTo(key: string): string {
    let at = key;
    while (!this.#nodes.has(at) && at !== this.name) at = parentOf(at);
    return at;
  }

  // In canonical order. What is below a delegation is not the zone's own.
  names(): readonly string[] {
    this.#sorted ??= [...this.#nodes.keys()]
      .filter((key) => {
        const delegation = this.delegationAbove(key);
        return delegation === undefined || delegation === key;
      })
      .sort(compareNames);
    return this.#sorted;
  }

  *records(): Generator<ZoneRecord> {
    yield* this.#records.values();
  }

  #grow(key: string): Node {
    const known = this.#nodes.get(key);
    if (known) return known;
    const node: Node = { sets: new Map(), below: 0 };
    this.#nodes.set(key, node);
    this.#sorted = undefined;
    if (key !== this.name) this.#grow(parentOf(key)).below += 1;
    return node;
  }

  #shrink(key: string): void {
    const node = this.#nodes.get(key);
    if (!node || key === this.name || node.sets.size > 0 || node.below > 0) return;
    this.#nodes.delete(key);
    const parent = parentOf(key);
    const above = this.#nodes.get(parent);
    if (above) above.below -= 1;
    this.#shrink(parent);
  }
}
