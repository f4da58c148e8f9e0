// The cost of planned resources by the price list.
import {
  estimateResources,
  type ListedPrice,
  type PlanFacts,
  type Planned,
} from '../../src/core/metering/cost-estimate.ts';

export interface EstimatedCost {
  perHour: string; // 0.0850
  perMonth: string; // of 30 days
  currency: string;
  notes: readonly string[]; // costs that are not included
}

export interface Prices {
  prices: readonly ListedPrice[];
  facts: PlanFacts;
}

export function costBy({ prices, facts }: Prices, ...planned: readonly Planned[]): EstimatedCost | undefined {
  const { resources, perHour, per30Days, notes } = estimateResources(planned, prices, facts);
  if (resources.length === 0) return undefined;
  const currency = prices[0]?.unitCost.unit ?? '';
  return { perHour, perMonth: per30Days, currency, notes: notes.map(({ note }) => note) };
}
