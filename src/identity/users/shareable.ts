// Top-level resources of all products as things that can be owned and shared, shown by name only.
import type { Values } from '../../base/json.ts';
import { resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Reader } from '../../core/tree.ts';

// The platform's type → the path of its resources.
export const shareable: Readonly<Record<string, string>> = {
  datacenter: 'datacenters',
  snapshot: 'snapshots',
  image: 'images',
  ipblock: 'ipblocks',
  pcc: 'pccs',
  backupunit: 'backupunits',
  k8s: 'k8s',
};

export const owned = resource({
  name: 'owned',
  plural: 'resources',
  root: 'um/',
  type: 'resource',
  metadata: 'stateless',
  properties: {},
});

export const asOwned = (row: Row): Row => {
  const { name = null, secAuthProtection = false } = JSON.parse(row.body) as Values;
  return { ...row, body: JSON.stringify({ name, secAuthProtection }) };
};

export async function ownedBy(store: Reader, contract: number, user: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const place of Object.values(shareable))
    for await (const row of store.each({ contract, place })) if (row.owner === user) rows.push(asOwned(row));
  return rows;
}

export async function findShareable(store: Reader, contract: number, id: string): Promise<Row | undefined> {
  for (const place of Object.values(shareable)) {
    const row = await store.get(contract, place, id);
    if (row) return row;
  }
  return undefined;
}
