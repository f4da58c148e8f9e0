// A map by texts that are made for one look and hardly ever come again: a path with an id in it. V8 makes every text
// that a Map is asked for a member of its table of all names, which costs a copy that only a full collection takes
// back; here texts are only compared. For names that come again and again, a Map is as good.

const least = 16; // places; always a power of two, and never more than half of them taken

export class TextMap<T> {
  #keys: (string | undefined)[] = new Array(least).fill(undefined);
  #values: (T | undefined)[] = new Array(least).fill(undefined);
  #hashes = new Int32Array(least);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): T | undefined {
    return this.#size === 0 ? undefined : this.#values[this.#placeOf(key)];
  }

  set(key: string, value: T): void {
    const hash = hashOf(key);
    let at = this.#placeOf(key, hash);
    if (this.#keys[at] === undefined) {
      if (2 * (this.#size + 1) > this.#keys.length) {
        this.#resize(2 * this.#keys.length);
        at = this.#placeOf(key, hash);
      }
      this.#keys[at] = key;
      this.#hashes[at] = hash;
      this.#size += 1;
    }
    this.#values[at] = value;
  }

  delete(key: string): boolean {
    let hole = this.#placeOf(key);
    if (this.#keys[hole] === undefined) return false;
    const mask = this.#keys.length - 1;
    // What stands behind it moves up, if the hole lies between where it belongs and where it is.
    for (let at = (hole + 1) & mask; this.#keys[at] !== undefined; at = (at + 1) & mask) {
      const hash = this.#hashes[at] as number;
      if (((at - hash) & mask) < ((at - hole) & mask)) continue;
      this.#keys[hole] = this.#keys[at];
      this.#values[hole] = this.#values[at];
      this.#hashes[hole] = hash;
      hole = at;
    }
    this.#keys[hole] = undefined;
    this.#values[hole] = undefined;
    this.#size -= 1;
    return true;
  }

  // Where the key is, or where it would be put.
  #placeOf(key: string, hash = hashOf(key)): number {
    const keys = this.#keys;
    const mask = keys.length - 1;
    let at = hash & mask;
    for (let found = keys[at]; found !== undefined && found !== key; found = keys[at]) at = (at + 1) & mask;
    return at;
  }

  #resize(places: number): void {
    const [keys, values, hashes] = [this.#keys, this.#values, this.#hashes];
    this.#keys = new Array(places).fill(undefined);
    this.#values = new Array(places).fill(undefined);
    this.#hashes = new Int32Array(places);
    for (const [from, key] of keys.entries()) {
      if (key === undefined) continue;
      const at = this.#placeOf(key, hashes[from]);
      this.#keys[at] = key;
      this.#values[at] = values[from];
      this.#hashes[at] = hashes[from] as number;
    }
  }
}

// Of the end, where ids stand.
export function hashOf(text: string): number {
  let hash = text.length;
  for (let at = Math.max(0, text.length - 48); at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}
