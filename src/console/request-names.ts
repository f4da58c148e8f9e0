// GET /console/request-names?ids=… returns the names of the resources of requests, for lists that have only ids.
// Requests store the names. For older requests, administrators get the current names.
import type { Values } from '../base/json.ts';
import { isAdmin } from '../core/access.ts';
import { nameIn } from '../core/display-name.ts';
import { requestHidden, requestPlace, showsRequest, type Target } from '../core/operation/request.ts';
import { shownPath } from '../core/resource.ts';
import type { Store } from '../core/store.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';

const maxRequests = 200;

export const requestNamesRoute = (store: Store): Route => ({
  method: 'GET',
  path: '/request-names',
  operation: 'webconsole_requestnames',
  summary: 'Names of the resources of requests',
  unaudited: true,
  call: (x) => requestNames(store, x),
});

async function requestNames(store: Store, x: Exchange): Promise<Reply> {
  const { contract } = x.who;
  const ids = new Set((x.search.get('ids') ?? '').split(',').filter(Boolean).slice(0, maxRequests));
  const named = await Promise.all(
    [...ids].map(async (id) => {
      const row = await store.get(contract, requestPlace, id, 'request');
      const targets = row && showsRequest(x.who, row) ? requestHidden(row).targets : [];
      const names = await Promise.all(
        targets.map(async (target) => [idOf(target), target.name ?? (await currentName(store, x, target))] as const),
      );
      return [id, Object.fromEntries(names.filter(([, name]) => name !== undefined))] as const;
    }),
  );
  return json(200, { names: Object.fromEntries(named) }, ['Cache-Control', 'no-store']);
}

const idOf = ({ path }: Target): string => shownPath(path).slice(shownPath(path).lastIndexOf('/') + 1);

async function currentName(store: Store, { who }: Exchange, { path }: Target): Promise<string | undefined> {
  const row = isAdmin(who) ? await store.at(who.contract, path) : undefined;
  return row && row.body !== '' ? nameIn(JSON.parse(row.body) as Values) : undefined;
}
