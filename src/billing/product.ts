// The billing product: the API over the usage that products record, and the reconciler that closes months.
import { consoleParts, consoleRoutes, contractLabels, contracts, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { ownParts } from './console-parts.ts';
import { costsRoute } from './costs/costs-route.ts';
import { closeMonths } from './invoices/closing.ts';
import { loadPrices } from './prices/price-list.ts';
import { billingService } from './service.ts';
import type { BillingSettings } from './settings.ts';

export function openBilling({ store, clock }: Context, ports: Ports, settings: BillingSettings): Product {
  ports.add(consoleParts, ownParts);
  const prices = loadPrices(settings.prices);
  const close = async (): Promise<void> => {
    for (const contract of await ports.use(contracts).numbers())
      await closeMonths(store, contract, prices, clock.now());
  };
  const asMember = (user: string, contract: number) => ports.use(contracts).asMember(user, contract);
  const tools = { store, prices, now: () => clock.now(), asMember };
  const labelsOf = (contract: number) => ports.use(contractLabels).of(contract);
  ports.add(consoleRoutes, costsRoute({ ...tools, labelsOf }));
  return {
    resources: [],
    services: () => [billingService(tools)],
    reconcilers: [{ name: 'billing-closing', everyMs: 60_000, run: close }],
  };
}
