// What is under way: the journal is the truth of it, but for what passes by itself. While a process is alone on its
// state, this index of both answers from memory; every write set that touches the journal is followed here.
import { TextMap } from '../base/text-map.ts';
import type { Key, Row } from './state/engine.ts';

interface Pending {
  request: string;
  way: string; // create, change or remove
}

// An operation that has nothing left to do or to write, and is over in a moment: its request is all that is kept of it,
// and no restart is so quick that it could find it under way. Named as its journal would be.
export interface Passing extends Key {
  kind: string;
  ms: number;
}

export class UnderWay {
  #at = new TextMap<Pending[]>(); // `contract path`: the operations on it, in their order
  #requests = new TextMap<true>();
  #below = new TextMap<number>(); // `contract path`: how many operations on something below it

  add({ contract, place, id, kind }: Pick<Row, keyof Key | 'kind'>): void {
    const pending = { request: id, way: kind };
    const here = this.#at.add(`${contract} ${place}`, [pending]);
    if (here?.some((one) => one.request === id)) return;
    here?.push(pending);
    this.#requests.set(id, true);
    this.#count(contract, place, 1);
  }

  drop({ contract, place, id }: Key): void {
    if (!this.#requests.delete(id)) return;
    const key = `${contract} ${place}`;
    const others = this.#at.take(key)?.filter((one) => one.request !== id) ?? [];
    if (others.length > 0) this.#at.set(key, others);
    this.#count(contract, place, -1);
  }

  #count(contract: number, place: string, add: 1 | -1): void {
    if (place.indexOf('/') === place.lastIndexOf('/')) return; // it stands in nothing
    for (const above of aboves(contract, place)) {
      const count = (this.#below.get(above) ?? 0) + add;
      if (count > 0) this.#below.set(above, count);
      else this.#below.delete(above);
    }
  }

  has(request: string): boolean {
    return this.#requests.get(request) === true;
  }

  at(contract: number, path: string): boolean {
    return this.#at.get(`${contract} ${path}`) !== undefined;
  }

  // Its own creation, or that of something it stands in: a composite is created as a whole.
  creating(contract: number, path: string): boolean {
    if (this.#at.size === 0) return false;
    if (this.#has(`${contract} ${path}`, 'create')) return true;
    return aboves(contract, path).some((above) => this.#has(above, 'create'));
  }

  busy(contract: number, path: string): boolean {
    return this.#at.size > 0 && (this.creating(contract, path) || this.below(contract, path));
  }

  below(contract: number, path: string): boolean {
    return this.#below.size > 0 && this.#below.get(`${contract} ${path}`) !== undefined;
  }

  removing(contract: number, path: string): boolean {
    return this.#at.size > 0 && this.#has(`${contract} ${path}`, 'remove');
  }

  #has(key: string, way: string): boolean {
    return this.#at.get(key)?.some((one) => one.way === way) ?? false;
  }
}

// The paths of what it stands in: `datacenters/D` for `datacenters/D/lans/1`.
export function abovePaths(path: string): string[] {
  const paths: string[] = [];
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
    cut = path.lastIndexOf('/', cut - 1);
    if (cut > 0) paths.push(path.slice(0, cut));
    else break;
  }
  return paths;
}

const aboves = (contract: number, path: string): string[] => abovePaths(path).map((above) => `${contract} ${above}`);
