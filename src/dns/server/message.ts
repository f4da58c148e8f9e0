// Messages on the wire. Queries are read by the DNS library; answers are written here, from data that is on the wire's
// form already, with the names of records compressed.
import dnsPacket from 'dns-packet';
import { nameBytes } from '../records/domain-name.ts';
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
  head: Buffer; // the question as it came
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
  additionals: OwnedSet[];
}

const headBytes = 12;
const smallest = 512; // what every client takes
const ourSize = 1232; // what passes everywhere without fragments
const rrsigType = 46;

// Undefined: nothing can be answered to it.
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
  // The library takes as many records as the head announces; those that fit are at least 11 bytes each.
  const announced = bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10);
  if (announced * 11 > bytes.length) return query;
  try {
    const { additionals = [] } = dnsPacket.decode(bytes);
    let end = headBytes;
    while (bytes[end]) end += (bytes[end] as number) + 1;
    end += 5;
    query.head = bytes.subarray(headBytes, end);
    const name = nameIn(bytes);
    query.question = { name, type: bytes.readUInt16BE(end - 4), class: bytes.readUInt16BE(end - 2) };
    for (const one of additionals) {
      if (one.type !== 'OPT') continue;
      const { udpPayloadSize, flag_do: wantsDnssec, ednsVersion: version } = one;
      query.edns = { size: Math.max(smallest, udpPayloadSize), wantsDnssec, version };
    }
  } catch {
    query.question = undefined;
  }
  return query;
}

// The first name of a message, which is never compressed; other bytes than those of host names become escapes.
function nameIn(bytes: Buffer): string {
  const labels: string[] = [];
  for (let at = headBytes; bytes[at]; at += (bytes[at] as number) + 1) {
    const length = bytes[at] as number;
    if (length > 63) throw new Error('a compressed name');
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length).replaceAll('.', '\\.'));
  }
  return labels.join('.');
}

// `mostBytes`: of a datagram; what does not fit is cut off, and the client asks again by TCP.
export function writeAnswer(query: Query, answer: Answer, isDatagram: boolean): Buffer {
  const wanted = query.edns ? Math.min(query.edns.size, ourSize) : smallest;
  const mostBytes = isDatagram ? wanted : 65_535;
  const writer = new MessageWriter(query, answer);
  writer.section(answer.answers);
  writer.section(answer.authorities);
  const required = writer.length + (query.edns ? optBytes : 0);
  if (required > mostBytes) return writer.truncated();
  writer.section(answer.additionals, mostBytes - (query.edns ? optBytes : 0));
  return writer.end();
}

const optBytes = 11;

export class MessageWriter {
  readonly #parts: Buffer[];
  readonly #query: Query;
  readonly #counts: number[] = [];
  readonly #offsets = new Map<string, number>(); // where a name is in the message
  readonly #head: Buffer;
  length: number;

  constructor(query: Query, { code, isAuthoritative }: Pick<Answer, 'code' | 'isAuthoritative'>) {
    this.#query = query;
    const head = Buffer.alloc(headBytes);
    head.writeUInt16BE(query.id, 0);
    const kept = query.flags & 0x7900; // opcode, and that recursion was desired
    head.writeUInt16BE(0x8000 | kept | (isAuthoritative ? 0x0400 : 0) | code, 2);
    head.writeUInt16BE(query.head.length > 0 ? 1 : 0, 4);
    this.#head = head;
    this.#parts = [head, query.head];
    this.length = headBytes + query.head.length;
    if (query.question) this.#remember(query.question.name.toLowerCase(), headBytes);
  }

  // Whole sets only, as many as fit.
  section(sets: readonly OwnedSet[], mostBytes = 65_535): void {
    let count = 0;
    for (const { name, set, signatures = [] } of sets) {
      const before = { length: this.length, parts: this.#parts.length };
      for (const data of set.data) this.#record(name, set.type, set.ttl, data);
      for (const data of signatures) this.#record(name, rrsigType, set.ttl, data);
      if (this.length > mostBytes) {
        this.#parts.length = before.parts;
        this.length = before.length;
        break;
      }
      count += set.data.length + signatures.length;
    }
    this.#counts.push(count);
  }

  end(): Buffer {
    const [answers = 0, authorities = 0, additionals = 0] = this.#counts;
    this.#head.writeUInt16BE(answers, 6);
    this.#head.writeUInt16BE(authorities, 8);
    this.#head.writeUInt16BE(additionals + (this.#query.edns ? 1 : 0), 10);
    if (this.#query.edns) this.#parts.push(this.#opt(this.#query.edns.wantsDnssec));
    return Buffer.concat(this.#parts);
  }

  truncated(): Buffer {
    this.#parts.length = 2;
    this.#counts.length = 0;
    this.#head.writeUInt16BE(this.#head.readUInt16BE(2) | 0x0200, 2);
    return this.end();
  }

  #record(name: string, type: number, ttl: number, data: Buffer): void {
    const fixed = Buffer.alloc(10);
    fixed.writeUInt16BE(type, 0);
    fixed.writeUInt16BE(1, 2);
    fixed.writeUInt32BE(ttl, 4);
    fixed.writeUInt16BE(data.length, 8);
    const owner = this.#name(name);
    this.#parts.push(owner, fixed, data);
    this.length += owner.length + 10 + data.length;
  }

  #name(name: string): Buffer {
    const key = name.toLowerCase();
    const known = this.#offsets.get(key);
    if (known !== undefined) return Buffer.from([0xc0 | (known >> 8), known & 0xff]);
    const bytes = nameBytes(key);
    if (this.length < 0x3fff) this.#offsets.set(key, this.length);
    return bytes;
  }

  // The name and those above it.
  #remember(name: string, at: number): void {
    for (let rest = name, offset = at; rest !== ''; ) {
      if (!this.#offsets.has(rest)) this.#offsets.set(rest, offset);
      const cut = rest.indexOf('.');
      offset += (cut < 0 ? rest.length : cut) + 1;
      rest = cut < 0 ? '' : rest.slice(cut + 1);
    }
  }

  #opt(wantsDnssec: boolean): Buffer {
    const bytes = Buffer.alloc(optBytes);
    bytes.writeUInt16BE(41, 1);
    bytes.writeUInt16BE(ourSize, 3);
    bytes.writeUInt16BE(wantsDnssec ? 0x8000 : 0, 7);
    return bytes;
  }
}
