// The cost of a resource while the user fills in its form. The price list is read once per contract. A user who may not
// read it sees no cost.
import { signal } from '@preact/signals';
import type { Values } from '../../src/base/values.ts';
import { type PlanFacts, plannedResource } from '../../src/core/metering/cost-estimate.ts';
import { call, scope } from '../api.ts';
import { readPrices } from './billing-api.ts';
import { costBy, type EstimatedCost, type Prices } from './cost-by-prices.ts';

export type { EstimatedCost };

interface PriceBook extends Prices {
  contract: number | undefined;
}

const book = signal<PriceBook | undefined>(undefined);
let requestedContract: number | undefined | null = null;

type Part = readonly [resourceName: string, properties: Values];

// Undefined if there is no price, or until the price list is loaded; then views that called this are drawn again.
// `others`: parts of the resource that have prices, too.
export function costOf(
  resourceName: string,
  properties: Values,
  others: readonly Part[] = [],
): EstimatedCost | undefined {
  const planned = [[resourceName, properties] as const, ...others].flatMap(([name, values]) => {
    const one = plannedResource(name, values);
    return one ? [{ address: name, ...one }] : [];
  });
  if (planned.length === 0) return undefined;
  ask();
  const known = book.value;
  if (!known || known.contract !== scope.contract) return undefined;
  return costBy(known, ...planned);
}

function ask(): void {
  if (requestedContract === scope.contract) return;
  const contract = scope.contract;
  requestedContract = contract;
  Promise.all([readPrices(), readFacts()]).then(
    ([prices, facts]) => {
      if (contract === scope.contract) book.value = { contract, prices, facts };
    },
    () => undefined,
  );
}

interface Listed<Properties> {
  items: { id: string; properties: Properties }[];
}

async function readFacts(): Promise<PlanFacts> {
  const [templates, locations] = await Promise.all([
    call<Listed<{ name: string }>>('GET', '/cloudapi/v6/templates?depth=1'),
    call<Listed<{ cpuArchitecture: { cpuFamily: string }[] | null }>>('GET', '/cloudapi/v6/locations?depth=1'),
  ]);
  return {
    templates: new Map(templates.items.map(({ id, properties }) => [id, properties.name])),
    cpuFamily: locations.items[0]?.properties.cpuArchitecture?.[0]?.cpuFamily ?? '',
  };
}
