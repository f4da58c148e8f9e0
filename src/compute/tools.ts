// What the decisions of core infrastructure work with.
import type { Store } from '../core/store.ts';
import { Addresses } from './addresses.ts';
import { Prefixes } from './ipv6.ts';
import { Ordinals } from './ordinals.ts';

export interface ComputeTools {
  addresses: Addresses;
  ordinals: Ordinals;
  prefixes: Prefixes;
}

export const computeTools = (store: Store): ComputeTools => ({
  addresses: new Addresses(store),
  ordinals: new Ordinals(store),
  prefixes: new Prefixes(store),
});
