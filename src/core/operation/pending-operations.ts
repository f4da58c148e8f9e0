// What is under way: the journal is the truth of it, but for what passes by itself. While a process is alone on its
// state, this index of both answers from memory; every write set that touches the journal is followed here.
import { TextMap } from '../../base/text-map.ts';
import type { Key, Row } from '../state/engine.ts';

// An operation that has nothing left to do or to write, and is over in a moment: its request is all that is kept of it,
// and no restart is so quick that it could find it under way. Named as its journal would be. It stands in nothing.
export interface Passing extends Key {
  kind: string;
  ms: number;
  among: Among | undefined; // as long as it is under way
  before: Passing | undefined; // another one at the same place
}

export const passingFor = (contract: number, place: string, id: string, kind: string, ms: number): Passing => ({
  contract,
  place,
  id,
  kind,
  ms,
  among: undefined,
  before: undefined,
});

// By its journal's key, and in what way it changes what it stands at: create, change or remove.
type Pending = Pick<Row, keyof Key | 'kind'>;

const noOthers: Pending[] = [];

export class UnderWay {
  #at = new TextMap<Pending[]>(); // by path: the operations on it, in their order, of whatever contract
  #requests = new TextMap<true>();
  #below = new TextMap<number>(); // `contract path`: how many operations on something below it
  #passing = new Passings();

  add(one: Pending): void {
    const { contract, place, id } = one;
    const here = this.#at.add(place, [one]);
    if (here?.some((other) => other.id === id)) return;
    here?.push(one);
    this.#requests.set(id, true);
    this.#count(contract, place, 1);
  }

  drop({ contract, place, id }: Key): void {
    if (!this.#requests.delete(id)) return;
    const here = this.#at.take(place) ?? [];
    const others = here.length === 1 && here[0]?.id === id ? noOthers : here.filter((one) => one.id !== id);
    if (others.length > 0) this.#at.set(place, others);
    this.#count(contract, place, -1);
  }

  pass(one: Passing): void {
    this.#passing.add(one);
  }

  passed(one: Passing): void {
    this.#passing.end(one);
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
    return this.#requests.get(request) === true || this.#passing.has(request);
  }

  at(contract: number, path: string): boolean {
    return this.#some(path, (one) => one.contract === contract);
  }

  // Does something stand there that only takes its time?
  passing(contract: number, path: string): boolean {
    return this.#passing.some(path, (one) => one.contract === contract);
  }

  // Its own creation, or that of something it stands in: a composite is created as a whole.
  creating(contract: number, path: string): boolean {
    if (this.#isEmpty) return false;
    return this.#has(contract, path, 'create') || abovePaths(path).some((one) => this.#has(contract, one, 'create'));
  }

  busy(contract: number, path: string): boolean {
    return !this.#isEmpty && (this.creating(contract, path) || this.below(contract, path));
  }

  below(contract: number, path: string): boolean {
    return this.#below.size > 0 && this.#below.get(`${contract} ${path}`) !== undefined;
  }

  removing(contract: number, path: string): boolean {
    return !this.#isEmpty && this.#has(contract, path, 'remove');
  }

  #has(contract: number, path: string, way: string): boolean {
    return this.#some(path, (one) => one.kind === way && one.contract === contract);
  }

  #some(path: string, test: (one: Pending) => boolean): boolean {
    return this.#at.get(path)?.some(test) || this.#passing.some(path, test);
  }

  get #isEmpty(): boolean {
    return this.#at.size === 0 && this.#passing.count === 0;
  }
}

// What passes, by path and by request. Thousands a second come and are gone in a moment, so none is taken out alone,
// which would look at texts that no cache has any more: it only leaves its generation, and that goes as a whole.
class Passings {
  #young = new Among();
  #old = new Among();

  get count(): number {
    return this.#young.count + this.#old.count;
  }

  add(one: Passing): void {
    if (this.#young.size >= fewest && this.#old.count === 0) {
      this.#old.clear();
      [this.#young, this.#old] = [this.#old, this.#young];
    }
    one.among = this.#young;
    this.#young.add(one);
  }

  end(one: Passing): void {
    if (one.among) one.among.count -= 1;
    one.among = undefined;
  }

  some(path: string, test: (one: Pending) => boolean): boolean {
    return this.count > 0 && (this.#young.some(path, test) || this.#old.some(path, test));
  }

  has(request: string): boolean {
    return this.count > 0 && (this.#young.has(request) || this.#old.has(request));
  }
}

const fewest = 256; // of a generation, before there is another

class Among {
  readonly #at = new TextMap<Passing>();
  readonly #requests = new TextMap<Passing>();
  count = 0; // of those that are under way

  get size(): number {
    return this.#requests.size;
  }

  add(one: Passing): void {
    one.before = this.#at.get(one.place);
    this.#at.set(one.place, one);
    this.#requests.set(one.id, one);
    this.count += 1;
  }

  some(path: string, test: (one: Pending) => boolean): boolean {
    for (let one = this.#at.get(path); one; one = one.before) if (one.among && test(one)) return true;
    return false;
  }

  has(request: string): boolean {
    return this.#requests.get(request)?.among !== undefined;
  }

  clear(): void {
    this.#at.clear();
    this.#requests.clear();
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
