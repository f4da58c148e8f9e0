// DNS messages in wire form. Queries are parsed as far as needed. Answers are written from data that is in wire form
// already, with the names of records compressed.
import { isWithin, nameBytes, nameText } from '../records/domain-name.ts';
import type { RecordSet } from './zone-data.ts';

export const responseCodes = {
  none: 0,
  format: 1,
  failure: 2,
  missing: 3,
  notImplemented: 4,
  refused: 5,
  notAuth: 9,
} as const;
export type ResponseCode = (typeof responseCodes)[keyof typeof responseCodes];

export const opcodes = { query: 0, notify: 4 } as const;

export interface Query {
  id: number;
  opcode: number;
  flags: number;
  question: { name: string; type: number; class: number } | undefined; // undefined: none or several
  head: Buffer; // the unchanged question
  edns: { size: number; wantsDnssec: boolean; version: number } | undefined;
}

export interface OwnedSet {
  name: string;
  set: RecordSet;
  signatures?: readonly Buffer[]; // data of RRSIG records
}

export interface Answer {
  code: ResponseCode;
  isAuthoritative: boolean;
  answers: OwnedSet[];
  authorities: OwnedSet[];
  additionals: Iterable<OwnedSet>[]; // read only as far as they fit
}

const headBytes = 12;
const smallest = 512; // every client accepts this size
export const mostMessageBytes = 65_535; // by TCP
const ourSize = 1232; // passes every network without fragments
const rrsigType = 46;
const optType = 41;
const badVersion = 16; // an extended response code: BADVERS

// Undefined: the message can't be answered.
export function readQuery(bytes: Buffer): Query | undefined {
  if (bytes.length < headBytes) return undefined;
  const flags = bytes.readUInt16BE(2);
  if (flags & 0x8000) return undefined; // an answer
  const query: Query = {
    id: bytes.readUInt16BE(0),
    opcode: (flags >> 11) & 0xf,
    flags,
    question: undefined,
    head: Buffer.alloc(0),
    edns: undefined,
  };
  if (bytes.readUInt16BE(4) !== 1) return query;
  // Records have at least 11 bytes each.
  const announced = bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10);
  if (announced * 11 > bytes.length) return query;
  try {
    const { name, end: nameEnd } = nameIn(bytes);
    const end = nameEnd + afterName;
    if (end > bytes.length) throw new Error('half a question');
    query.head = bytes.subarray(headBytes, end);
    query.question = { name, type: bytes.readUInt16BE(end - 4), class: bytes.readUInt16BE(end - 2) };
    query.edns = ednsIn(bytes, end, announced);
  } catch {
    query.question = undefined;
  }
  return query;
}

// The OPT record of a query (RFC 6891, 6.1). Other records are skipped, and their names not followed.
function ednsIn(bytes: Buffer, from: number, records: number): Query['edns'] {
  let edns: Query['edns'];
  let at = from;
  for (let left = records; left > 0; left--) {
    at = behindName(bytes, at);
    if (bytes.readUInt16BE(at) === optType) {
      const size = Math.max(smallest, bytes.readUInt16BE(at + 2));
      edns = { size, version: bytes.readUInt8(at + 5), wantsDnssec: (bytes.readUInt8(at + 6) & 0x80) !== 0 };
    }
    at += 10 + bytes.readUInt16BE(at + 8);
    if (at > bytes.length) throw new Error('half a record');
  }
  return edns;
}

function behindName(bytes: Buffer, from: number): number {
  for (let at = from; ; ) {
    const length = bytes.readUInt8(at);
    if (length >= 0xc0) return at + 2;
    if (length > 63) throw new Error('a label of an unknown kind');
    at += length + 1;
    if (length === 0) return at;
  }
}

const maxNameBytes = 255;

// The first name of a message, which is never compressed.
function nameIn(bytes: Buffer): { name: string; end: number } {
  let at = headBytes;
  for (let length = bytes[at] ?? 64; length !== 0; length = bytes[at] ?? 64) {
    if (length > 63) throw new Error('a compressed name, or none that ends');
    at += length + 1;
  }
  const end = at + 1;
  if (end - headBytes > maxNameBytes) throw new Error('too long a name');
  return { name: nameText(bytes, headBytes), end };
}

// Records that do not fit into a datagram are omitted, and the client asks again by TCP. The limit is never exceeded.
export function writeAnswer(query: Query, answer: Answer, isDatagram: boolean): Buffer {
  const wanted = query.edns ? Math.min(query.edns.size, ourSize) : smallest;
  const mostBytes = (isDatagram ? wanted : mostMessageBytes) - (query.edns ? optBytes : 0);
  const writer = new MessageWriter(query, answer);
  for (const section of [answer.answers, answer.authorities])
    if (!writer.section(section, mostBytes)) return writer.truncated();
  writer.section(eachOf(answer.additionals), mostBytes);
  return writer.end();
}

function* eachOf<T>(lists: Iterable<Iterable<T>>): Generator<T> {
  for (const list of lists) yield* list;
}

const optBytes = 11;
const minRecordBytes = 12; // without its data
const afterName = 4; // the type and the class of a question

// Writes into one buffer, which grows for long messages.
export class MessageWriter {
  #bytes = Buffer.allocUnsafe(smallest);
  readonly #query: Query;
  readonly #questionName: string; // the name of the question, which follows the head
  readonly #counts: number[] = [];
  readonly #offsets = new Map<string, number>(); // where other names are in the message
  length = 0;

  constructor(query: Query, { code, isAuthoritative }: Pick<Answer, 'code' | 'isAuthoritative'>) {
    this.#query = query;
    this.#questionName = query.question?.name.toLowerCase() ?? '';
    const kept = query.flags & 0x7900; // opcode, and that recursion was desired
    this.#uint16(query.id);
    this.#uint16(0x8000 | kept | (isAuthoritative ? 0x0400 : 0) | code);
    this.#uint16(query.head.length > 0 ? 1 : 0);
    for (const _ of ['answers', 'authorities', 'additionals']) this.#uint16(0); // known at the end
    this.#copy(query.head);
  }

  // Writes whole sets only, as many as fit. False: some do not fit.
  section(sets: Iterable<OwnedSet>, mostBytes = mostMessageBytes): boolean {
    let count = 0;
    let isWhole = true;
    for (const { name, set, signatures = [] } of sets) {
      const before = this.length;
      isWhole =
        this.#records(name, set.type, set.ttl, set.data, mostBytes) &&
        this.#records(name, rrsigType, set.ttl, signatures, mostBytes);
      if (!isWhole) {
        this.#cutTo(before);
        break;
      }
      count += set.data.length + signatures.length;
    }
    this.#counts.push(count);
    return isWhole;
  }

  end(): Buffer {
    const { edns } = this.#query;
    const [answers = 0, authorities = 0, additionals = 0] = this.#counts;
    if (edns) this.#opt(edns);
    this.#bytes.writeUInt16BE(answers, 6);
    this.#bytes.writeUInt16BE(authorities, 8);
    this.#bytes.writeUInt16BE(additionals + (edns ? 1 : 0), 10);
    return this.#bytes.subarray(0, this.length);
  }

  truncated(): Buffer {
    this.length = headBytes + this.#query.head.length;
    this.#counts.length = 0;
    this.#bytes.writeUInt16BE(this.#bytes.readUInt16BE(2) | 0x0200, 2);
    return this.end();
  }

  // False: the set does not fit.
  #records(name: string, type: number, ttl: number, all: readonly Buffer[], mostBytes: number): boolean {
    for (const data of all) {
      if (this.length + minRecordBytes + data.length > mostBytes) return false;
      this.#record(name, type, ttl, data);
    }
    return this.length <= mostBytes;
  }

  // Forgets names that were written behind this place.
  #cutTo(length: number): void {
    this.length = length;
    for (const [name, at] of this.#offsets) if (at >= length) this.#offsets.delete(name);
  }

  #record(name: string, type: number, ttl: number, data: Buffer): void {
    this.#name(name);
    this.#uint16(type);
    this.#uint16(1);
    this.#uint16(ttl >>> 16);
    this.#uint16(ttl & 0xffff);
    this.#uint16(data.length);
    this.#copy(data);
  }

  // A name that the message already contains becomes a pointer.
  #name(name: string): void {
    const key = name.toLowerCase();
    const known = this.#inQuestion(key) ?? this.#offsets.get(key);
    if (known === undefined) {
      if (this.length < 0x3fff) this.#offsets.set(key, this.length);
      this.#copy(nameBytes(key));
    } else this.#uint16(0xc000 | known);
  }

  // The question's name or one above it. In wire form each label has its length where the text has the dot before it.
  // Offsets count from the end, because an escape is longer than the byte that it represents.
  #inQuestion(key: string): number | undefined {
    if (key === '' || !isWithin(this.#questionName, key)) return undefined;
    if (key === this.#questionName) return headBytes;
    return key.includes('\\') ? undefined : headBytes + this.#query.head.length - afterName - key.length - 2;
  }

  #opt({ wantsDnssec, version }: NonNullable<Query['edns']>): void {
    const bytes = Buffer.alloc(optBytes);
    if (version > 0) bytes.writeUInt8(badVersion >> 4, 5); // the lower bits are in the message's head, and 0
    bytes.writeUInt16BE(optType, 1);
    bytes.writeUInt16BE(ourSize, 3);
    bytes.writeUInt16BE(wantsDnssec ? 0x8000 : 0, 7);
    this.#copy(bytes);
  }

  #uint16(value: number): void {
    this.#reserve(2);
    this.#bytes.writeUInt16BE(value, this.length);
    this.length += 2;
  }

  #copy(bytes: Buffer): void {
    this.#reserve(bytes.length);
    bytes.copy(this.#bytes, this.length);
    this.length += bytes.length;
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.length + more));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
