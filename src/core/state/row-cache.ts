// Rows in memory, in few bytes (row-shapes.ts), so that most are found without a look into the file. They are kept by
// groups: what stands by one id. A group is never changed: where one of its rows is, all of it goes. Groups lie one
// behind the other in a ring that takes memory as it fills, where the newest takes the place of the oldest.
import type { Row } from './engine.ts';
import { Shapes } from './row-shapes.ts';
import { Words, writeNumber } from './row-words.ts';
import { groupOf, least, numberOf, slots, uuidIn, uuidLength } from './sqlite-numbers.ts';

export type NumberedRow = [
  number: number,
  contract: number,
  place: string,
  id: string,
  version: number,
  time: number,
  rest: string,
];

const chunkBytes = 1024 * 1024;
const longest = 2000; // characters of a row that is kept: 6 bytes each at most, and some
const headBytes = 22; // the length of all, the contract, the id
const fullAt = 32 * 1024; // bytes of a group that takes no more rows
const mostContract = 2 ** 32 - 1;
const fewestPlaces = 256; // in the index
const [nowhere, gone, first] = [0, 1, 2]; // positions
const endOfPositions = 2 ** 32 - 2 * chunkBytes;

export class RowCache {
  readonly #mostChunks: number;
  readonly #chunks: Buffer[] = [];
  readonly #scratch = Buffer.allocUnsafeSlow(64 * 1024);
  #shapes = new Shapes(new Words());
  #index = new Index(fewestPlaces);
  #hits = 0;
  #misses = 0;
  #head: number = first; // where the next group goes, counted from the beginning of all

  constructor(mostBytes: number) {
    this.#mostChunks = Math.ceil(mostBytes / chunkBytes);
  }

  get(contract: number, place: string, id: string): Row | undefined {
    const number = numberOf(place, id);
    if (number === undefined) return undefined;
    const at = this.#index.find(hashOf(groupOf(number)));
    const found = this.#isThere(at) ? this.#read(at, number % slots, contract, place, id) : undefined;
    if (found) this.#hits += 1;
    else this.#misses += 1;
    return found;
  }

  // Is its group kept? Then a row that is not found is none that can be kept.
  hasGroup(group: number): boolean {
    return this.#isThere(this.#index.find(hashOf(group)));
  }

  // Whole groups, in the order of their numbers.
  keep(rows: readonly NumberedRow[]): void {
    for (let from = 0, to = 0; from < rows.length; from = to) {
      const group = groupOf((rows[from] as NumberedRow)[0]);
      while (to < rows.length && groupOf((rows[to] as NumberedRow)[0]) === group) to++;
      if ((rows[from] as NumberedRow)[0] >= least && !this.hasGroup(group)) this.#keep(group, rows.slice(from, to));
    }
  }

  // A row that changes, comes or goes.
  drop(place: string, id: string): void {
    const number = numberOf(place, id);
    if (number !== undefined) this.#index.drop(hashOf(groupOf(number)));
  }

  clear(): void {
    this.#shapes = new Shapes(new Words());
    this.#index = new Index(fewestPlaces);
    this.#chunks.length = 0;
    this.#head = first;
  }

  // With one more, the oldest may have to go.
  get isFull(): boolean {
    return this.#head + this.#scratch.length > this.#mostChunks * chunkBytes;
  }

  figures(): Record<string, number> {
    return { keptBytes: this.#chunks.length * chunkBytes, keptHits: this.#hits, keptMisses: this.#misses };
  }

  #isThere(at: number): boolean {
    return at >= first && chunkOf(this.#head) - chunkOf(at) < this.#mostChunks;
  }

  #read(position: number, slot: number, contract: number, place: string, id: string): Row | undefined {
    const bytes = this.#chunks[chunkOf(position) % this.#mostChunks] as Buffer;
    const from = position % chunkBytes;
    const start = slot === 0 ? 0 : uuidIn(place);
    if (bytes.readUInt32LE(from + 2) !== contract) return undefined;
    if (!isUuidAt(bytes, from + 6, slot === 0 ? id : place, start)) return undefined;
    const at = this.#rowAt(bytes, from, slot);
    if (at === undefined || !this.#isKey(bytes, at, slot, place, start, id)) return undefined;
    const { words } = this.#shapes;
    const version = words.readNumber(bytes, words.end);
    const time = unfolded(words.readNumber(bytes, words.end)) + timeAt(bytes, from + 6);
    return this.#shapes.read(bytes, words.end, { contract, place, id, version, time });
  }

  #rowAt(bytes: Buffer, from: number, slot: number): number | undefined {
    const { words } = this.#shapes;
    const end = from + bytes.readUInt16LE(from);
    for (let at = from + headBytes; at < end; ) {
      const length = words.readNumber(bytes, at + 1);
      if (bytes[at] === slot) return words.end;
      at = words.end + length;
    }
    return undefined;
  }

  // The id of the group has been compared.
  #isKey(bytes: Buffer, at: number, slot: number, place: string, start: number, id: string): boolean {
    const { words } = this.#shapes;
    if (slot === 0) return words.read(bytes, at) === place;
    const isId = words.read(bytes, at) === id;
    const before = words.read(bytes, words.end);
    const behind = words.read(bytes, words.end);
    const isLong = before.length === start && place.length === start + uuidLength + behind.length;
    return isId && isLong && place.startsWith(before) && place.endsWith(behind);
  }

  #keep(group: number, rows: readonly NumberedRow[]): void {
    if (this.#head > endOfPositions) this.clear();
    const length = this.#write(rows);
    if ((this.#head % chunkBytes) + length > chunkBytes) this.#head += chunkBytes - (this.#head % chunkBytes);
    const at = this.#head;
    const chunk = chunkOf(at) % this.#mostChunks;
    this.#chunks[chunk] ??= Buffer.allocUnsafeSlow(chunkBytes);
    this.#scratch.copy(this.#chunks[chunk], at % chunkBytes, 0, length);
    this.#head += length;
    this.#index = this.#index.withRoom((one) => this.#isThere(one));
    this.#index.set(hashOf(group), at);
  }

  // To the scratch; gives its length. What can't be kept is left out, and looked for in the file: long rows, and those
  // of another id that happens to have the same group.
  #write(rows: readonly NumberedRow[]): number {
    const bytes = this.#scratch;
    const [number, contract, place, id] = rows[0] as NumberedRow;
    const [text, start] = number % slots === 0 ? [id, 0] : [place, uuidIn(place)];
    const uuid = text.slice(start, start + uuidLength);
    let end = headBytes;
    bytes.fill(0, 0, headBytes);
    bytes.write(uuid.replaceAll('-', ''), 6, 'hex');
    if (contract <= mostContract && isUuidAt(bytes, 6, uuid, 0)) {
      bytes.writeUInt32LE(contract, 2);
      for (const row of rows) if (row[1] === contract && end < fullAt) end = this.#writeRow(end, uuid, row);
    }
    bytes.writeUInt16LE(end, 0);
    return end;
  }

  #writeRow(from: number, uuid: string, [number, , place, id, version, time, rest]: NumberedRow): number {
    const bytes = this.#scratch;
    const slot = number % slots;
    const start = slot === 0 ? 0 : uuidIn(place);
    if (!(slot === 0 ? id : place).startsWith(uuid, start) || place.length + id.length + rest.length > longest)
      return from;
    const { words } = this.#shapes;
    const at = from + 3; // its slot and its length, which takes one byte or two
    let to: number;
    if (slot === 0) to = words.write(bytes, at, place);
    else {
      to = words.write(bytes, at, id);
      to = words.write(bytes, to, place.slice(0, start));
      to = words.write(bytes, to, place.slice(start + uuidLength));
    }
    to = writeNumber(bytes, to, version);
    to = writeNumber(bytes, to, folded(time - timeAt(bytes, 6)));
    const end = this.#shapes.write(bytes, to, rest);
    if (end === undefined) return from;
    bytes[from] = slot;
    const begin = writeNumber(bytes, from + 1, end - at);
    bytes.copyWithin(begin, at, end);
    return begin + end - at;
  }
}

// Where groups lie, by their hashes. Two groups of one hash are taken for one.
class Index {
  readonly #mask: number;
  readonly #hashes: Uint32Array;
  readonly #positions: Uint32Array;
  #used = 0; // places, by groups that are gone too

  constructor(places: number) {
    this.#mask = places - 1;
    this.#hashes = new Uint32Array(places);
    this.#positions = new Uint32Array(places);
  }

  find(hash: number): number {
    return this.#positions[this.#placeOf(hash)] as number;
  }

  set(hash: number, position: number): void {
    const at = this.#placeOf(hash);
    if (this.#positions[at] === nowhere) this.#used += 1;
    this.#hashes[at] = hash;
    this.#positions[at] = position;
  }

  drop(hash: number): void {
    const at = this.#placeOf(hash);
    if (this.#positions[at] !== nowhere) this.#positions[at] = gone;
  }

  // Itself, or where half of the places are used one that has only those that are there.
  withRoom(isThere: (position: number) => boolean): Index {
    if (2 * this.#used < this.#positions.length) return this;
    let count = 0;
    for (const position of this.#positions) if (isThere(position)) count++;
    const next = new Index(this.#positions.length * (4 * count > this.#positions.length ? 2 : 1));
    for (const [at, position] of this.#positions.entries())
      if (isThere(position)) next.set(this.#hashes[at] as number, position);
    return next;
  }

  // Where it is, or where it would be put.
  #placeOf(hash: number): number {
    let at = hash & this.#mask;
    while (this.#positions[at] !== nowhere && this.#hashes[at] !== hash) at = (at + 1) & this.#mask;
    return at;
  }
}

const chunkOf = (position: number): number => Math.floor(position / chunkBytes);

function hashOf(group: number): number {
  const high = Math.floor(group / 2 ** 32);
  let hash = Math.imul((group >>> 0) ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0xc2b2ae35) >>> 0;
}

// Small numbers for small ones of both signs.
const folded = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unfolded = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

const digits = [...'0123456789abcdef'].map((digit) => digit.charCodeAt(0));
const dash = '-'.charCodeAt(0);

// Are these 16 bytes the id that begins there, digit by digit?
function isUuidAt(bytes: Buffer, from: number, text: string, start: number): boolean {
  let at = start;
  for (let byte = 0; byte < 16; byte++) {
    if ((byte === 4 || byte === 6 || byte === 8 || byte === 10) && text.charCodeAt(at++) !== dash) return false;
    const value = bytes[from + byte] as number;
    if (text.charCodeAt(at++) !== digits[value >> 4] || text.charCodeAt(at++) !== digits[value & 15]) return false;
  }
  return true;
}

// The time in an id: its first 48 bits.
const timeAt = (bytes: Buffer, from: number): number => bytes.readUIntBE(from, 6);
