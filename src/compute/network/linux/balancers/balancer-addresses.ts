// The addresses of load balancers that machines need.
import type { Address } from '../../ip.ts';
import type { ProxiedBalancer } from './balancer-unit.ts';
import type { PlacedClassic } from './classic-unit.ts';

export interface BalancerAddresses {
  ofNics: ReadonlyMap<string, readonly string[]>; // of the classic balancers that balance to a NIC
  ofSegments: ReadonlyMap<string, readonly Address[]>; // from which balancers send to targets in a LAN
}

export function balancerAddresses(
  proxied: readonly ProxiedBalancer[],
  classic: readonly PlacedClassic[],
): BalancerAddresses {
  const [ofNics, ofSegments] = [new Map<string, string[]>(), new Map<string, Address[]>()];
  for (const { balancer, address } of classic)
    for (const { id } of balancer.nics) ofNics.set(id, [...(ofNics.get(id) ?? []), address]);
  for (const { targetLan, addresses } of proxied)
    if (targetLan) ofSegments.set(targetLan.segment, [...(ofSegments.get(targetLan.segment) ?? []), ...addresses]);
  return { ofNics, ofSegments };
}
