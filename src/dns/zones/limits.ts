// How many zones and records a contract can have, and how many it has.
import { Fault } from '../../base/fault.ts';
import type { Draft } from '../../core/resource.ts';
import type { Store } from '../../core/store.ts';

export const limits = { zones: 50_000, secondaryZones: 100_000, records: 100_000, reverseRecords: 100_000 } as const;
export type Limited = keyof typeof limits;
export const limitedKinds = Object.keys(limits) as Limited[];

export const counterOf = (kind: Limited): string => `dns ${kind}`;

// Claims a name, instead of the one of the same scope that it had before.
export function claimOnly(draft: Draft, claim: string): void {
  const scope = claim.slice(0, claim.indexOf(' ') + 1);
  const { claims } = draft.reservations;
  const others = claims.filter((one) => !one.startsWith(scope));
  claims.splice(0, claims.length, ...others, claim);
}

// Counts a new one against its limit.
export async function countOne(draft: Draft, store: Store, kind: Limited): Promise<void> {
  const name = counterOf(kind);
  if (draft.way === 'create' && (await store.counted(draft.contract, name)) >= limits[kind])
    throw new Fault('refused', `The contract has ${limits[kind]} ${kind} already, which is the most.`);
  draft.reservations.counts[name] = 1;
}
