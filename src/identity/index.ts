// Who may do what: contracts, users, groups, shares, keys and tokens.
import { resolve } from '../surface/core-dialect/find.ts';
import { always, textSchema } from '../surface/docs/openapi.ts';
import { json, type Route } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { contractRoute } from './contract.ts';
import { group } from './group.ts';
import { memberRoutes } from './members.ts';
import { s3key } from './s3key.ts';
import { share } from './share.ts';
import { user } from './user.ts';

export const identityResources = [user, group, share];
export const keyResources = [s3key];

export function identityRoutes(machinery: Machinery): Route[] {
  return [contractRoute(machinery.store), ...memberRoutes(machinery), ssoRoute(machinery)];
}

// Clients only pass the address on; it opens the object storage's own page.
const ssoRoute = (machinery: Machinery): Route => ({
  method: 'GET',
  path: '/um/users/{userId}/s3ssourl',
  operation: 'user_s3ssourl_get',
  summary: 'Where this user signs in to the object storage',
  replySchema: always({ ssoUrl: textSchema }),
  resolve: (x) => resolve(machinery.store, x, [user], 'get'),
  call: (x) => json(200, { ssoUrl: `${x.base.split('/', 3).join('/')}/` }),
});
