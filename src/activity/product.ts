// The activity log product: its service, and the reconcilers that flush and prune entries.
import { pruneActivity, pruneRequests } from '../core/audit/audit-log.ts';
import { consoleParts, contracts, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { ownParts } from './console-parts.ts';
import { activityService } from './service.ts';

export function openActivity({ store, clock, reads }: Context, ports: Ports): Product {
  ports.add(consoleParts, ownParts);
  const prune = async (): Promise<void> => {
    for (const number of await ports.use(contracts).numbers()) {
      await pruneActivity(store, number, clock.now());
      await pruneRequests(store, number, clock.now());
    }
  };
  return {
    resources: [],
    services: () => [
      activityService(store, (caller, contract) => ports.use(contracts).asMember(caller.user, contract)),
    ],
    reconcilers: [
      { name: 'activity-flush', everyMs: 1000, everywhere: true, run: () => reads.flush() },
      { name: 'activity-retention', everyMs: 3_600_000, run: prune },
    ],
    close: () => reads.flush(),
  };
}
