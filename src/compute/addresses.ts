// Public IPv4 addresses, from the range that is reserved for tests, split evenly over the locations. What is taken
// is decided by claims in the state; memory only remembers where free ones are likely.
import { Fault } from '../base/fault.ts';
import type { Store } from '../core/store.ts';
import { blockLocationIds } from './catalogue.ts';

const first = (198 << 24) + (18 << 16);
const size = 1 << 17;
const claimScope = 'ip';

export class Addresses {
  #store: Store;
  #used: Set<string> | undefined;
  #cursors = new Map<string, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  // So many free addresses of a location, as claims. They are not taken before the write set holds.
  async choose(location: string, count: number): Promise<string[]> {
    for (;;) {
      const chosen = await this.#likely(location, count);
      if (this.#store.engine.exclusive || (await this.#areFree(chosen))) return chosen;
    }
  }

  // Other nodes take some too: those are remembered, and the rest can be chosen again.
  async #areFree(chosen: string[]): Promise<boolean> {
    const taken = await Promise.all(chosen.map((address) => this.#store.claimed(addressClaim(address))));
    if (taken.every((one) => one === undefined)) return true;
    for (const [at, address] of chosen.entries()) if (!taken[at]) this.#used?.delete(address);
    return false;
  }

  async #likely(location: string, count: number): Promise<string[]> {
    const fresh = this.#used === undefined;
    this.#used ??= await this.#load();
    const chosen = this.#walk(location, count, this.#used);
    if (chosen) return chosen;
    // Some of what memory takes for used may have been given back.
    if (!fresh) this.#used = await this.#load();
    const again = fresh ? undefined : this.#walk(location, count, this.#used);
    if (again) return again;
    throw new Fault('refused', `There are not ${count} free addresses left in ${location}.`, { code: '200' });
  }

  #walk(location: string, count: number, used: Set<string>): string[] | undefined {
    const { from, length } = rangeOf(location);
    const chosen: string[] = [];
    let cursor = this.#cursors.get(location) ?? 0;
    for (let seen = 0; seen < length && chosen.length < count; seen++, cursor = (cursor + 1) % length) {
      const address = dotted(from + cursor);
      // Network and broadcast addresses of old habits are left out.
      if (!used.has(address) && !/\.(0|255)$/.test(address)) chosen.push(address);
    }
    this.#cursors.set(location, cursor);
    if (chosen.length < count) return undefined;
    for (const address of chosen) used.add(address);
    return chosen;
  }

  async #load(): Promise<Set<string>> {
    const used = new Set<string>();
    for await (const row of this.#store.each({ contract: 0, place: claimScope }, 'claim', 5000)) used.add(row.id);
    return used;
  }
}

export const addressClaim = (address: string): string => `${claimScope} ${address}`;

function rangeOf(location: string): { from: number; length: number } {
  const locations = blockLocationIds();
  const length = Math.floor(size / locations.length);
  return { from: first + locations.indexOf(location) * length, length };
}

const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
