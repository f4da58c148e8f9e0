// Resources of all products that can be owned and shared, according to their declarations. They are shown by name only.
import type { Values } from '../../base/json.ts';
import { type Resource, resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Reader } from '../../core/tree.ts';

// Types of the platform without a declaration: the region has no such resources.
const undeclared = { image: 'images', k8s: 'k8s' };

// The platform's type → the path of its resources.
export const shareable = (all: readonly Resource[]): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    all.filter((one) => one.rights.shareable).map(({ name, root, plural }) => [name, root + plural]),
  ),
  ...undeclared,
});

export const owned = resource({
  name: 'owned',
  plural: 'resources',
  root: 'um/',
  shown: { title: 'Resource', type: 'resource', typeIsKind: true, metadata: 'stateless' },
  rights: { create: 'none' },
  properties: {},
});

export const asOwned = (row: Row): Row => {
  const { name = null, secAuthProtection = false } = JSON.parse(row.body) as Values;
  return { ...row, body: JSON.stringify({ name, secAuthProtection }) };
};

export async function ownedBy(store: Reader, all: readonly Resource[], contract: number, user: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const place of Object.values(shareable(all)))
    for await (const row of store.each({ contract, place })) if (row.owner === user) rows.push(asOwned(row));
  return rows;
}

export async function findShareable(
  store: Reader,
  all: readonly Resource[],
  contract: number,
  id: string,
): Promise<Row | undefined> {
  for (const place of Object.values(shareable(all))) {
    const row = await store.get(contract, place, id);
    if (row) return row;
  }
  return undefined;
}
