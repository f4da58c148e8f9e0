// GET /console/across/datacenters/-/servers: the things of a kind, wherever they are, for lists of all of them.
import { acrossCall } from '../surface/core-dialect/across.ts';
import type { Route } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';

// `corePrefix`: of the core API, whose things they are.
export const acrossRoute = (machinery: Machinery, corePrefix: () => string): Route => ({
  method: 'GET',
  path: '/across/{path*}',
  operation: 'webconsole_across_list',
  summary: 'Things of a kind, wherever they are',
  call: (x) => acrossCall(machinery, x, x.rest, corePrefix()),
});
