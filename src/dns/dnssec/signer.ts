// Signs the answers of a zone when they are asked for (RFC 4034, RFC 5155), with RSASHA256: the key signing key signs
// the keys, the zone signing key everything else. Signatures are kept until their set changes, or half their time is
// over.
import { constants, createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { compareNames, labelsOf, nameBytes } from '../records/domain-name.ts';
import { uint16 } from '../records/rdata.ts';
import { typeNumbers } from '../records/types.ts';
import type { OwnedSet } from '../server/message.ts';
import type { RecordSet, ZoneData } from '../server/zone-data.ts';
import { decodeBase32, nsec3Hash, typeBitmap } from './denial.ts';
import { dnskeyData, keyTagOf } from './key-data.ts';

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

interface Kept {
  set: RecordSet;
  signatures: Buffer[];
  until: number; // s
}

interface Chain {
  names: readonly string[]; // that it was made of
  owners: string[]; // in the order of the chain
  sets: Map<string, RecordSet>; // by owner
}

const algorithm = 8; // RSASHA256
const skewS = 3600; // clocks of validators may be behind
const dnskeyTtl = 3600;
const denialTtl = 600;
const mostKept = 100_000;
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

export class Signer {
  readonly #zone: ZoneData;
  readonly #keys: SigningKeys;
  readonly #ksk: Key;
  readonly #zsk: Key;
  readonly #salt: Buffer;
  readonly #now: () => number; // ms, of the machine: validators elsewhere have no other
  readonly #kept = new Map<string, Kept>(); // by owner and type
  readonly #apex: RecordSet[];
  #chain: Chain | undefined;

  constructor(zone: ZoneData, keys: SigningKeys, now: () => number) {
    this.#zone = zone;
    this.#keys = keys;
    this.#now = now;
    this.#ksk = keyOf(keys.ksk, true);
    this.#zsk = keyOf(keys.zsk, false);
    this.#salt = Buffer.from(keys.salt, 'hex');
    this.#apex = [{ type: DNSKEY, ttl: dnskeyTtl, data: [this.#ksk.data, this.#zsk.data] }];
    if (keys.mode === 'NSEC3')
      this.#apex.push({ type: NSEC3PARAM, ttl: 0, data: [Buffer.concat([this.#parameters(), ...this.#saltField()])] });
  }

  // What the zone itself has besides its records.
  apexSets(): readonly RecordSet[] {
    return this.#apex;
  }

  // Data of RRSIG records. `owner` is the wildcard, where one was expanded.
  signaturesOf(owner: string, set: RecordSet): readonly Buffer[] {
    const nowS = Math.floor(this.#now() / 1000);
    const name = `${owner} ${set.type}`;
    const kept = this.#kept.get(name);
    if (kept && kept.until > nowS && isSame(kept.set, set)) return kept.signatures;
    const lifetimeS = this.#keys.validityDays * 86_400;
    const key = set.type === DNSKEY ? this.#ksk : this.#zsk;
    const signatures = [this.#sign(key, owner, set, nowS - skewS, nowS + lifetimeS)];
    if (this.#kept.size >= mostKept) this.#kept.clear();
    this.#kept.set(name, { set, signatures, until: nowS + lifetimeS / 2 });
    return signatures;
  }

  // `closest`: the nearest name above that exists.
  proofOfNoName(key: string, closest: string): OwnedSet[] {
    if (this.#keys.mode === 'NSEC') return [this.#covering(key)];
    const labels = labelsOf(key);
    const nextCloser = labels.slice(labels.length - labelsOf(closest).length - 1).join('.');
    return [this.#matching(closest), this.#covering(nextCloser)].filter((one) => one !== undefined);
  }

  proofOfNoType(owner: string): OwnedSet[] {
    return [this.#matching(owner) ?? this.#covering(owner)];
  }

  // The whole chain, for transfers.
  chain(): OwnedSet[] {
    return this.#theChain().owners.map((owner) => this.#link(owner));
  }

  #sign({ key, tag }: Key, owner: string, set: RecordSet, inception: number, expiration: number): Buffer {
    const head = Buffer.alloc(18);
    head.writeUInt16BE(set.type, 0);
    head.writeUInt8(algorithm, 2);
    head.writeUInt8(labelsOf(owner).filter((label) => label !== '*').length, 3);
    head.writeUInt32BE(set.ttl, 4);
    head.writeUInt32BE(expiration >>> 0, 8);
    head.writeUInt32BE(inception >>> 0, 12);
    head.writeUInt16BE(tag, 16);
    const unsigned = Buffer.concat([head, nameBytes(this.#zone.name)]);
    const name = nameBytes(owner);
    const fixed = Buffer.alloc(8);
    fixed.writeUInt16BE(set.type, 0);
    fixed.writeUInt16BE(1, 2);
    fixed.writeUInt32BE(set.ttl, 4);
    const records = [...set.data].sort(Buffer.compare).flatMap((data) => [name, fixed, uint16(data.length), data]);
    const signature = sign('sha256', Buffer.concat([unsigned, ...records]), {
      key,
      padding: constants.RSA_PKCS1_PADDING,
    });
    return Buffer.concat([unsigned, signature]);
  }

  #matching(name: string): OwnedSet | undefined {
    const owner = this.#ownerOf(name);
    return this.#theChain().sets.has(owner) ? this.#link(owner) : undefined;
  }

  // The link between whose owner and next owner the name would be; the last one leads back to the first.
  #covering(name: string): OwnedSet {
    const { owners } = this.#theChain();
    const wanted = this.#ownerOf(name);
    let low = 0;
    let high = owners.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareNames(owners[middle] as string, wanted) <= 0) low = middle + 1;
      else high = middle;
    }
    return this.#link((owners[low - 1] ?? owners.at(-1)) as string);
  }

  #link(owner: string): OwnedSet {
    const set = this.#theChain().sets.get(owner) as RecordSet;
    return { name: owner, set, signatures: this.signaturesOf(owner, set) };
  }

  #ownerOf(name: string): string {
    if (this.#keys.mode === 'NSEC') return name;
    return `${nsec3Hash(name, this.#salt, this.#keys.iterations)}.${this.#zone.name}`;
  }

  // Made again when names of the zone have come or gone, or types at them.
  #theChain(): Chain {
    const names = this.#zone.names();
    if (this.#chain?.names === names) return this.#chain;
    const isHashed = this.#keys.mode === 'NSEC3';
    // Names without records have links only by their hashes.
    const linked = isHashed
      ? names
      : names.filter((name) => name === this.#zone.name || this.#typesAt(name).length > 0);
    const byOwner = new Map(linked.map((name) => [this.#ownerOf(name), name]));
    const owners = [...byOwner.keys()].sort(compareNames);
    const sets = new Map<string, RecordSet>();
    for (const [at, owner] of owners.entries()) {
      const next = (owners[at + 1] ?? owners[0]) as string;
      const types = this.#typesAt(byOwner.get(owner) as string);
      const data = isHashed ? this.#nsec3Data(next, types) : this.#nsecData(next, types);
      sets.set(owner, { type: isHashed ? NSEC3 : NSEC, ttl: denialTtl, data: [data] });
    }
    this.#chain = { names, owners, sets };
    return this.#chain;
  }

  #typesAt(name: string): number[] {
    const types = [...(this.#zone.setsAt(name)?.keys() ?? [])].filter((type) => type !== typeNumbers.ALIAS);
    if (name === this.#zone.name) return [...types, SOA, RRSIG, ...this.#apex.map(({ type }) => type)];
    if (types.includes(NS))
      return types.filter((type) => type === NS || type === DS).concat(types.includes(DS) ? RRSIG : []);
    return types.length > 0 ? [...types, RRSIG] : [];
  }

  #nsecData(next: string, types: number[]): Buffer {
    return Buffer.concat([nameBytes(next), typeBitmap([...types, NSEC, RRSIG])]);
  }

  #nsec3Data(next: string, types: number[]): Buffer {
    const hash = decodeBase32(next.slice(0, next.indexOf('.')));
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

const isSame = (a: RecordSet, b: RecordSet): boolean =>
  a === b ||
  (a.ttl === b.ttl && a.data.length === b.data.length && a.data.every((one, at) => one.equals(b.data[at] as Buffer)));

export const digestOf = (owner: string, dnskey: Buffer): string =>
  createHash('sha256').update(nameBytes(owner)).update(dnskey).digest('hex').toUpperCase();
