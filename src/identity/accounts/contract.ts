// GET /contracts: the contract with its limits and usage; all 25 figures are always present.

import type { Bounds } from '../../core/operation/reservations.ts';
import type { Store } from '../../core/store.ts';
import { always, collectionOf, textSchema, wholeSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import { contractPlace } from './accounts.ts';
import { boundOf, counted, defaultLimits, type Limits } from './limits.ts';

export function contractRoute(store: Store): Route {
  return {
    method: 'GET',
    path: '/contracts',
    operation: 'contract_list',
    summary: 'Read the contract, its limits and its usage',
    replySchema: collectionOf(contractSchema, false),
    call: (x) => listed(store, x),
  };
}

const contractSchema = always({
  type: { const: 'contract' },
  properties: always({
    contractNumber: wholeSchema,
    owner: textSchema,
    status: textSchema,
    regDomain: textSchema,
    resourceLimits: { type: 'object', additionalProperties: { type: 'integer' } },
  }),
});

async function listed(store: Store, x: Exchange): Promise<Reply> {
  const { contract } = x.who;
  const row = await store.get(0, contractPlace, String(contract));
  const properties = JSON.parse(row?.body ?? '{}') as object;
  const resourceLimits = await limitFigures(store, contract);
  const item = { type: 'contract', properties: { ...properties, resourceLimits } };
  return json(200, { id: 'contracts', type: 'collection', href: `${x.base}/contracts`, items: [item] });
}

async function limitFigures(store: Store, contract: number): Promise<Record<string, number>> {
  const limits = await limitsOf(store, contract);
  const counters = await store.engine.counters(contract, Object.keys(counted));
  const used = Object.fromEntries(Object.keys(counted).map((name) => [name, counters.get(name) ?? 0]));
  const shown = Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, limits[name as keyof Limits] ?? 0]));
  return { ...shown, ...used };
}

async function limitsOf(store: Store, contract: number): Promise<Limits> {
  const row = await store.get(0, contractPlace, String(contract));
  const { limits } = JSON.parse(row?.hidden || '{}') as { limits?: Limits };
  return { ...defaultLimits, ...limits };
}

export interface CachedLimits {
  limits(contract: number): Promise<Limits>;
  bounds(contract: number): Promise<Bounds>;
}

// Limits are read with every change and change seldom: cached until the identity epoch moves.
export function cachedLimits(store: Store): CachedLimits {
  let epoch = -1;
  const known = new Map<number, { limits: Limits; bounds: Bounds }>();
  const learn = async (contract: number) => {
    const epochBefore = store.identityEpoch;
    const limits = await limitsOf(store, contract);
    const found = { limits, bounds: (counter: string) => boundOf(limits, counter) };
    if (epochBefore === epoch) known.set(contract, found);
    return found;
  };
  const find = (contract: number) => {
    if (epoch !== store.identityEpoch) known.clear();
    epoch = store.identityEpoch;
    return known.get(contract) ?? learn(contract);
  };
  return {
    limits: async (contract) => (await find(contract)).limits,
    bounds: async (contract) => (await find(contract)).bounds,
  };
}
