// The serial of a zone counts the changes of its contents; secondaries and other nodes of the region notice changes by
// it.
import type { Write } from '../../core/state/engine.ts';

const prefix = 'dns serial ';

export const serialCounter = (zoneId: string): string => prefix + zoneId;

// All secondary zones of a contract share one counter, because their serials are those of their primaries. It shows
// other nodes that a secondary zone was created, changed, transferred or deleted.
export const secondaryCounter = 'dns secondary changes';
export const secondaryWrite = (contract: number): Write => ({ op: 'count', contract, name: secondaryCounter, add: 1 });

// Undefined: the counter is another one.
export const zoneOfSerial = (counter: string): string | undefined =>
  counter.startsWith(prefix) ? counter.slice(prefix.length) : undefined;

export const serialOf = (counters: ReadonlyMap<string, number>, zoneId: string): number =>
  (counters.get(serialCounter(zoneId)) ?? 0) + 1;

export const serialWrite = (contract: number, zoneId: string, add = 1): Write => ({
  op: 'count',
  contract,
  name: serialCounter(zoneId),
  add,
});
