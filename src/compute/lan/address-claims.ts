// Claims on IPv4 addresses. A public address belongs to an IP block or is leased to its user (claim `ip`), and has one
// user at a time (claim `used`). A private address is claimed within its LAN. The row of the user holds the claims, so
// deleting the row releases them.
import { isIPv4 } from 'node:net';
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { isPrivate } from '../../base/outbound/outbound-address.ts';
import { maySee } from '../../core/access.ts';
import { reservedLinks } from '../../core/operation/reservations.ts';
import type { DecisionContext, Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { catalogue } from '../catalogue/catalogue.ts';
import { addressOf, isPublic } from '../network/ip.ts';
import type { ComputeTools } from '../tools.ts';
import { addressClaim } from './address-pool.ts';

export const usedScope = 'used';
const inUse = 'reservedIpsInUse';

export const usedClaim = (address: string): string => `${usedScope} ${address}`;

// The facts of a LAN that address claims need; the same request may create the LAN.
export interface Segment {
  path: string;
  public: boolean;
  range: string | null; // of a private one
  shared: readonly string[]; // addresses of failover groups: several NICs may have them
}

export const segmentOf = (path: string, values: Values): Segment => ({
  path,
  public: values.public === true,
  range: typeof values.ipv4CidrBlock === 'string' ? values.ipv4CidrBlock : null,
  shared: Array.isArray(values.ipFailover) ? values.ipFailover.map((one) => String((one as { ip: string }).ip)) : [],
});

// The reason why no interface in any LAN can have this address.
export function unusable(text: string): string | undefined {
  const address = isIPv4(text) ? addressOf(text) : undefined;
  if (!address) return `'${text.slice(0, 60)}' is not an IPv4 address`;
  return isPrivate(text) || isPublic(address) ? undefined : `${text} can't be the address of an interface`;
}

// The location whose addresses a datacenter uses: some locations have no addresses.
function addressLocation(datacenter: Row): string {
  const { location } = JSON.parse(datacenter.body) as { location: string };
  const found = catalogue.locations.find(({ id }) => id === location);
  return found?.ipBlocks === false ? found.metroRegion : location;
}

// Claims exactly these addresses and releases all others. `at`: the property that names them.
export async function setAddresses(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  segment: Segment,
  addresses: readonly string[],
  at: string,
): Promise<void> {
  for (const address of heldAddresses(draft)) if (!addresses.includes(address)) releaseAddress(draft, address);
  for (const [index, address] of addresses.entries())
    if (!heldAddresses(draft).includes(address))
      await claimAddress(draft, context, segment, address, `${at}.[${index}]`);
}

export async function claimAddress(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  segment: Segment,
  address: string,
  at: string,
): Promise<void> {
  requireUsable(draft, address, at);
  if (segment.shared.includes(address) || (await sharesInCopy(draft, context.store, segment, address))) {
    draft.reservations.links.push(['shares', sharedPath(address)]);
    return;
  }
  if (isPrivate(address)) {
    const claim = `${segment.path} ${address}`;
    const holder = await context.store.claimed(claim);
    if (holder) throw refused(draft, at, `${address} is already in use in this LAN`);
    draft.reservations.claims.push(claim);
    return;
  }
  const isLeased = draft.caller.copies && !(await context.store.claimed(addressClaim(address)));
  if (isLeased) draft.reservations.claims.push(addressClaim(address), usedClaim(address));
  else await useReservedAddress(draft, context, address, at);
}

// The NICs of a copy get the address of a failover group before the group exists.
async function sharesInCopy(draft: Draft, store: Store, { path }: Segment, address: string): Promise<boolean> {
  if (!draft.caller.copies || draft.resource.name !== 'nic') return false;
  const holder = await store.claimed(isPrivate(address) ? `${path} ${address}` : usedClaim(address));
  if (holder?.contract !== draft.contract) return false;
  const row = await store.at(holder.contract, holder.path);
  return row?.kind === 'nic' && reservedLinks(row, 'lan').includes(path);
}

function requireUsable(draft: Draft, address: string, at: string): void {
  const why = unusable(address);
  if (why !== undefined) throw refused(draft, at, why, '100');
}

// An address of an IP block of the same contract, in the same location, which the caller may see.
export async function useReservedAddress(
  draft: Draft,
  { store }: DecisionContext<ComputeTools>,
  address: string,
  at: string,
): Promise<void> {
  requireUsable(draft, address, at);
  const owner = await store.claimed(addressClaim(address));
  const block =
    owner?.contract === draft.contract && owner.path.startsWith('ipblocks/')
      ? await store.at(draft.contract, owner.path)
      : undefined;
  if (!block || block.state === 'DELETING' || !maySee(draft.caller, block))
    throw refused(draft, at, `${address} is not in an IP block of this contract`);
  const location = addressLocation(draft.parents[0] as Row);
  const reservedIn = (JSON.parse(block.body) as { location: string }).location;
  if (reservedIn !== location)
    throw refused(draft, at, `${address} is reserved in ${reservedIn}, but the datacenter is in ${location}`);
  if (await isUsed(store, draft.contract, address))
    throw refused(draft, at, `[VDC-5-1080] The IP ${address} is still in use`);
  draft.reservations.claims.push(usedClaim(address));
  draft.reservations.counts[inUse] = (draft.reservations.counts[inUse] ?? 0) + 1;
  const { contract, place, id, version } = block;
  draft.extraWrites.push({ op: 'guard', table: 'resource', key: { contract, place, id }, version });
}

// Used by one interface, or shared by those of a current or former failover group.
export const isUsed = async (store: Store, contract: number, address: string): Promise<boolean> =>
  (await store.claimed(usedClaim(address))) !== undefined ||
  (await store.linked(contract, sharedPath(address), '<', 'shares')).length > 0;

export const sharedPath = (address: string): string => `ips/${address}`;

// Leases a free address, one of the location's public ones or of the LAN's range, until it is released.
export async function leaseAddress(
  draft: Draft,
  { tools }: DecisionContext<ComputeTools>,
  segment: Segment,
): Promise<string> {
  const { claims } = draft.reservations;
  if (!segment.public) {
    const address = await tools.addresses.chooseIn(segment.path, segment.range ?? '10.0.0.0/16');
    claims.push(`${segment.path} ${address}`);
    return address;
  }
  const [address = ''] = await tools.addresses.choose(addressLocation(draft.parents[0] as Row), 1);
  claims.push(addressClaim(address), usedClaim(address));
  return address;
}

export function releaseAddress({ reservations }: Draft, address: string): void {
  const isReserved =
    reservations.claims.includes(usedClaim(address)) && !reservations.claims.includes(addressClaim(address));
  const kept = reservations.claims.filter((claim) => !claim.endsWith(` ${address}`));
  reservations.claims.splice(0, reservations.claims.length, ...kept);
  if (isReserved) reservations.counts[inUse] = Math.max(0, (reservations.counts[inUse] ?? 0) - 1);
  const links = reservations.links.filter(([role, to]) => role !== 'shares' || to !== sharedPath(address));
  reservations.links.splice(0, reservations.links.length, ...links);
}

// Moves the claims on the address to another interface; the previous one only shares it from then on.
export function transferAddress(from: Draft, to: Draft, address: string): void {
  const passed = from.reservations.claims.filter((claim) => claim.endsWith(` ${address}`));
  const before = from.reservations.counts[inUse] ?? 0;
  releaseAddress(from, address);
  releaseAddress(to, address);
  to.reservations.claims.push(...passed);
  const isCounted = (from.reservations.counts[inUse] ?? 0) < before;
  if (isCounted) to.reservations.counts[inUse] = (to.reservations.counts[inUse] ?? 0) + 1;
  from.reservations.links.push(['shares', sharedPath(address)]);
}

export const heldAddresses = ({ reservations }: Draft): string[] => [
  ...reservations.claims.map((claim) => claim.slice(claim.lastIndexOf(' ') + 1)).filter((key) => isIPv4(key)),
  ...reservations.links.filter(([role]) => role === 'shares').map(([, to]) => to.slice('ips/'.length)),
];

export const refused = (draft: Draft, at: string, message: string, code = '200'): Fault =>
  new Fault('refused', `[${draft.at}.${at}] ${message}`, { code });
