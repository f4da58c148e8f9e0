// Costs grouped by kind, datacenter, or the values of a label.
import type { Label } from '../../surface/ports.ts';

export const labelPrefix = 'label:';

export interface GroupedCost {
  id: string;
  kind: string;
  datacenter: { id: string; name: string };
  amount: bigint;
}

export interface CostGroup {
  key: string; // empty: resources without the label
  title: string;
  count: number; // resources
  amount: bigint;
}

// A resource without the label has that of its datacenter.
export function groupKeyOf(grouping: string, labels: readonly Label[]): (cost: GroupedCost) => string {
  if (grouping === 'kind') return ({ kind }) => kind;
  if (grouping === 'datacenter') return ({ datacenter }) => datacenter.id;
  const key = grouping.slice(labelPrefix.length);
  const values = new Map(labels.filter((one) => one.key === key).map(({ resourceId, value }) => [resourceId, value]));
  return ({ id, datacenter }) => values.get(id) ?? values.get(datacenter.id) ?? '';
}

// The most expensive first.
export function groupsOf(
  costs: readonly GroupedCost[],
  grouping: string,
  keyOf: (cost: GroupedCost) => string,
): CostGroup[] {
  const groups = new Map<string, { title: string; ids: Set<string>; amount: bigint }>();
  for (const cost of costs) {
    const key = keyOf(cost);
    const title = grouping === 'datacenter' ? cost.datacenter.name : key;
    const group = groups.get(key) ?? { title, ids: new Set(), amount: 0n };
    group.ids.add(cost.id);
    group.amount += cost.amount;
    groups.set(key, group);
  }
  return [...groups]
    .map(([key, { title, ids, amount }]) => ({ key, title, count: ids.size, amount }))
    .sort((a, b) => descending(a.amount, b.amount) || a.title.localeCompare(b.title));
}

export const descending = (a: bigint, b: bigint): number => (a < b ? 1 : a > b ? -1 : 0);
