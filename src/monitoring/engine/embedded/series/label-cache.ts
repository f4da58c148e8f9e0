// A cache from the bytes of a label block to the series id, which avoids decoding. Agents push the same series
// repeatedly in the same order: each entry has its successor, so that most lookups are one comparison. Memory is
// bounded: other blocks are looked up the slow way, and after a while the cache is cleared and filled again.
import { hashOf, viewOf } from './hash.ts';

export interface LabelCacheOptions {
  mostBytes: number;
  seed: number; // so that clients cannot prepare colliding blocks
  now: () => number;
}

const forgetAfterMs = 10 * 60_000;

export class LabelCache {
  readonly #options: LabelCacheOptions;
  #count = 0;
  #table = new Int32Array(1 << 12); // entry + 1 by hash
  #hashes = new Uint32Array(1 << 11);
  #owners = new Uint32Array(1 << 11);
  #ids = new Uint32Array(1 << 11); // zero: no longer a series
  #starts = new Uint32Array(1 << 11); // in words
  #lengths = new Uint32Array(1 << 11);
  #followers = new Int32Array(1 << 11); // entry + 1
  #words = new Uint32Array(1 << 14);
  #wordsUsed = 0;
  #current = -1; // the last entry found
  #source: Uint8Array | undefined;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #begunAt: number;

  constructor(options: LabelCacheOptions) {
    this.#options = options;
    this.#begunAt = options.now();
  }

  get size(): number {
    return this.#count;
  }

  // Starts a new push: the last entry of the previous one has no successor.
  begin(): void {
    this.#current = -1;
    this.#source = undefined;
  }

  // Returns the series id, or 0. `owner` separates tenants.
  find(owner: number, bytes: Uint8Array, from: number, to: number): number {
    const view = this.#viewOf(bytes);
    if (this.#current >= 0) {
      const guess = (this.#followers[this.#current] as number) - 1;
      if (guess >= 0 && this.#matches(guess, owner, view, from, to)) {
        this.#current = guess;
        return this.#ids[guess] as number;
      }
    }
    const entry = this.#lookUp(owner, view, from, to, hashOf(view, from, to, this.#options.seed));
    if (entry < 0) return 0;
    if (this.#current >= 0) this.#followers[this.#current] = entry + 1;
    this.#current = entry;
    return this.#ids[entry] as number;
  }

  add(owner: number, id: number, bytes: Uint8Array, from: number, to: number): void {
    const words = (to - from + 3) >>> 2;
    if (!this.#hasRoom(words)) return;
    const view = this.#viewOf(bytes);
    const hash = hashOf(view, from, to, this.#options.seed);
    const found = this.#lookUp(owner, view, from, to, hash);
    if (found >= 0) {
      this.#ids[found] = id;
      return;
    }
    const entry = this.#newEntry(hash);
    this.#owners[entry] = owner;
    this.#ids[entry] = id;
    this.#lengths[entry] = to - from;
    this.#starts[entry] = this.#wordsUsed;
    this.#followers[entry] = 0;
    for (let at = 0; at < words; at++) this.#words[this.#wordsUsed++] = wordAt(view, from + at * 4, to);
  }

  // Removes deleted series.
  forget(owner: number, isGone: (id: number) => boolean): void {
    for (let entry = 0; entry < this.#count; entry++)
      if (this.#owners[entry] === owner && isGone(this.#ids[entry] as number)) this.#ids[entry] = 0;
  }

  #viewOf(bytes: Uint8Array): DataView {
    if (bytes !== this.#source) {
      this.#source = bytes;
      this.#view = viewOf(bytes);
    }
    return this.#view;
  }

  #matches(entry: number, owner: number, view: DataView, from: number, to: number): boolean {
    if (this.#lengths[entry] !== to - from || this.#owners[entry] !== owner || this.#ids[entry] === 0) return false;
    const words = this.#words;
    let at = from;
    let word = this.#starts[entry] as number;
    for (; at + 4 <= to; at += 4) if (view.getUint32(at, true) !== words[word++]) return false;
    return at === to || wordAt(view, at, to) === words[word];
  }

  #lookUp(owner: number, view: DataView, from: number, to: number, hash: number): number {
    const mask = this.#table.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const entry = (this.#table[at] as number) - 1;
      if (entry < 0) return -1;
      if (this.#hashes[entry] === hash && this.#matches(entry, owner, view, from, to)) return entry;
    }
  }

  #hasRoom(words: number): boolean {
    if ((this.#wordsUsed + words) * 4 <= this.#options.mostBytes) {
      if (this.#wordsUsed + words > this.#words.length)
        this.#words = grown(this.#words, new Uint32Array((this.#wordsUsed + words) * 2));
      return true;
    }
    if (this.#options.now() - this.#begunAt < forgetAfterMs) return false;
    this.#clear();
    return this.#hasRoom(words);
  }

  #clear(): void {
    this.#count = 0;
    this.#wordsUsed = 0;
    this.#current = -1;
    this.#table.fill(0);
    this.#begunAt = this.#options.now();
  }

  #newEntry(hash: number): number {
    if (this.#count === this.#hashes.length) this.#grow();
    const entry = this.#count++;
    this.#hashes[entry] = hash;
    this.#insert(entry, hash);
    return entry;
  }

  #insert(entry: number, hash: number): void {
    const mask = this.#table.length - 1;
    let at = hash & mask;
    while (this.#table[at] !== 0) at = (at + 1) & mask;
    this.#table[at] = entry + 1;
  }

  #grow(): void {
    const size = this.#hashes.length * 2;
    this.#hashes = grown(this.#hashes, new Uint32Array(size));
    this.#owners = grown(this.#owners, new Uint32Array(size));
    this.#ids = grown(this.#ids, new Uint32Array(size));
    this.#starts = grown(this.#starts, new Uint32Array(size));
    this.#lengths = grown(this.#lengths, new Uint32Array(size));
    this.#followers = grown(this.#followers, new Int32Array(size));
    this.#table = new Int32Array(size * 2);
    for (let entry = 0; entry < this.#count; entry++) this.#insert(entry, this.#hashes[entry] as number);
  }
}

function grown<T extends Uint32Array | Int32Array>(old: T, wider: T): T {
  wider.set(old);
  return wider;
}

function wordAt(view: DataView, at: number, to: number): number {
  if (at + 4 <= to) return view.getUint32(at, true);
  let word = 0;
  for (let byte = to - 1; byte >= at; byte--) word = (word << 8) | view.getUint8(byte);
  return word >>> 0;
}
