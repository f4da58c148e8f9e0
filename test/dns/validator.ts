// Validates signed answers with Node's own cryptography: the signature of each set (RFC 4034), and what NSEC and NSEC3
// records prove about names that do not exist (RFC 4035, RFC 5155).
import assert from 'node:assert/strict';
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import dnsPacket from 'dns-packet';
import { askByTcp, queryOf } from './query.ts';

type Records = readonly dnsPacket.Answer[];

interface ZoneKey {
  flags: number;
  tag: number;
  key: KeyObject;
}

// The order of names for denial records, and the types of the first name.
interface Link {
  from: string;
  to: string;
  types: string[];
}

const keySigning = 257;
const zoneSigning = 256;

export interface Validated {
  rcode: string;
  answers: Records;
  proof: Proof;
}

// Asks, and checks that every set of the answer has a valid signature of the right key.
export async function askValidated(port: number, zone: string, name: string, type: string): Promise<Validated> {
  const keys = keysIn((await askSigned(port, zone, 'DNSKEY')).answers ?? []);
  const { answers = [], authorities = [], rcode } = await askSigned(port, name, type);
  for (const records of [answers, authorities]) validate(records, keys);
  return { rcode, answers: answers.filter((one) => one.type !== 'RRSIG'), proof: new Proof(authorities) };
}

async function askSigned(port: number, name: string, type: string) {
  const query = queryOf(name, type, { edns: 4096, dnssec: true });
  const [bytes] = await askByTcp(port, query, (messages) => messages.length > 0);
  return dnsPacket.decode(bytes as Buffer) as dnsPacket.DecodedPacket & { rcode: string };
}

const bytesOf = (record: dnsPacket.Answer): Buffer =>
  dnsPacket.encode({ type: 'response', answers: [record] }).subarray(12);
const dataOf = (record: dnsPacket.Answer): Buffer => bytesOf({ ...record, name: '.' }).subarray(11);

function keysIn(records: Records): ZoneKey[] {
  return records.flatMap((record): ZoneKey[] => {
    if (record.type !== 'DNSKEY') return [];
    const bytes = Buffer.from(record.data.key);
    const size = bytes.readUInt8(0); // of the exponent
    const [e = '', n = ''] = [bytes.subarray(1, 1 + size), bytes.subarray(1 + size)].map((part) =>
      part.toString('base64url'),
    );
    const key = createPublicKey({ key: { kty: 'RSA', e, n }, format: 'jwk' });
    const sum = dataOf(record).reduce((total, byte, at) => total + (at % 2 === 0 ? byte << 8 : byte), 0);
    return [{ flags: record.data.flags, tag: (sum + (sum >> 16)) & 0xffff, key }];
  });
}

function validate(records: Records, keys: readonly ZoneKey[]): void {
  const sets = Map.groupBy(
    records.filter(({ type }) => type !== 'RRSIG'),
    ({ name, type }) => `${name} ${type}`,
  );
  for (const [which, set] of sets) {
    const signature = records.find((one) => one.type === 'RRSIG' && which === `${one.name} ${one.data.typeCovered}`);
    assert.ok(signature?.type === 'RRSIG', `${which} has no signature`);
    const flags = set[0]?.type === 'DNSKEY' ? keySigning : zoneSigning;
    const signer = keys.find((one) => one.tag === signature.data.keyTag && one.flags === flags);
    assert.ok(signer && isValid(set, signature, signer.key), `the signature of ${which} is not valid`);
  }
}

// A signature with fewer labels than the name belongs to the wildcard that the name matches.
function isValid(set: Records, { name, ...signature }: dnsPacket.RrsigAnswer, key: KeyObject): boolean {
  const { labels, originalTTL: ttl, inception, expiration } = signature.data;
  const parts = name.split('.');
  const owner = labels < parts.length ? ['*', ...parts.slice(parts.length - labels)].join('.') : name;
  const head = dataOf({ ...signature, name, data: { ...signature.data, signature: Buffer.alloc(0) } });
  const distinct = new Map(set.map((one) => [dataOf(one).toString('hex'), one])); // one record may prove two absences
  const signed = [...distinct]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => bytesOf({ ...one, name: owner, ttl } as dnsPacket.Answer));
  const nowS = Date.now() / 1000;
  const isInTime = inception <= nowS && nowS < expiration;
  return isInTime && verify('sha256', Buffer.concat([head, ...signed]), key, signature.data.signature);
}

export class Proof {
  readonly #links: readonly Link[];
  readonly #keyOf: (name: string) => string;

  constructor(authorities: Records) {
    const hashed = authorities.find((one) => one.type === 'NSEC3');
    this.#keyOf = hashed ? (name) => hashOf(name, hashed.data) : orderOf;
    this.#links = authorities.flatMap((one): Link[] => {
      if (one.type === 'NSEC')
        return [{ from: orderOf(one.name), to: orderOf(one.data.nextDomain), types: one.data.rrtypes }];
      if (one.type !== 'NSEC3') return [];
      const to = base32(Buffer.from(one.data.nextDomain));
      return [{ from: one.name.split('.')[0] as string, to, types: one.data.rrtypes }];
    });
    assert.equal(new Set(this.#links.map(({ from }) => from)).size, this.#links.length, 'a record is repeated');
  }

  // Whether a record proves that the name does not exist. The last record of a zone leads back to the first one.
  denies(name: string): boolean {
    const key = this.#keyOf(name);
    return this.#links.some(({ from, to }) => (from < to ? from < key && key < to : from < key || key < to));
  }

  // The types at a name, if a record proves that it exists.
  typesAt(name: string): string[] | undefined {
    return this.#links.find(({ from }) => from === this.#keyOf(name))?.types;
  }
}

const orderOf = (name: string): string => name.toLowerCase().split('.').reverse().join('\0');

function hashOf(name: string, { salt, iterations }: dnsPacket.Nsec3Data): string {
  const wire = bytesOf({ type: 'A', name, data: '0.0.0.0' }).subarray(0, -14);
  const step = (bytes: Buffer): Buffer => createHash('sha1').update(bytes).update(salt).digest();
  let digest = step(wire);
  for (let round = 0; round < iterations; round++) digest = step(digest);
  return base32(digest);
}

// 160 bits are 32 digits in the base that JavaScript calls 32.
const base32 = (bytes: Buffer): string =>
  BigInt(`0x${bytes.toString('hex')}`)
    .toString(32)
    .padStart(32, '0');
