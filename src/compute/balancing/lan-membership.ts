// Membership of balancers and gateways in LANs. They hold a link to each of their LANs, so that the LAN can't be
// deleted before them, and claims on their addresses there, which the client names or the platform chooses. Chosen
// addresses are marked, because they may change when the balancer moves to another LAN.

import { equalJson, type Json } from '../../base/json.ts';
import { isPrivate } from '../../base/outbound/outbound-address.ts';
import { claimKey } from '../../core/operation/reservations.ts';
import { type DecisionContext, type Draft, pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import {
  claimAddress,
  leaseAddress,
  refused,
  releaseAddress,
  type Segment,
  segmentOf,
  unusable,
  usedClaim,
  usedScope,
  useReservedAddress,
} from '../lan/address-claims.ts';
import type { ComputeTools } from '../tools.ts';
import { bare, textsOf, withLength } from './balancer-properties.ts';

const lansOf = ({ parents }: Draft): string => `${pathOf(parents[0] as Row)}/lans/`;

// The LAN with this number, which must exist; its version is guarded. `at`: the property that names it.
export async function requireLan(draft: Draft, { store }: DecisionContext, lan: number, at: string): Promise<Segment> {
  const id = String(lan).padStart(10, '0');
  const path = lansOf(draft) + id;
  const isNew = (draft.parents[0] as Row).state === ''; // the same request creates the datacenter
  const made = isNew
    ? draft.top?.children.find(({ resource: { name }, id: other }) => name === 'lan' && other === id)
    : undefined;
  if (made) return { ...segmentOf(path, made.values), shared: [] };
  const row = isNew ? undefined : await store.at(draft.contract, path);
  if (!row || row.state === 'DELETING') throw refused(draft, at, `LAN ${lan} does not exist in this datacenter`);
  const { contract, place, version } = row;
  if (row.state !== 'AVAILABLE' || (await store.creating(contract, path)))
    throw refused(draft, at, `LAN ${lan} is BUSY. Wait until its request is DONE`);
  draft.extraWrites.push({ op: 'guard', table: 'resource', key: { contract, place, id }, version });
  // Only NICs may share addresses of failover groups.
  return { ...segmentOf(path, JSON.parse(row.body)), shared: [] };
}

// Joins exactly these LANs, and releases links and claims in all others.
export function joinLans(draft: Draft, stays: readonly (readonly [role: string, segment: Segment])[]): void {
  const { reservations } = draft;
  const lans = lansOf(draft);
  const paths = stays.map(([, { path }]) => path);
  reservations.links = [
    ...reservations.links.filter(([, to]) => !to.startsWith(lans)),
    ...stays.map(([role, { path }]): [string, string] => [role, path]),
  ];
  reservations.claims = reservations.claims.filter((claim) => {
    const { place } = claimKey(claim);
    return !place.startsWith(lans) || paths.includes(place);
  });
}

// A property that lists addresses in a LAN.
export interface AddressList {
  name: string; // the mark of chosen addresses
  at: string; // the property
  sent: Json | undefined;
  stored: Json | undefined;
  isMoved: boolean;
  segment: Segment;
  hasLength?: boolean; // private ones, written with their prefix length
  isHidden?: boolean; // a chosen one is not shown, so a sent one is the client's choice
}

export async function decideAddressList(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  listed: AddressList,
): Promise<string[]> {
  const { name, at, segment, isMoved } = listed;
  const [sent, stored] = [textsOf(listed.sent), textsOf(listed.stored)];
  const chosen = new Set(textsOf(draft.hidden.chosen));
  const isOurs = sent.length === 0 || (!listed.isHidden && chosen.has(name) && equalJson(sent, stored));
  if (isOurs && chosen.has(name) && !isMoved) return stored;
  if (isOurs) chosen.add(name);
  else chosen.delete(name);
  draft.hidden.chosen = [...chosen];
  if (!isOurs) {
    await take(draft, context, segment, sent.map(bare), at);
    keepOnly(draft, listed, sent.map(bare));
    return sent;
  }
  const address = await leaseAddress(draft, context, listed.hasLength ? { ...segment, public: false } : segment);
  keepOnly(draft, listed, [address]);
  return [listed.hasLength ? withLength(address) : address];
}

async function take(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  segment: Segment,
  addresses: readonly string[],
  at: string,
): Promise<void> {
  const { claims } = draft.reservations;
  for (const [index, address] of addresses.entries()) {
    const isHeld = isPrivate(address)
      ? claims.includes(`${segment.path} ${address}`)
      : segment.public && claims.includes(usedClaim(address));
    if (!isHeld) await claimListener(draft, context, segment, address, `${at}.[${index}]`);
  }
}

// A NIC may have a reserved public address on a private LAN; a load balancer would get no traffic for it there.
export async function claimListener(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  segment: Segment,
  address: string,
  at: string,
): Promise<void> {
  if (!segment.public && !isPrivate(address) && unusable(address) === undefined)
    throw refused(draft, at, `${address} is a public address, but the LAN is private`);
  await claimAddress(draft, context, segment, address, at);
}

function keepOnly(draft: Draft, { segment, hasLength }: AddressList, addresses: readonly string[]): void {
  const { reservations } = draft;
  reservations.claims = reservations.claims.filter((claim) => {
    const { place, id } = claimKey(claim);
    return place !== segment.path || addresses.includes(id);
  });
  if (!hasLength) keepPublic(draft, addresses);
}

function keepPublic(draft: Draft, addresses: readonly string[]): void {
  for (const claim of [...draft.reservations.claims]) {
    const { place, id } = claimKey(claim);
    if (place === usedScope && !addresses.includes(id)) releaseAddress(draft, id);
  }
}

// Claims exactly these reserved addresses, independent of LANs.
export async function setReservedAddresses(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  addresses: readonly string[],
  at: string,
): Promise<void> {
  keepPublic(draft, addresses);
  for (const [index, address] of addresses.entries())
    if (!draft.reservations.claims.includes(usedClaim(address)))
      await useReservedAddress(draft, context, address, `${at}.[${index}]`);
}

// Two parts of one request make the same claim. Deciding again would not help, so it is refused.
export function refuseDuplicateClaims(draft: Draft, at: string): void {
  const others = draft.top ? partsOf(draft.top).filter((one) => one !== draft) : [];
  const taken = new Set(others.flatMap(({ reservations }) => reservations.claims));
  const twice = draft.reservations.claims.find((claim) => taken.has(claim));
  if (twice !== undefined) throw refused(draft, at, `${claimKey(twice).id} occurs twice in this request`, '100');
}

const partsOf = (draft: Draft): Draft[] => [
  draft,
  ...draft.children.flatMap(partsOf),
  ...draft.related.flatMap(partsOf),
];
