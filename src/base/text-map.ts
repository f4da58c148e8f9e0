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
    const at = this.#placeFor(key);
    this.#values[at] = value;
  }

  // What the key had before; where it had nothing, it has the value from now on.
  add(key: string, value: T): T | undefined {
    const at = this.#placeFor(key);
    const before = this.#values[at];
    if (before === undefined) this.#values[at] = value;
    return before;
  }

  // With its key in it.
  #placeFor(key: string): number {
    const hash = hashOf(key);
    let at = this.#placeOf(key, hash);
    if (this.#keys[at] !== undefined) return at;
    if (2 * (this.#size + 1) > this.#keys.length) {
      this.#resize(2 * this.#keys.length);
      at = this.#placeOf(key, hash);
    }
    this.#keys[at] = key;
    this.#hashes[at] = hash;
    this.#size += 1;
    return at;
  }

  delete(key: string): boolean {
    return this.take(key) !== undefined;
  }

  // What it had, which is gone from here.
  take(key: string): T | undefined {
    if (this.#size === 0) return undefined;
    let hole = this.#placeOf(key);
    if (this.#keys[hole] === undefined) return undefined;
    const taken = this.#values[hole];
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
    return taken;
  }

  // There is room for as many again, but not for all that there ever were.
  clear(): void {
    const isRoomy = this.#keys.length > 16 * Math.max(least, this.#size);
    this.#keys = isRoomy ? new Array(least).fill(undefined) : this.#keys.fill(undefined);
    this.#values = isRoomy ? new Array(least).fill(undefined) : this.#values.fill(undefined);
    if (isRoomy) this.#hashes = new Int32Array(least);
    this.#size = 0;
  }

  // Where the key is, or where it would be put.
  #placeOf(key: string, hash = hashOf(key)): number {
    const keys = this.#keys;
    const hashes = this.#hashes;
    const mask = keys.length - 1;
    let at = hash & mask;
    while (keys[at] !== undefined && (hashes[at] !== hash || keys[at] !== key)) at = (at + 1) & mask;
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

// Of the end, where ids stand, four characters at a time.
export function hashOf(text: string): number {
  const { length } = text;
  let hash = length;
  let at = Math.max(0, length - 32);
  for (; at + 3 < length; at += 4) {
    const low = text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 8);
    const high = text.charCodeAt(at + 2) ^ (text.charCodeAt(at + 3) << 8);
    hash = Math.imul(hash ^ low ^ (high << 16), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}
