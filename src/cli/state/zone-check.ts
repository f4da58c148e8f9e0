// Zones inside zones of other contracts in `state check`. Such zones keep working, so they are notes and not damage.
import type { StateCheck } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type NestedZone, nestedZones } from '../../dns/zones/name-ownership.ts';

export async function withNestedZones(found: StateCheck, store: Store): Promise<StateCheck> {
  if (found.damage.length > 0) return found; // damaged rows can't be read
  const notes = [...found.notes];
  for await (const nested of nestedZones(store)) notes.push(noteOf(nested));
  return { ...found, notes };
}

function noteOf({ zone, above, isDelegated }: NestedZone): string {
  const inside = `Zone ${zone.name} of contract ${zone.contract} is inside`;
  if (above.contract === 0) return `${inside} the reverse zone ${above.name} of the region.`;
  const how = isDelegated ? 'which delegates it with NS records' : 'which does not delegate it';
  return `${inside} zone ${above.name} of contract ${above.contract}, ${how}.`;
}
