// Counts the names of a zone, with the empty ones above its records: each of them takes memory, and a name can have 127
// labels.
import { parentOf } from './domain-name.ts';

export class NameCount {
  readonly #names = new Set<string>();

  get size(): number {
    return this.#names.size;
  }

  // `top` is the zone's own name, where names are whole.
  add(name: string, top = ''): void {
    for (let each = name; each !== top && each !== '' && !this.#names.has(each); each = aboveOf(each))
      this.#names.add(each);
  }
}

const aboveOf = (name: string): string => (name.includes('.') ? parentOf(name) : '');
