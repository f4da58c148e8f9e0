// Contracts for tests: each test has one of its own in a region that all share.
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
      summary: 'A fresh contract with an owner and a token of theirs',
      adminOnly: true,
      resolve: demandFirstOwner,
      notedAfter: true,
      replySchema: contractSchema,
      replyStatus: 201,
      call: async () => json(201, await own.addContract()),
    },
  ];
}
