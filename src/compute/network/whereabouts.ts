// In which datacenters a packet can have to do with something: where a NIC stands, who has a public address, and what
// a cross connect connects. Asked of claims and links, so nobody reads a datacenter to find out that it is another.
import { isUuid } from '../../base/ids.ts';
import { pathOf } from '../../core/resource.ts';
import type { Store } from '../../core/store.ts';
import { addressClaim } from '../lan/addresses.ts';
import { usedClaim } from '../lan/addressing.ts';
import { macClaim, macOf } from '../lan/mac.ts';
import { type Address, isPublic } from './ip.ts';

export interface Whereabouts {
  contract: number;
  datacenterId: string;
}

const placeOf = ({ contract, path }: { contract: number; path: string }): Whereabouts[] => {
  const [kind, datacenterId] = path.split('/');
  return kind === 'datacenters' && datacenterId !== undefined ? [{ contract, datacenterId }] : [];
};

// Its MAC is told by its id, unless somebody chose another: then only those of the contract are looked through.
export async function whereNicIs(store: Store, contract: number, nicId: string): Promise<Whereabouts | undefined> {
  if (!isUuid(nicId)) return undefined;
  const found = await store.claimed(macClaim(macOf(nicId)));
  const end = `/nics/${nicId}`;
  if (found?.path.endsWith(end)) return placeOf(found)[0];
  for await (const datacenter of store.each({ contract, place: 'datacenters' }))
    for await (const link of store.each({ contract, below: `${pathOf(datacenter)}/lans/` }, 'link'))
      if (link.id.endsWith(end)) return { contract, datacenterId: datacenter.id };
  return undefined;
}

// Of whichever contract. What has an address that the internet carries holds a claim on it, or shares it with others of
// its failover group; an IPv6 address is in the network of a LAN.
export async function whoHas(store: Store, address: Address): Promise<Whereabouts[]> {
  if (!isPublic(address)) return [];
  if (address.version === 6) {
    const lan = await store.claimed(networkClaim(address));
    return lan ? placeOf(lan) : [];
  }
  const [user, owner] = await Promise.all([
    store.claimed(usedClaim(address.text)),
    store.claimed(addressClaim(address.text)),
  ]);
  const shared = owner ? await store.linked(owner.contract, `ips/${address.text}`, '<', 'shares') : [];
  const sharing = shared.flatMap((path) => placeOf({ contract: owner?.contract ?? 0, path }));
  return user ? [...placeOf(user), ...sharing] : sharing;
}

// The claim of a LAN on its network is by the first half of the address.
const networkClaim = ({ value }: Address): string => `lan6 ${(value >> 64n).toString(16).padStart(16, '0')}`;

export async function connectedBy(store: Store, contract: number, pcc: string): Promise<Whereabouts[]> {
  const lans = await store.linked(contract, `pccs/${pcc}`, '<', 'pcc');
  return lans.flatMap((path) => placeOf({ contract, path }));
}
