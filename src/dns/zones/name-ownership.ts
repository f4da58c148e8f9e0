// Which contract may use a name: the nearest zone that encloses it decides. Inside a zone of another contract no one
// can create zones, secondary zones, reverse records or auto-certificates, unless that zone delegates the name with NS
// records. A zone that is created above an existing zone gets no rights to the names of that zone.
//
// A decision needs no guard on the rows that it read: a zone that is created above the name at the same time, or a
// delegation that is deleted at the same time, counts as the later one of the two changes, and that order is allowed.
import { Fault } from '../../base/fault.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { parentOf } from '../records/domain-name.ts';
import { typeNumbers } from '../records/types.ts';
import { hasTransferred } from '../secondary/transferred-rows.ts';
import { reverseZones } from '../server/constants.ts';
import { recordPrefix, recordScope, zoneClaim, zoneScope } from './claims.ts';

export interface OwnedZone {
  name: string;
  contract: number; // 0: a reverse zone of the region itself
  path: string;
}

export interface NestedZone {
  zone: OwnedZone;
  above: OwnedZone; // the nearest zone that encloses it, of another contract
  isDelegated: boolean;
}

// The nearest zone or secondary zone that has the name or encloses it. The name is not a wildcard.
export async function enclosingZone(store: Store, name: string): Promise<OwnedZone | undefined> {
  await turn();
  return nearest(async (at) => {
    const claimed = await store.claimed(zoneClaim(at));
    return claimed && { name: at, ...claimed };
  }, name);
}

// Why the contract may not use one of the names, or a name that a wildcard among them matches. Undefined: it may.
export async function nameConflict(
  store: Store,
  contract: number,
  names: readonly string[],
): Promise<string | undefined> {
  const wildcards = new Map<string, OwnedZone>(); // by their base
  for (const name of names) {
    const base = name.replace(/^\*\./, '');
    const zone = await enclosingZone(store, base);
    if (!zone) continue;
    if (zone.contract !== contract) {
      if (!(await delegates(store, zone, base))) return conflictWith(zone, base);
    } else if (base !== name) wildcards.set(base, zone);
  }
  return wildcardConflict(store, contract, wildcards);
}

function conflictWith({ name: zoneName, contract }: OwnedZone, name: string): string {
  if (contract === 0)
    return `The name ${name} is inside the reverse zone ${zoneName} of the region. Create reverse records instead.`;
  if (name === zoneName) return `The name ${name} is a zone of another contract. Choose another name.`;
  return `The name ${name} is inside the zone ${zoneName} of another contract. Its owner can allow it with an NS record.`;
}

export async function demandName(store: Store, contract: number, name: string): Promise<void> {
  const conflict = await nameConflict(store, contract, [name]);
  if (conflict !== undefined) throw new Fault('conflict', conflict);
}

// All zones whose nearest enclosing zone belongs to another contract.
export async function* nestedZones(store: Store): AsyncGenerator<NestedZone> {
  const all = new Map<string, OwnedZone>();
  for await (const zone of ownedZones(store)) all.set(zone.name, zone);
  for await (const zone of ownedZones(store)) {
    const reverse = reverseZones.includes(zone.name) ? regionZone(zone.name) : undefined;
    const above = reverse ?? (await nearest((at) => all.get(at), parentOf(zone.name)));
    if (above && above.contract !== zone.contract)
      yield { zone, above, isDelegated: await delegates(store, above, zone.name) };
  }
}

// A name has up to 126 labels, and each is looked up; other calls get their turns between two names.
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function nearest(
  find: (name: string) => Promise<OwnedZone | undefined> | OwnedZone | undefined,
  name: string,
): Promise<OwnedZone | undefined> {
  // The name of a zone has at least two labels.
  for (let at = name; at.includes('.'); at = parentOf(at)) {
    const zone = (await find(at)) ?? (reverseZones.includes(at) ? regionZone(at) : undefined);
    if (zone) return zone;
  }
  return undefined;
}

const regionZone = (name: string): OwnedZone => ({ name, contract: 0, path: '' });

async function* ownedZones(store: Store, isWanted = (_name: string): boolean => true): AsyncGenerator<OwnedZone> {
  for await (const rows of store.pages({ contract: 0, place: zoneScope }, 'claim'))
    for (const { id: name, body } of rows)
      if (isWanted(name)) yield { name, ...(JSON.parse(body) as Omit<OwnedZone, 'name'>) };
}

// A wildcard matches the names directly below its base. Those that are zones of other contracts have agreed to the zone
// above them only where that one was there first: then it has delegated them.
async function wildcardConflict(
  store: Store,
  contract: number,
  wildcards: ReadonlyMap<string, OwnedZone>,
): Promise<string | undefined> {
  if (wildcards.size === 0) return undefined;
  for await (const below of ownedZones(store, (name) => wildcards.has(parentOf(name)))) {
    if (below.contract === contract) continue;
    const base = parentOf(below.name);
    const [row, above] = await Promise.all([below, wildcards.get(base) as OwnedZone].map((one) => rowOf(store, one)));
    if (row && above && row.time <= above.time)
      return `The wildcard *.${base} matches ${below.name}, an older zone of another contract. List single names instead.`;
  }
  return undefined;
}

const rowOf = (store: Store, { contract, path }: OwnedZone): Promise<Row | undefined> => store.at(contract, path);

// At the name itself, or between it and the zone.
async function delegates(store: Store, zone: OwnedZone, name: string): Promise<boolean> {
  const { name: zoneName, contract } = zone;
  const row = contract === 0 ? undefined : await rowOf(store, zone);
  if (!row) return false;
  await turn();
  const names: string[] = [];
  for (let at = name; at !== zoneName; at = parentOf(at)) names.push(at);
  if (row.kind === 'secondaryzone') return hasTransferred(store, row, typeNumbers.NS as number, new Set(names));
  for (const at of names)
    if (await hasServers(store, contract, `${recordPrefix(row.id, at.slice(0, -zoneName.length - 1))}NS/`)) return true;
  return false;
}

async function hasServers(store: Store, contract: number, prefix: string): Promise<boolean> {
  const scan = { contract: 0, place: recordScope, from: prefix, to: `${prefix}~` };
  for await (const { body } of store.each(scan, 'claim')) {
    const record = await store.at(contract, (JSON.parse(body) as { path: string }).path);
    if (record && record.state !== 'DELETING' && (JSON.parse(record.body) as { enabled: boolean }).enabled) return true;
  }
  return false;
}
