// The datacenters that a packet can concern: the one of a NIC, those with a public address, and those on a cross
// connect. They are found by claims and links, without reading datacenters.
import { isUuid } from '../../base/ids.ts';
import { pathOf } from '../../core/resource.ts';
import type { Store } from '../../core/store.ts';
import { usedClaim } from '../lan/address-claims.ts';
import { addressClaim } from '../lan/address-pool.ts';
import { macClaim, macOf } from '../lan/mac.ts';
import { type Address, addressOf, isPublic } from './ip.ts';

export interface DatacenterRef {
  contract: number;
  datacenterId: string;
}

const datacenterIn = ({ contract, path }: { contract: number; path: string }): DatacenterRef[] => {
  const [kind, datacenterId] = path.split('/');
  return kind === 'datacenters' && datacenterId !== undefined ? [{ contract, datacenterId }] : [];
};

// The default MAC of a NIC follows from its id and is claimed. With another MAC, the contract's LANs are searched.
export async function datacenterOfNic(
  store: Store,
  contract: number,
  nicId: string,
): Promise<DatacenterRef | undefined> {
  if (!isUuid(nicId)) return undefined;
  const found = await store.claimed(macClaim(macOf(nicId)));
  const end = `/nics/${nicId}`;
  if (found?.path.endsWith(end)) return datacenterIn(found)[0];
  for await (const datacenter of store.each({ contract, place: 'datacenters' }))
    for await (const link of store.each({ contract, below: `${pathOf(datacenter)}/lans/` }, 'link'))
      if (link.id.endsWith(end)) return { contract, datacenterId: datacenter.id };
  return undefined;
}

// Of any contract. An endpoint with a public IPv4 address holds a claim on it, or shares it within a failover group; an
// IPv6 address is in the network that a LAN claims.
export async function datacentersWithAddress(store: Store, address: Address): Promise<DatacenterRef[]> {
  if (!isPublic(address)) return [];
  if (address.version === 6) {
    const lan = await store.claimed(networkClaim(address));
    return lan ? datacenterIn(lan) : [];
  }
  const [user, owner] = await Promise.all([
    store.claimed(usedClaim(address.text)),
    store.claimed(addressClaim(address.text)),
  ]);
  const shared = owner ? await store.linked(owner.contract, `ips/${address.text}`, '<', 'shares') : [];
  const sharing = shared.flatMap((path) => datacenterIn({ contract: owner?.contract ?? 0, path }));
  return user ? [...datacenterIn(user), ...sharing] : sharing;
}

// The contract that has reserved a public address, or whose LAN contains it.
export async function ownerOf(store: Store, ip: string): Promise<number | undefined> {
  const address = addressOf(ip);
  if (!address) return undefined;
  const claim = address.version === 6 ? networkClaim(address) : addressClaim(address.text);
  return (await store.claimed(claim))?.contract;
}

// A LAN claims its network by the first 64 bits.
const networkClaim = ({ value }: Address): string => `lan6 ${(value >> 64n).toString(16).padStart(16, '0')}`;

export async function datacentersOnCrossConnect(store: Store, contract: number, pcc: string): Promise<DatacenterRef[]> {
  const lans = await store.linked(contract, `pccs/${pcc}`, '<', 'pcc');
  return lans.flatMap((path) => datacenterIn({ contract, path }));
}
