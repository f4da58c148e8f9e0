// The index of pending operations, by the path that their journal row locks and by their request. The journal is the
// truth. While a process is alone on its state, this index answers from memory; every write set that touches the
// journal must be followed here.
import type { Key, Row } from '../state/engine.ts';

// A journal row's key, and the operation on the resource at its place: create, change or remove.
type Pending = Pick<Row, keyof Key | 'kind'>;

export class PendingOperations {
  #byPath = new Map<string, Pending[]>(); // in the order of their acceptance, of all contracts
  #requests = new Set<string>();
  #below = new Map<string, number>(); // `contract path`: the number of operations on something below it

  add(one: Pending): void {
    const { contract, place, id } = one;
    const here = this.#byPath.get(place);
    if (!here) this.#byPath.set(place, [one]);
    else if (here.some((other) => other.id === id)) return;
    else here.push(one);
    this.#requests.add(id);
    this.#count(contract, place, 1);
  }

  drop({ contract, place, id }: Key): void {
    if (!this.#requests.delete(id)) return;
    const others = (this.#byPath.get(place) ?? []).filter((one) => one.id !== id);
    if (others.length > 0) this.#byPath.set(place, others);
    else this.#byPath.delete(place);
    this.#count(contract, place, -1);
  }

  #count(contract: number, place: string, add: 1 | -1): void {
    for (const above of abovePaths(place)) {
      const key = `${contract} ${above}`;
      const count = (this.#below.get(key) ?? 0) + add;
      if (count > 0) this.#below.set(key, count);
      else this.#below.delete(key);
    }
  }

  has(request: string): boolean {
    return this.#requests.has(request);
  }

  at(contract: number, path: string): boolean {
    return this.#byPath.get(path)?.some((one) => one.contract === contract) === true;
  }

  // Its own creation, or that of something above it: a composite is created as a whole.
  creating(contract: number, path: string): boolean {
    if (this.#byPath.size === 0) return false;
    return this.#has(contract, path, 'create') || abovePaths(path).some((one) => this.#has(contract, one, 'create'));
  }

  busy(contract: number, path: string): boolean {
    return this.creating(contract, path) || this.#below.has(`${contract} ${path}`);
  }

  removing(contract: number, path: string): boolean {
    return this.#has(contract, path, 'remove');
  }

  #has(contract: number, path: string, way: string): boolean {
    return this.#byPath.get(path)?.some((one) => one.kind === way && one.contract === contract) === true;
  }
}

// The paths of the resources above one: `datacenters/D` for `datacenters/D/lans/1`.
export function abovePaths(path: string): string[] {
  const paths: string[] = [];
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
    cut = path.lastIndexOf('/', cut - 1);
    if (cut > 0) paths.push(path.slice(0, cut));
    else break;
  }
  return paths;
}
