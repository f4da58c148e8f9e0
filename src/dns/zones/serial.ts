// The serial of a zone counts the changes of its contents: by it secondaries and other nodes of the region notice them.
import type { Write } from '../../core/state/engine.ts';

const prefix = 'dns serial ';

export const serialCounter = (zoneId: string): string => prefix + zoneId;

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
