// Answers queries according to RFC 1034: from the region's own zones only, with delegations, aliases and wildcards.

import type { Signer } from '../dnssec/signer.ts';
import { nameText } from '../records/domain-name.ts';
import { typeNumbers } from '../records/types.ts';
import { type Answer, type OwnedSet, responseCodes } from './message.ts';
import type { RecordSet, ZoneData } from './zone-data.ts';

export interface ServedZone {
  data: ZoneData;
  soa(): RecordSet;
  signer?: Signer | undefined; // absent: the zone is not signed
}

export interface Resolved extends Answer {
  waits: Promise<void>[]; // not empty: signatures or proofs are missing; ask again when these have resolved
}

export type FindZone = (key: string) => ServedZone | undefined; // the nearest one above, or of that name

const type = (name: string): number => typeNumbers[name] as number;
const [a, aaaa, ns, cname, soa, ds, alias, everything] = ['A', 'AAAA', 'NS', 'CNAME', 'SOA', 'DS', 'ALIAS', 'ANY'].map(
  type,
) as [number, number, number, number, number, number, number, number];
const maxAliases = 8;

// `flattenings`: how many ALIAS records may still be followed; two of them can lead to each other.
export function resolve(
  findZone: FindZone,
  key: string,
  wanted: number,
  dnssec: boolean,
  flattenings = maxAliases,
): Resolved {
  const zone = findZone(key);
  const answer: Resolved = {
    code: zone ? responseCodes.none : responseCodes.refused,
    isAuthoritative: zone !== undefined,
    answers: [],
    authorities: [],
    additionals: [],
    waits: [],
  };
  const seen = new Set<string>();
  let at = key;
  let current = zone;
  while (current && seen.size <= maxAliases) {
    seen.add(at);
    const next = step(current, findZone, at, wanted, dnssec, answer, flattenings);
    if (next === undefined || seen.has(next)) break;
    at = next;
    current = findZone(at);
  }
  return answer;
}

// The name that an alias leads to; undefined: the answer is complete.
function step(
  zone: ServedZone,
  findZone: FindZone,
  key: string,
  wanted: number,
  dnssec: boolean,
  answer: Resolved,
  flattenings: number,
): string | undefined {
  const { data } = zone;
  const signer = dnssec ? zone.signer : undefined;
  const delegation = data.delegationAbove(key);
  if (delegation !== undefined && !(delegation === key && wanted === ds)) {
    refer(zone, findZone, signer, delegation, answer);
    return undefined;
  }
  const own = setsOf(zone, key);
  if (own) return answerFrom(zone, findZone, signer, key, key, own, wanted, answer, flattenings);
  const closest = data.closestTo(key);
  const star = `*.${closest}`;
  const wild = data.setsAt(star);
  if (wild) {
    prove(signer, answer, (by) => by.proofOfNoName(key, closest));
    return answerFrom(zone, findZone, signer, key, star, wild, wanted, answer, flattenings);
  }
  answer.code = responseCodes.missing;
  deny(zone, signer, answer);
  prove(signer, answer, (by) => [...by.proofOfNoName(key, closest), ...by.proofOfNoName(star, closest)]);
  return undefined;
}

// The records of a name, with those that the server adds for the zone itself.
function setsOf(zone: ServedZone, key: string): ReadonlyMap<number, RecordSet> | undefined {
  const sets = zone.data.setsAt(key);
  if (!sets || key !== zone.data.name) return sets;
  const all = new Map(sets);
  all.set(soa, zone.soa());
  for (const set of zone.signer?.apexSets() ?? []) all.set(set.type, set);
  return all;
}

function answerFrom(
  zone: ServedZone,
  findZone: FindZone,
  signer: Signer | undefined,
  key: string,
  owner: string, // `key`, or the wildcard that it matches
  sets: ReadonlyMap<number, RecordSet>,
  wanted: number,
  answer: Resolved,
  flattenings: number,
): string | undefined {
  const add = (set: RecordSet): void => void answer.answers.push(owned(answer, signer, key, owner, set));
  const canonical = sets.get(cname);
  if (canonical && wanted !== cname && wanted !== everything) {
    add(canonical);
    return nameInData(canonical.data[0] as Buffer);
  }
  const own = wanted === everything ? anyOf(sets) : sets.get(wanted);
  const set = own ?? aliasSets(findZone, sets, flattenings, wanted).next().value;
  if (set && set.type !== alias) {
    add(set);
    answer.additionals.push(addressesFor(findZone, set));
    return undefined;
  }
  deny(zone, signer, answer);
  prove(signer, answer, (by) => by.proofOfNoType(owner));
  return undefined;
}

// One set is enough (RFC 8482), because answers to ANY are mostly used for floods.
const anyOf = (sets: ReadonlyMap<number, RecordSet>): RecordSet | undefined =>
  [...sets.values()].find((set) => set.type !== alias);

// The sets that an ALIAS adds to its name: the addresses of its target, if that is in a zone of the region. No
// other name server is asked.
export function* aliasSets(
  findZone: FindZone,
  sets: ReadonlyMap<number, RecordSet>,
  flattenings = maxAliases,
  wanted = everything,
): Generator<RecordSet, undefined> {
  const set = sets.get(alias);
  if (!set || flattenings === 0 || sets.has(cname)) return;
  for (const kind of [a, aaaa]) {
    if (sets.has(kind) || (wanted !== kind && wanted !== everything)) continue;
    const target = resolve(findZone, nameInData(set.data[0] as Buffer), kind, false, flattenings - 1);
    const data = target.answers.filter((one) => one.set.type === kind).flatMap((one) => one.set.data);
    if (data.length > 0) yield { type: kind, ttl: set.ttl, data };
  }
}

function refer(zone: ServedZone, findZone: FindZone, signer: Signer | undefined, name: string, answer: Resolved): void {
  const { data } = zone;
  answer.isAuthoritative = answer.answers.length > 0;
  const sets = data.setsAt(name);
  const servers = sets?.get(ns) as RecordSet;
  answer.authorities.push({ name, set: servers });
  const secure = sets?.get(ds);
  if (signer && secure) answer.authorities.push(owned(answer, signer, name, name, secure));
  else prove(signer, answer, (by) => by.proofOfNoType(name));
  answer.additionals.push(glueFor(zone, findZone, servers));
}

function* glueFor(zone: ServedZone, findZone: FindZone, servers: RecordSet): Generator<OwnedSet> {
  for (const bytes of servers.data) {
    const server = nameInData(bytes);
    if (findZone(server) === zone) yield* addressesAt(zone.data, server); // a zone below this one has its own names
  }
}

function* addressesAt(data: ZoneData, name: string): Generator<OwnedSet> {
  const sets = data.setsAt(name);
  for (const kind of [a, aaaa]) {
    const set = sets?.get(kind);
    if (set) yield { name, set };
  }
}

// The addresses of mail servers, name servers and services, if they are in zones of the region.
function* addressesFor(findZone: FindZone, { type: kind, data }: RecordSet): Generator<OwnedSet> {
  const skip = ({ [type('MX')]: 2, [type('SRV')]: 6, [ns]: 0 } as Record<number, number>)[kind];
  if (skip === undefined) return;
  for (const bytes of data) {
    const name = nameInData(bytes, skip);
    const zone = findZone(name);
    if (zone && zone.data.delegationAbove(name) === undefined) yield* addressesAt(zone.data, name);
  }
}

// The SOA limits how long the absence may be cached.
function deny(zone: ServedZone, signer: Signer | undefined, answer: Resolved): void {
  const set = zone.soa();
  const minimum = (set.data[0] as Buffer).readUInt32BE((set.data[0] as Buffer).length - 4);
  const name = zone.data.name;
  answer.authorities.push(owned(answer, signer, name, name, { ...set, ttl: Math.min(set.ttl, minimum) }));
}

function owned(answer: Resolved, signer: Signer | undefined, name: string, owner: string, set: RecordSet): OwnedSet {
  const signature = signer?.signatureOf(owner, set);
  if (signature instanceof Promise) answer.waits.push(signature);
  return Buffer.isBuffer(signature) ? { name, set, signatures: [signature] } : { name, set };
}

// Adds the proof of an absence, once the chain of the zone is complete. One record can prove several absences.
function prove(signer: Signer | undefined, answer: Resolved, proof: (signer: Signer) => OwnedSet[]): void {
  const settling = signer?.settle();
  if (settling) answer.waits.push(settling);
  if (!signer || settling) return;
  for (const { name, set } of proof(signer))
    if (!answer.authorities.some((one) => one.name === name && one.set.type === set.type))
      answer.authorities.push(owned(answer, signer, name, name, set));
}

export const nameInData = (bytes: Buffer, from = 0): string => nameText(bytes, from).toLowerCase();
