// Which addresses of a NIC are lent for as long as it runs: public ones that no IP block has.
import type { Draft } from '../../core/resource.ts';
import { addressClaim } from './addresses.ts';
import { heldBy } from './addressing.ts';

export const lentTo = (nic: Draft): string[] => {
  const { claims } = nic.reservations;
  return [...new Set(heldBy(nic))].filter((address) => claims.includes(addressClaim(address)));
};
