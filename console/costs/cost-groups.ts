// Costs grouped by kind, datacenter, or the values of a label.
import type { Label } from './billing-api.ts';
import type { Amount, ResourceCost } from './costs-model.ts';

export type Grouping = 'resource' | 'kind' | 'datacenter' | `label:${string}`;

export interface CostGroup {
  key: string; // empty: resources without the label
  title: string;
  count: number; // resources
  amount: Amount;
  share: number; // of all groups, from 0 to 1
}

// The choices of the page.
export const groupingsOf = (labels: readonly Label[]): [Grouping, string][] => [
  ['resource', 'Resource'],
  ['kind', 'Kind'],
  ['datacenter', 'Datacenter'],
  ...[...new Set(labels.map(({ key }) => key))]
    .sort()
    .map((key): [Grouping, string] => [`label:${key}`, `Label ${key}`]),
];

// A resource without the label has that of its datacenter.
export function groupKeyOf(grouping: Grouping, labels: readonly Label[]): (cost: ResourceCost) => string {
  if (grouping === 'resource') return ({ id }) => id;
  if (grouping === 'kind') return ({ kind }) => kind;
  if (grouping === 'datacenter') return ({ datacenter }) => datacenter.id;
  const key = grouping.slice('label:'.length);
  const values = new Map(labels.filter((one) => one.key === key).map(({ resourceId, value }) => [resourceId, value]));
  return ({ id, datacenter }) => values.get(id) ?? values.get(datacenter.id) ?? '';
}

// The most expensive first.
export function groupsOf(
  costs: readonly ResourceCost[],
  keyOf: (cost: ResourceCost) => string,
  titleOf: (key: string, cost: ResourceCost) => string,
): CostGroup[] {
  const groups = new Map<string, { title: string; ids: Set<string>; amount: Amount }>();
  for (const cost of costs) {
    const key = keyOf(cost);
    const group = groups.get(key) ?? { title: titleOf(key, cost), ids: new Set(), amount: 0n };
    group.ids.add(cost.id);
    group.amount += cost.amount;
    groups.set(key, group);
  }
  const total = costs.reduce((sum, { amount }) => sum + amount, 0n);
  return [...groups]
    .map(([key, { title, ids, amount }]) => ({
      key,
      title,
      count: ids.size,
      amount,
      share: total > 0n ? Number((amount * 10_000n) / total) / 10_000 : 0,
    }))
    .sort((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : a.title.localeCompare(b.title)));
}
