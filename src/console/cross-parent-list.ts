// GET /console/across/datacenters/-/servers: a collection in all its parents.
import { crossParentList } from '../surface/core-dialect/cross-parent-list.ts';
import type { Route } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';

// `corePrefix`: the prefix of the core API, which has the resources.
export const crossParentListRoute = (machinery: Machinery, corePrefix: () => string): Route => ({
  method: 'GET',
  path: '/across/{path*}',
  operation: 'webconsole_across_list',
  summary: 'List a collection in all its parents',
  call: (x) => crossParentList(machinery, x, x.rest, corePrefix()),
});
