// Reports zones inside zones of other contracts in `state check`. Such zones keep working, so these are only notes.
import { Store } from '../core/store.ts';
import type { DataHooks } from '../surface/product-data.ts';
import { type NestedZone, nestedZones } from './zones/name-ownership.ts';

export const dnsData: DataHooks = {
  async check({ engine, hasDamagedRows }) {
    if (!engine || hasDamagedRows) return { damage: [] };
    const notes: string[] = [];
    for await (const nested of nestedZones(new Store(engine))) notes.push(noteOf(nested));
    return { damage: [], notes };
  },
};

function noteOf({ zone, above, isDelegated }: NestedZone): string {
  const inside = `Zone ${zone.name} of contract ${zone.contract} is inside`;
  if (above.contract === 0) return `${inside} the reverse zone ${above.name} of the region.`;
  const how = isDelegated ? 'which delegates it with NS records' : 'which does not delegate it';
  return `${inside} zone ${above.name} of contract ${above.contract}, ${how}.`;
}
