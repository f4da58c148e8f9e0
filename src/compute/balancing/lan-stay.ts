// What stands in LANs without being a NIC: balancers and gateways. It is linked to each of them, so that the LAN stays
// as long as it does, and holds its addresses there: those it was told, or some that are chosen for it. Which ones were
// chosen is remembered, because those may become others when it moves.
import { equalJson, type Json } from '../../base/json.ts';
import { claimKey } from '../../core/operation/reservations.ts';
import { type DecisionContext, type Draft, pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import {
  dropAddress,
  isPrivate,
  lendAddress,
  refused,
  type Segment,
  segmentOf,
  takeAddress,
  usedClaim,
  usedScope,
  useReserved,
} from '../lan/addressing.ts';
import type { ComputeTools } from '../tools.ts';
import { bare, textsOf, withLength } from './balancer-properties.ts';

const lansOf = ({ parents }: Draft): string => `${pathOf(parents[0] as Row)}/lans/`;

// The LAN of this number, which has to be there and to stay as it is until all is accepted. `at`: who names it.
export async function lanFor(draft: Draft, { store }: DecisionContext, lan: number, at: string): Promise<Segment> {
  const id = String(lan).padStart(10, '0');
  const path = lansOf(draft) + id;
  const isNew = (draft.parents[0] as Row).state === ''; // the datacenter is made by the same request
  const made = isNew
    ? draft.top?.children.find(({ resource: { name }, id: other }) => name === 'lan' && other === id)
    : undefined;
  if (made) return { ...segmentOf(path, made.values), shared: [] };
  const row = isNew ? undefined : await store.at(draft.contract, path);
  if (!row || row.state === 'DELETING') throw refused(draft, at, `There is no LAN ${lan} in this datacenter`);
  const { contract, place, version } = row;
  if (row.state !== 'AVAILABLE' || (await store.creating(contract, path)))
    throw refused(draft, at, `The LAN ${lan} is BUSY: wait for its request to be DONE`);
  draft.extraWrites.push({ op: 'guard', table: 'resource', key: { contract, place, id }, version });
  // Addresses of failover groups are for NICs only: for anybody else they are in use.
  return { ...segmentOf(path, JSON.parse(row.body)), shared: [] };
}

// In these LANs and in no others: what it has elsewhere is given up.
export function stayIn(draft: Draft, stays: readonly (readonly [role: string, segment: Segment])[]): void {
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

// The values of a property that lists addresses in a LAN, as they will be.
export interface Listed {
  name: string; // by which it is remembered whether they were chosen
  at: string; // the property
  told: Json | undefined;
  stands: Json | undefined;
  isMoved: boolean;
  segment: Segment;
  hasLength?: boolean; // private ones, written with the length of their network
}

export async function decideListed(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  listed: Listed,
): Promise<string[]> {
  const { name, at, segment, isMoved } = listed;
  const [told, stands] = [textsOf(listed.told), textsOf(listed.stands)];
  const chosen = new Set(textsOf(draft.hidden.chosen));
  const isOurs = told.length === 0 || (chosen.has(name) && equalJson(told, stands));
  if (isOurs && chosen.has(name) && !isMoved) return stands;
  if (isOurs) chosen.add(name);
  else chosen.delete(name);
  draft.hidden.chosen = [...chosen];
  if (!isOurs) {
    await take(draft, context, segment, told.map(bare), at);
    keepOnly(draft, listed, told.map(bare));
    return told;
  }
  const address = await lendAddress(draft, context, listed.hasLength ? { ...segment, public: false } : segment);
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
    if (!isHeld) await takeAddress(draft, context, segment, address, `${at}.[${index}]`);
  }
}

// Public ones count as those of the listener's LAN.
function keepOnly(draft: Draft, { segment, hasLength }: Listed, addresses: readonly string[]): void {
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
    if (place === usedScope && !addresses.includes(id)) dropAddress(draft, id);
  }
}

// Exactly these reserved addresses, in no LAN.
export async function setReserved(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  addresses: readonly string[],
  at: string,
): Promise<void> {
  keepPublic(draft, addresses);
  for (const [index, address] of addresses.entries())
    if (!draft.reservations.claims.includes(usedClaim(address)))
      await useReserved(draft, context, address, `${at}.[${index}]`);
}

// What can be had once is asked for twice by one request: no repetition would settle that.
export function demandUnshared(draft: Draft, at: string): void {
  const others = draft.top ? partsOf(draft.top).filter((one) => one !== draft) : [];
  const taken = new Set(others.flatMap(({ reservations }) => reservations.claims));
  const twice = draft.reservations.claims.find((claim) => taken.has(claim));
  if (twice !== undefined) throw refused(draft, at, `${claimKey(twice).id} is asked for twice in this request`, '100');
}

const partsOf = (draft: Draft): Draft[] => [
  draft,
  ...draft.children.flatMap(partsOf),
  ...draft.related.flatMap(partsOf),
];
