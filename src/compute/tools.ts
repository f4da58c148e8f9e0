// What the decisions of core infrastructure work with.
import type { Store } from '../core/store.ts';
import { Addresses } from './lan/addresses.ts';
import { Prefixes } from './lan/ipv6.ts';
import { Ordinals } from './lan/ordinals.ts';
import type { DiskEngine, MachineEngine } from './machine/engine.ts';

export interface ComputeTools {
  addresses: Addresses;
  ordinals: Ordinals;
  prefixes: Prefixes;
  limits: (contract: number) => Promise<Readonly<Record<string, number>>>; // of the contract, by the platform's names
  machines: MachineEngine;
  disks: DiskEngine;
  buckets: { exists(contract: number, name: string): Promise<boolean> }; // of object storage
}

export const computeTools = (
  store: Store,
  given: Pick<ComputeTools, 'limits' | 'machines' | 'disks' | 'buckets'>,
): ComputeTools => ({
  addresses: new Addresses(store),
  ordinals: new Ordinals(store),
  prefixes: new Prefixes(store),
  ...given,
});
