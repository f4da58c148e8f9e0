// Rows in memory, in few bytes (row-shapes.ts), so that most are found without a look into the file. They are kept by
// groups: what stands by one id. A group is never changed: where one of its rows is, all of it goes. Groups lie one
// behind the other in chunks that are used in turn, each when the one before it is full.
import type { Row } from '../engine.ts';
import type { StateFigures } from '../figures.ts';
import { groupOf, numberOf, slots, uuidIn, uuidLength } from './row-numbers.ts';
import { Shapes } from './row-shapes.ts';
import { writeNumber } from './row-words.ts';
import type { PackedRow } from './rows.ts';

export type NumberedRow = [number: number, ...row: PackedRow];

const chunkBytes = 1024 * 1024;
const longest = 2000; // characters of a row that is kept: three bytes each at most
const headBytes = 26; // the length of all, the hash of the group, the contract, the id
const [hashAt, contractAt, uuidAt] = [2, 6, 10];
const fullAt = 32 * 1024; // bytes of a group that takes no more rows
const mostContract = 2 ** 32 - 1;
const mostTime = 2 ** 50;
const fewestPlaces = 256; // in the index
const placeBytes = 8;
const [nowhere, gone, first] = [0, 1, 2]; // positions

export class RowCache {
  readonly #mostChunks: number;
  readonly #mostPlaces: number;
  readonly #scratch = Buffer.allocUnsafeSlow(64 * 1024);
  #shapes = new Shapes();
  #index = new Index(fewestPlaces);
  #chunks: Buffer[] = [];
  #used: number[] = []; // bytes of each chunk, by groups that are there
  #chunk = 0; // that is being filled
  #end = chunkBytes; // of what it has
  #spare: Buffer | undefined;
  #hits = 0;
  #misses = 0;

  constructor(mostBytes: number) {
    this.#mostChunks = Math.ceil(mostBytes / chunkBytes);
    this.#mostPlaces = Math.max(fewestPlaces, 2 ** Math.floor(Math.log2(mostBytes / 4 / placeBytes)));
  }

  get(contract: number, place: string, id: string): Row | undefined {
    const number = numberOf(place, id);
    if (number === undefined) return undefined;
    const position = this.#index.find(hashOf(groupOf(number)));
    const found = position >= first ? this.#read(position, number % slots, contract, place, id) : undefined;
    if (found) this.#hits += 1;
    else this.#misses += 1;
    return found;
  }

  // Is its group kept? Then there is no use in keeping it again.
  hasGroup(group: number): boolean {
    return this.#index.find(hashOf(group)) >= first;
  }

  // Whole groups, in the order of their numbers.
  keep(rows: readonly NumberedRow[]): void {
    for (let from = 0, to = 0; from < rows.length; from = to) {
      const group = groupOf((rows[from] as NumberedRow)[0]);
      while (to < rows.length && groupOf((rows[to] as NumberedRow)[0]) === group) to++;
      if (!this.hasGroup(group)) this.#keep(hashOf(group), rows.slice(from, to));
    }
  }

  // A row that changes, comes or goes.
  drop(place: string, id: string): void {
    const number = numberOf(place, id);
    if (number === undefined) return;
    const position = this.#index.drop(hashOf(groupOf(number)));
    if (position < first) return;
    const chunk = chunkOf(position);
    const bytes = this.#chunks[chunk] as Buffer;
    const from = fromOf(position);
    const length = bytes.readUInt16LE(from);
    this.#used[chunk] = (this.#used[chunk] as number) - length;
    bytes.fill(0, from + contractAt, from + length); // there may have been secrets in it
  }

  clear(): void {
    this.#shapes = new Shapes();
    this.#index = new Index(fewestPlaces);
    this.#chunks = [];
    this.#used = [];
    this.#chunk = 0;
    this.#end = chunkBytes;
  }

  // For what is kept from now on, something else may have to go.
  get isFull(): boolean {
    return 8 * sum(this.#used) > 7 * this.#mostChunks * chunkBytes || this.#index.isFull(this.#mostPlaces);
  }

  figures(): StateFigures {
    const chunks = this.#chunks.length + (this.#spare ? 1 : 0);
    return {
      keptBytes: chunks * chunkBytes + this.#index.places * placeBytes,
      keptHits: this.#hits,
      keptMisses: this.#misses,
    };
  }

  #read(position: number, slot: number, contract: number, place: string, id: string): Row | undefined {
    const bytes = this.#chunks[chunkOf(position)] as Buffer;
    const from = fromOf(position);
    const start = slot === 0 ? 0 : uuidIn(place);
    if (bytes.readUInt32LE(from + contractAt) !== contract) return undefined;
    if (!isUuidAt(bytes, from + uuidAt, slot === 0 ? id : place, start)) return undefined;
    const at = this.#rowAt(bytes, from, slot);
    if (at === undefined || !this.#isKey(bytes, at, slot, place, start, id)) return undefined;
    const { words } = this.#shapes;
    const version = words.readNumber(bytes, words.end);
    const time = unfolded(words.readNumber(bytes, words.end)) + timeAt(bytes, from + uuidAt);
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

  #keep(hash: number, rows: readonly NumberedRow[]): void {
    this.#index = this.#index.withRoom(this.#mostPlaces);
    if (this.#index.isFull(this.#mostPlaces)) {
      this.#useOldest(false);
      this.#index = this.#index.withRoom(this.#mostPlaces);
    }
    const length = this.#write(hash, rows);
    if (this.#end + length > chunkBytes) this.#goOn();
    this.#scratch.copy(this.#chunks[this.#chunk] as Buffer, this.#end, 0, length);
    this.#add(hash, length);
  }

  #add(hash: number, length: number): void {
    this.#index.set(hash, positionOf(this.#chunk, this.#end));
    this.#used[this.#chunk] = (this.#used[this.#chunk] as number) + length;
    this.#end += length;
  }

  // In the next chunk.
  #goOn(): void {
    if (this.#chunks.length === this.#mostChunks) {
      const oldest = this.#used[(this.#chunk + 1) % this.#chunks.length] as number;
      this.#useOldest(8 * oldest < 7 * chunkBytes);
      return;
    }
    this.#chunk = this.#chunks.push(Buffer.alloc(chunkBytes)) - 1;
    this.#used.push(0);
    this.#end = 0;
  }

  // The oldest chunk is used again, with those groups of it that are still there or without any.
  #useOldest(isKept: boolean): void {
    const chunk = (this.#chunk + 1) % this.#chunks.length;
    const old = this.#chunks[chunk] as Buffer;
    const fresh = this.#spare ?? Buffer.alloc(chunkBytes);
    this.#chunks[chunk] = fresh;
    this.#used[chunk] = 0;
    this.#chunk = chunk;
    this.#end = 0;
    for (let from = 0, length = 0; from + headBytes <= chunkBytes; from += length) {
      length = old.readUInt16LE(from);
      if (length === 0) break;
      const hash = old.readUInt32LE(from + hashAt);
      if (this.#index.find(hash) !== positionOf(chunk, from)) continue;
      if (isKept) {
        old.copy(fresh, this.#end, from, from + length);
        this.#add(hash, length);
      } else this.#index.drop(hash);
    }
    this.#spare = old.fill(0);
  }

  // To the scratch; gives its length. What can't be kept is left out, and looked for in the file: long rows, and those
  // of another id that happens to have the same group.
  #write(hash: number, rows: readonly NumberedRow[]): number {
    const bytes = this.#scratch;
    const [number, contract, place, id] = rows[0] as NumberedRow;
    const [text, start] = number % slots === 0 ? [id, 0] : [place, uuidIn(place)];
    const uuid = text.slice(start, start + uuidLength);
    let end = headBytes;
    bytes.fill(0, 0, headBytes);
    bytes.writeUInt32LE(hash, hashAt);
    bytes.write(uuid.replaceAll('-', ''), uuidAt, 'hex');
    if (contract >= 0 && contract <= mostContract && isUuidAt(bytes, uuidAt, uuid, 0)) {
      bytes.writeUInt32LE(contract, contractAt);
      for (const row of rows) if (row[1] === contract && end < fullAt) end = this.#writeRow(end, uuid, row);
    }
    bytes.writeUInt16LE(end, 0);
    return end;
  }

  #writeRow(from: number, uuid: string, [number, , place, id, version, time, rest]: NumberedRow): number {
    const bytes = this.#scratch;
    const slot = number % slots;
    const start = slot === 0 ? 0 : uuidIn(place);
    if (!(slot === 0 ? id : place).startsWith(uuid, start)) return from;
    if (place.length + id.length + rest.length > longest || version < 0 || Math.abs(time) > mostTime) return from;
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
    to = writeNumber(bytes, to, folded(time - timeAt(bytes, uuidAt)));
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
  readonly places: number;
  readonly #hashes: Uint32Array;
  readonly #positions: Uint32Array;
  #taken = 0; // places, by groups that are gone too

  constructor(places: number) {
    this.places = places;
    this.#hashes = new Uint32Array(places);
    this.#positions = new Uint32Array(places);
  }

  find(hash: number): number {
    return this.#positions[this.#placeOf(hash)] as number;
  }

  set(hash: number, position: number): void {
    const at = this.#placeOf(hash);
    if (this.#positions[at] === nowhere) this.#taken += 1;
    this.#hashes[at] = hash;
    this.#positions[at] = position;
  }

  // Gives the position that it had.
  drop(hash: number): number {
    const at = this.#placeOf(hash);
    const position = this.#positions[at] as number;
    if (position !== nowhere) this.#positions[at] = gone;
    return position;
  }

  isFull(mostPlaces: number): boolean {
    return this.places >= mostPlaces && this.#isCrowded;
  }

  // Itself, or where it is crowded one without those that are gone, larger where that is not enough.
  withRoom(mostPlaces: number): Index {
    if (!this.#isCrowded) return this;
    let count = 0;
    for (let at = 0; at < this.places; at++) if ((this.#positions[at] as number) >= first) count++;
    const isLarger = 2 * count > this.places && this.places < mostPlaces;
    if (!isLarger && 8 * count > 5 * this.places) return this;
    const next = new Index(isLarger ? 2 * this.places : this.places);
    for (let at = 0; at < this.places; at++)
      if ((this.#positions[at] as number) >= first) next.set(this.#hashes[at] as number, this.#positions[at] as number);
    return next;
  }

  get #isCrowded(): boolean {
    return 3 * this.#taken >= 2 * this.places;
  }

  // Where it is, or where it would be put.
  #placeOf(hash: number): number {
    const mask = this.places - 1;
    let at = hash & mask;
    while (this.#positions[at] !== nowhere && this.#hashes[at] !== hash) at = (at + 1) & mask;
    return at;
  }
}

const positionOf = (chunk: number, from: number): number => chunk * chunkBytes + from + first;
const chunkOf = (position: number): number => Math.floor((position - first) / chunkBytes);
const fromOf = (position: number): number => (position - first) % chunkBytes;
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

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
