// Signs the answers of a zone on demand (RFC 4034, RFC 5155), with RSASHA256: the key signing key signs the keys, the
// zone signing key everything else. A thread creates the signatures. They are cached until their set changes or half of
// their validity is over.
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { TimeSlice } from '../../core/threads/time-slice.ts';
import { labelsOf, nameBytes, parentOf } from '../records/domain-name.ts';
import { uint16 } from '../records/rdata.ts';
import { typeNumbers } from '../records/types.ts';
import type { OwnedSet } from '../server/message.ts';
import type { RecordSet, ZoneData } from '../server/zone-data.ts';
import { decodeBase32, nsec3Hash, typeBitmap } from './denial.ts';
import { DenialChain } from './denial-chain.ts';
import { dnskeyData, keyTagOf } from './key-data.ts';
import { SignatureCache } from './signature-cache.ts';
import { signingThreads } from './signing-threads.ts';

export interface SigningKeys {
  ksk: string; // private keys, PEM
  zsk: string;
  mode: 'NSEC' | 'NSEC3';
  iterations: number;
  salt: string; // hex
  validityDays: number;
}

interface Key {
  key: KeyObject;
  data: Buffer; // of its DNSKEY record
  tag: number;
}

const algorithm = 8; // RSASHA256
const skewS = 3600; // clocks of validators may be behind
const dnskeyTtl = 3600;
const denialTtl = 600;
const cacheBytes = 48 * 1024 * 1024;
const { NS, DS, SOA, DNSKEY, RRSIG, NSEC, NSEC3, NSEC3PARAM } = typeNumbers as Record<string, number> as {
  NS: number;
  DS: number;
  SOA: number;
  DNSKEY: number;
  RRSIG: number;
  NSEC: number;
  NSEC3: number;
  NSEC3PARAM: number;
};

// The sets that an ALIAS adds to those of its name.
type AliasSets = (sets: ReadonlyMap<number, RecordSet>) => Iterable<RecordSet>;

const signatures = new SignatureCache(cacheBytes);
let signers = 0;

export class Signer {
  readonly #zone: ZoneData;
  readonly #keys: SigningKeys;
  readonly #salt: Buffer;
  readonly #now: () => number; // ms, of the machine: validators elsewhere use real time
  readonly #aliasSets: AliasSets;
  readonly #number = ++signers; // in the keys of its cached signatures
  readonly #pending = new Map<string, Promise<void>>(); // signatures that are being made
  #parsed: { ksk: Key; zsk: Key; apex: RecordSet[] } | undefined; // parsed on first use: it takes a millisecond
  readonly #chain: DenialChain;

  constructor(zone: ZoneData, keys: SigningKeys, now: () => number, aliasSets: AliasSets = () => []) {
    this.#zone = zone;
    this.#keys = keys;
    this.#now = now;
    this.#aliasSets = aliasSets;
    this.#salt = Buffer.from(keys.salt, 'hex');
    const { iterations } = keys;
    this.#chain = new DenialChain({
      zone,
      isMember: (name) => this.#isMember(name),
      ...(this.#isHashed && {
        hashes: {
          one: (name) => nsec3Hash(name, this.#salt, iterations),
          many: (names) =>
            signingThreads.call('hash', { names, salt: this.#salt, iterations }, { group: this.#zone.name }),
        },
      }),
    });
  }

  // The sets of the zone itself that are not records of users.
  apexSets(): readonly RecordSet[] {
    return this.#material().apex;
  }

  // Data of the RRSIG record, or a promise: ask again when it resolves. `owner`: the wildcard, if one was expanded.
  signatureOf(owner: string, set: RecordSet): Buffer | Promise<void> {
    const nowS = Math.floor(this.#now() / 1000);
    const cacheKey = `${this.#number} ${owner} ${set.type}`;
    const cached = signatures.get(cacheKey);
    if (cached && cached.untilS > nowS && isSame(cached.set, set)) return cached.data;
    const pending = this.#pending.get(cacheKey);
    if (pending) return pending;
    const made = this.#sign(cacheKey, owner, set, nowS).finally(() => this.#pending.delete(cacheKey));
    this.#pending.set(cacheKey, made);
    return made;
  }

  // Proofs need a complete chain. Undefined: it is complete. Otherwise ask again when the promise resolves.
  settle(): Promise<void> | undefined {
    return this.#chain.settle();
  }

  // `closest`: the nearest existing name above.
  proofOfNoName(key: string, closest: string): OwnedSet[] {
    if (!this.#isHashed) return [this.#link(this.#chain.before(key))];
    const labels = labelsOf(key);
    const nextCloser = labels.slice(labels.length - labelsOf(closest).length - 1).join('.');
    const covering = this.#link(this.#chain.before(nextCloser));
    return this.#chain.has(closest) ? [this.#link(closest), covering] : [covering];
  }

  proofOfNoType(owner: string): OwnedSet[] {
    return [this.#link(this.#chain.has(owner) ? owner : this.#chain.before(owner))];
  }

  // The chain of the names that a transfer sends. An ALIAS without an address is not among them: its name has a record
  // in the chain of queries only, which proves that it has no types.
  async *chain(isSent: (name: string) => boolean): AsyncGenerator<OwnedSet> {
    const slice = new TimeSlice();
    const sent = new Set([this.#zone.name]);
    for (const name of this.#chain.names()) {
      await slice.pause();
      if (!isSent(name) || this.#typesAt(name).length === 0) continue;
      // With NSEC3, the names between it and the zone are in the chain too.
      for (let at = name; !sent.has(at); at = this.#isHashed ? parentOf(at) : this.#zone.name) sent.add(at);
    }
    for (const name of sent) {
      let next = this.#chain.nextKey(name);
      for (; !sent.has(this.#chain.nameOf(next)); next = this.#chain.nextKey(this.#chain.nameOf(next)))
        await slice.pause();
      yield this.#link(name, next);
    }
  }

  async #sign(cacheKey: string, owner: string, set: RecordSet, nowS: number): Promise<void> {
    const lifetimeS = this.#keys.validityDays * 86_400;
    const { ksk, zsk } = this.#material();
    const { key, tag } = set.type === DNSKEY ? ksk : zsk;
    const head = this.#signatureHead(tag, owner, set, nowS - skewS, nowS + lifetimeS);
    const message = Buffer.concat([head, ...canonicalRecords(owner, set)]);
    const signature = await signingThreads.call('sign', { key, message }, { group: this.#zone.name });
    const data = Buffer.concat([head, signature]);
    signatures.keep(cacheKey, { set, data, untilS: nowS + lifetimeS / 2 });
  }

  #signatureHead(tag: number, owner: string, set: RecordSet, inception: number, expiration: number): Buffer {
    const head = Buffer.alloc(18);
    head.writeUInt16BE(set.type, 0);
    head.writeUInt8(algorithm, 2);
    head.writeUInt8(labelsOf(owner).filter((label) => label !== '*').length, 3);
    head.writeUInt32BE(set.ttl, 4);
    head.writeUInt32BE(expiration >>> 0, 8);
    head.writeUInt32BE(inception >>> 0, 12);
    head.writeUInt16BE(tag, 16);
    return Buffer.concat([head, nameBytes(this.#zone.name)]);
  }

  // The name's NSEC or NSEC3 record, from its types and the name that currently follows.
  #link(name: string, next = this.#chain.nextKey(name)): OwnedSet {
    const types = this.#typesAt(name);
    const data = this.#isHashed ? this.#nsec3Data(next, types) : this.#nsecData(this.#chain.nameOf(next), types);
    const owner = this.#isHashed ? `${this.#chain.keyOf(name)}.${this.#zone.name}` : name;
    return { name: owner, set: { type: this.#isHashed ? NSEC3 : NSEC, ttl: denialTtl, data: [data] } };
  }

  #material(): { ksk: Key; zsk: Key; apex: RecordSet[] } {
    if (this.#parsed) return this.#parsed;
    const [ksk, zsk] = [keyOf(this.#keys.ksk, true), keyOf(this.#keys.zsk, false)];
    const apex: RecordSet[] = [{ type: DNSKEY, ttl: dnskeyTtl, data: [ksk.data, zsk.data] }];
    if (this.#isHashed)
      apex.push({ type: NSEC3PARAM, ttl: 0, data: [Buffer.concat([this.#parameters(), ...this.#saltField()])] });
    this.#parsed = { ksk, zsk, apex };
    return this.#parsed;
  }

  get #isHashed(): boolean {
    return this.#keys.mode === 'NSEC3';
  }

  // Names without records have links only by their hashes. Names below a delegation do not belong to the zone.
  #isMember(name: string): boolean {
    const sets = this.#zone.setsAt(name);
    if (!sets) return false;
    const delegation = this.#zone.delegationAbove(name);
    if (delegation !== undefined && delegation !== name) return false;
    return this.#isHashed || name === this.#zone.name || sets.size > 0;
  }

  #typesAt(name: string): number[] {
    const sets = this.#zone.setsAt(name) ?? new Map<number, RecordSet>();
    const added = Iterator.from(this.#aliasSets(sets)).map(({ type }) => type);
    const types = [...sets.keys(), ...added].filter((type) => type !== typeNumbers.ALIAS);
    if (name === this.#zone.name) return [...types, SOA, RRSIG, DNSKEY, ...(this.#isHashed ? [NSEC3PARAM] : [])];
    if (types.includes(NS))
      return types.filter((type) => type === NS || type === DS).concat(types.includes(DS) ? RRSIG : []);
    return types.length > 0 ? [...types, RRSIG] : [];
  }

  #nsecData(next: string, types: number[]): Buffer {
    return Buffer.concat([nameBytes(next), typeBitmap([...types, NSEC, RRSIG])]);
  }

  #nsec3Data(next: string, types: number[]): Buffer {
    const hash = decodeBase32(next);
    return Buffer.concat([
      this.#parameters(),
      ...this.#saltField(),
      Buffer.from([hash.length]),
      hash,
      typeBitmap(types),
    ]);
  }

  #parameters(): Buffer {
    return Buffer.concat([Buffer.from([1, 0]), uint16(this.#keys.iterations)]);
  }

  #saltField(): Buffer[] {
    return [Buffer.from([this.#salt.length]), this.#salt];
  }
}

function keyOf(pem: string, isKsk: boolean): Key {
  const key = createPrivateKey(pem);
  const data = dnskeyData(createPublicKey(key), isKsk);
  return { key, data, tag: keyTagOf(data) };
}

// The set in its signed form (RFC 4034, 3.1.8.1).
function canonicalRecords(owner: string, { type, ttl, data }: RecordSet): Buffer[] {
  const name = nameBytes(owner);
  const fixed = Buffer.alloc(8);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  return [...data].sort(Buffer.compare).flatMap((one) => [name, fixed, uint16(one.length), one]);
}

const isSame = (a: RecordSet, b: RecordSet): boolean =>
  a === b ||
  (a.ttl === b.ttl && a.data.length === b.data.length && a.data.every((one, at) => one.equals(b.data[at] as Buffer)));

export const digestOf = (owner: string, dnskey: Buffer): string =>
  createHash('sha256').update(nameBytes(owner)).update(dnskey).digest('hex').toUpperCase();
