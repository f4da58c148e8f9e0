// The maximum numbers of zones and records of a contract, and their current numbers.
import { Fault } from '../../base/fault.ts';
import { reservationsOf } from '../../core/operation/reservations.ts';
import type { Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';

export const limits = { zones: 50_000, secondaryZones: 100_000, records: 100_000, reverseRecords: 100_000 } as const;
export const maxContentBytes = 32 * 1024 * 1024; // of all records of a contract; they are kept in memory
export const maxNames = 200_000; // below all zones of a contract, with the empty ones above records: each takes memory
export type Limited = keyof typeof limits;
export const limitedKinds = Object.keys(limits) as Limited[];

export const counterOf = (kind: Limited): string => `dns ${kind}`;

// Claims a name, and releases the previous name of the same scope.
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
    throw new Fault(
      'refused',
      `The contract has ${limits[kind]} ${kind} already, which is the maximum. Delete one first.`,
    );
  draft.reservations.counts[name] = 1;
}

const contentCounter = 'dns content';

// Counts the bytes of a record's content, which may replace another one.
export async function countContent(draft: Draft, store: Store, content: string): Promise<void> {
  const counts = countedContent(content);
  const others = (await countedContentOf(store, draft.contract)) - (draft.before ? contentBytesOf(draft.before) : 0);
  demandContent(others + (counts[contentCounter] ?? 0));
  Object.assign(draft.reservations.counts, counts);
}

export const countedContent = (content: string): Record<string, number> => ({
  [contentCounter]: Buffer.byteLength(content),
});

export const countedContentOf = (store: Store, contract: number): Promise<number> =>
  store.counted(contract, contentCounter);

// Records of older versions were not counted.
export const contentBytesOf = (row: Row): number => reservationsOf(row).counts[contentCounter] ?? 0;

export function demandContent(bytes: number): void {
  if (bytes > maxContentBytes)
    throw new Fault('refused', `The records of the contract would have more than ${maxContentBytes} bytes of content.`);
}

export const tooManyNames = `The zones of the contract would have more than ${maxNames} names, counting the empty ones above records`;

export function demandNames(names: number): void {
  if (names > maxNames) throw new Fault('refused', `${tooManyNames}.`);
}
