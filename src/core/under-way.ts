// What is under way: the journal is the truth of it. While a process is alone on its state, this index of the
// journal answers from memory; every write set that touches the journal is followed here.
import type { Key, Row } from './state/engine.ts';

export class UnderWay {
  #requests = new Set<string>();
  #creating = new Set<string>(); // `contract path`
  #below = new Map<string, number>(); // `contract path`: how many operations on something below it

  add(row: Row): void {
    if (this.#requests.has(row.id)) return;
    this.#requests.add(row.id);
    if (row.kind === 'create') this.#creating.add(`${row.contract} ${row.place}`);
    for (const above of aboves(row.contract, row.place)) this.#below.set(above, (this.#below.get(above) ?? 0) + 1);
  }

  drop(key: Key): void {
    if (!this.#requests.delete(key.id)) return;
    this.#creating.delete(`${key.contract} ${key.place}`);
    for (const above of aboves(key.contract, key.place)) {
      const left = (this.#below.get(above) ?? 1) - 1;
      if (left > 0) this.#below.set(above, left);
      else this.#below.delete(above);
    }
  }

  has(request: string): boolean {
    return this.#requests.has(request);
  }

  // Its own creation, or that of something it stands in: a composite is created as a whole.
  creating(contract: number, path: string): boolean {
    if (this.#creating.size === 0) return false;
    if (this.#creating.has(`${contract} ${path}`)) return true;
    return aboves(contract, path).some((above) => this.#creating.has(above));
  }

  below(contract: number, path: string): boolean {
    return this.#below.size > 0 && this.#below.has(`${contract} ${path}`);
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
