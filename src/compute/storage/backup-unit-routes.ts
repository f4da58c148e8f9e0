// The sign-in URL of a backup unit.
import type { Resource } from '../../core/resource.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { always, textSchema } from '../../surface/docs/openapi.ts';
import { json, type Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { pathTo } from '../../surface/resource-paths.ts';
import { backupUnit } from './backup-unit.ts';

const chain = [backupUnit] as Resource[];

export const backupUnitRoutes = ({ store }: Machinery): Route[] => [
  {
    method: 'GET',
    path: `${pathTo(chain)}/ssourl`,
    operation: 'backupunit_ssourl_get',
    summary: 'Get the sign-in URL of a backup unit',
    replySchema: always({ ssoUrl: textSchema }),
    resolve: (x) => resolve(store, x, chain, 'get'),
    call: (x) => json(200, { ssoUrl: `${x.base.split('/', 3).join('/')}/` }),
  },
];
