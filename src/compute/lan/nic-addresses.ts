// The addresses that a NIC leases while its server runs: public ones outside of IP blocks.
import type { Draft } from '../../core/resource.ts';
import { heldAddresses } from './address-claims.ts';
import { addressClaim } from './address-pool.ts';

export const leasedAddresses = (nic: Draft): string[] => {
  const { claims } = nic.reservations;
  return [...new Set(heldAddresses(nic))].filter((address) => claims.includes(addressClaim(address)));
};
