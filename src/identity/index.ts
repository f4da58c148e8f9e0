// The resources and routes of identity.
import { resolve } from '../surface/core-dialect/find.ts';
import { always, textSchema } from '../surface/docs/openapi.ts';
import { json, type Route } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { contractRoute } from './accounts/contract.ts';
import { groupRoutes } from './users/group-routes.ts';
import { s3key } from './users/s3key.ts';
import { share } from './users/share.ts';
import { group, user } from './users/users-and-groups.ts';

export const identityResources = [user, group, share];
export const keyResources = [s3key];

export function identityRoutes(machinery: Machinery): Route[] {
  return [contractRoute(machinery.store), ...groupRoutes(machinery), ssoRoute(machinery)];
}

// Clients only display this address, the sign-in page of the object storage.
const ssoRoute = (machinery: Machinery): Route => ({
  method: 'GET',
  path: '/um/users/{userId}/s3ssourl',
  operation: 'user_s3ssourl_get',
  summary: "Read the address of the object storage's sign-in page",
  replySchema: always({ ssoUrl: textSchema }),
  resolve: (x) => resolve(machinery.store, x, [user], 'get'),
  call: (x) => json(200, { ssoUrl: `${x.base.split('/', 3).join('/')}/` }),
});
