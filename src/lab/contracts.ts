// Contracts for tests: each test gets its own contract in a shared region.
import { always, textSchema, wholeSchema } from '../surface/docs/openapi.ts';
import { type Exchange, json, type Route } from '../surface/http/exchange.ts';
import type { RegionProcess } from '../surface/ports.ts';

const contractSchema = always({ contract: wholeSchema, email: textSchema, password: textSchema, token: textSchema });

export function contractRoutes(
  own: RegionProcess | undefined,
  demandFirstOwner: (x: Exchange) => Promise<void>,
): Route[] {
  if (!own) return [];
  return [
    {
      method: 'POST',
      path: '/contracts',
      operation: 'lab_contract_create',
      summary: "Create a contract with an owner and the owner's token",
      adminOnly: true,
      resolve: demandFirstOwner,
      notedAfter: true,
      replySchema: contractSchema,
      replyStatus: 201,
      call: async () => json(201, await own.addContract()),
    },
  ];
}
