// The pools of free IPv4 addresses: public ones from the range reserved for tests, split evenly over the locations, and
// those of private LANs. Claims in the state decide which are taken; memory only remembers where free ones are likely.
import { Fault } from '../../base/fault.ts';
import type { Store } from '../../core/store.ts';
import { blockLocationIds } from '../catalogue/catalogue.ts';

const publicFirst = (198 << 24) + (18 << 16);
const publicSize = 1 << 17;
const publicScope = 'ip';
const maxKnown = 2000;

interface Range {
  scope: string; // of the claims
  name: string; // for messages
  from: number;
  length: number;
}

interface Known {
  used: Set<string>;
  cursors: Map<number, number>; // by the beginning of the range
}

export class AddressPool {
  #store: Store;
  #known = new Map<string, Promise<Known>>();

  constructor(store: Store) {
    this.#store = store;
  }

  // Free public addresses of a location. A write set claims them later.
  choose(location: string, count: number): Promise<string[]> {
    return this.#choose(publicRange(location), count);
  }

  // A free address of a private LAN; the first ten are reserved for gateways.
  async chooseIn(lanPath: string, cidr: string): Promise<string> {
    const [address] = await this.#choose(lanRange(lanPath, cidr), 1);
    return address as string;
  }

  async #choose(range: Range, count: number): Promise<string[]> {
    for (;;) {
      const { chosen, known } = await this.#likely(range, count);
      if (this.#store.engine.exclusive || (await this.#areFree(range, chosen, known))) return chosen;
    }
  }

  // Other nodes may have taken some: those are remembered, and the others can be chosen again.
  async #areFree({ scope }: Range, chosen: string[], { used }: Known): Promise<boolean> {
    const taken = await Promise.all(chosen.map((address) => this.#store.claimed(`${scope} ${address}`)));
    if (taken.every((one) => one === undefined)) return true;
    for (const [at, address] of chosen.entries()) if (!taken[at]) used.delete(address);
    return false;
  }

  async #likely(range: Range, count: number): Promise<{ chosen: string[]; known: Known }> {
    const isFresh = !this.#known.has(range.scope);
    const known = await this.#knownOf(range.scope);
    const chosen = walk(range, count, known);
    if (chosen) return { chosen, known };
    // Addresses that memory considers used may have been released: load the claims again.
    if (!isFresh) {
      this.#known.delete(range.scope);
      const reloaded = await this.#knownOf(range.scope);
      const again = walk(range, count, reloaded);
      if (again) return { chosen: again, known: reloaded };
    }
    throw new Fault('refused', `Fewer than ${count} addresses are free in ${range.name}.`, { code: '200' });
  }

  #knownOf(scope: string): Promise<Known> {
    if (this.#known.size > maxKnown) this.#known.clear();
    const found = this.#known.get(scope);
    if (found) return found;
    const known = this.#load(scope);
    this.#known.set(scope, known);
    // The state may be unavailable for a while: the next caller reads it again.
    known.catch(() => {
      if (this.#known.get(scope) === known) this.#known.delete(scope);
    });
    return known;
  }

  async #load(scope: string): Promise<Known> {
    const used = new Set<string>();
    for await (const row of this.#store.each({ contract: 0, place: scope }, 'claim', 5000)) used.add(row.id);
    return { used, cursors: new Map() };
  }
}

// Continues where the last search ended, so that released addresses are not reused at once.
function walk({ from, length }: Range, count: number, { used, cursors }: Known): string[] | undefined {
  const chosen: string[] = [];
  let cursor = cursors.get(from) ?? 0;
  for (let seen = 0; seen < length && chosen.length < count; seen++, cursor = (cursor + 1) % length) {
    const address = dotted(from + cursor);
    // Addresses that look like network or broadcast addresses are skipped.
    if (!used.has(address) && !/\.(0|255)$/.test(address)) chosen.push(address);
  }
  cursors.set(from, cursor);
  if (chosen.length < count) return undefined;
  for (const address of chosen) used.add(address);
  return chosen;
}

export const addressClaim = (address: string): string => `${publicScope} ${address}`;

function publicRange(location: string): Range {
  const locations = blockLocationIds();
  const length = Math.floor(publicSize / locations.length);
  return { scope: publicScope, name: location, from: publicFirst + locations.indexOf(location) * length, length };
}

const gateways = 10;

function lanRange(scope: string, cidr: string): Range {
  const [base = '', bits = '24'] = cidr.split('/');
  const from = base.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + gateways;
  return { scope, name: `the LAN's ${cidr}`, from, length: 2 ** (32 - Number(bits)) - gateways };
}

const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
