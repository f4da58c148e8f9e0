// NICs of a classic load balancer: named at its creation, or added and removed later. Balancer and NIC are always
// written together, so that a concurrent removal of either is decided again.
import { Fault, type Problem } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { changeOf, decide, draftOf } from '../../core/operation/draft.ts';
import { type DecisionContext, type Draft, pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { sentOf } from '../../surface/core-dialect/body.ts';
import { memberOf } from '../../surface/core-dialect/entity-routes.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { depthParameter } from '../../surface/core-dialect/query.ts';
import { changeReply, requestLocation } from '../../surface/core-dialect/reply.ts';
import { bodySchema, resourceSchema } from '../../surface/docs/openapi.ts';
import type { Exchange, Reply, Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { perform } from '../../surface/perform.ts';
import { datacenter } from '../datacenter.ts';
import { referenceOf, referenceSchema } from '../server/server-routes.ts';
import type { ComputeTools } from '../tools.ts';
import { requireLan } from './lan-membership.ts';
import {
  balancedBy,
  balancedNics,
  enterLan,
  lanOf,
  leaveLan,
  loadBalancer,
  requireAvailable,
  unlink,
} from './loadbalancer.ts';

const place = '/datacenters/{datacenterId}/loadbalancers';
const path = `${place}/{loadbalancerId}/balancednics`;
const chain = [datacenter, loadBalancer];

export function balancedNicRoutes(machinery: Machinery): Route[] {
  const { store, model } = machinery;
  const balancer = model.get('loadbalancer');
  return [
    {
      method: 'POST',
      path: place,
      operation: 'loadbalancer_create',
      summary: 'Create a loadbalancer with balanced NICs',
      takesBody: true,
      parameters: [depthParameter],
      bodySchema: createSchema(bodySchema(balancer, 'create')),
      replySchema: resourceSchema(balancer),
      replyStatus: 202,
      resolve: (x) => resolve(store, x, [datacenter], 'create'),
      call: (x) => createCall(machinery, x),
    },
    {
      method: 'POST',
      path,
      operation: 'loadbalancer_balancednics_add',
      summary: 'Add a NIC to a load balancer, by its ID',
      takesBody: true,
      parameters: [depthParameter],
      bodySchema: referenceSchema,
      replySchema: resourceSchema(model.get('nic')),
      replyStatus: 202,
      resolve: (x) => resolve(store, x, chain, 'create'),
      call: (x) => addCall(machinery, x),
    },
    {
      method: 'DELETE',
      path: `${path}/{nicId}`,
      operation: 'loadbalancer_balancednics_remove',
      summary: 'Remove a NIC from a load balancer. The server keeps the NIC',
      replyStatus: 202,
      resolve: (x) => resolve(store, x, chain, 'create'),
      call: (x) => removeCall(machinery, x),
    },
  ];
}

const createSchema = (body: Values): Values => ({
  ...body,
  properties: {
    ...(body.properties as Values),
    entities: {
      type: ['object', 'null'],
      description: 'The balanced NICs, as `{ balancednics: { items: [{ id }] } }`',
    },
  },
});

async function createCall(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { model, store } = machinery;
  const resource = model.get('loadbalancer');
  const draft = (): Draft => {
    const { id, properties, entities } = sentOf(x.body, 'create', x.who);
    const { rest } = referencesIn(entities);
    const input = { resource, way: 'create' as const, caller: x.who, parents: x.rows };
    return draftOf(model, { ...input, sent: { id, properties, entities: rest }, at: '(root)' });
  };
  const decideAll = async (draft: Draft): Promise<void> => {
    await decide(model, draft);
    const { ids } = referencesIn(sentOf(x.body, 'create', x.who).entities);
    for (const [index, id] of ids.entries()) {
      const row = await nicIn(store, x.rows[0] as Row, id);
      const at = `(root).entities.balancednics.items.[${index}].id`;
      if (!row) throw refusedAt(at, `NIC ${id.slice(0, 40)} does not exist in this datacenter`);
      draft.related.push(await balance(machinery, draft, row, index === 0, at));
    }
  };
  return changeReply(machinery, x, await perform(machinery, x, { sentBody: x.text, draft, decide: decideAll }));
}

// The ids of NICs in the body of a creation, and the rest of its entities.
function referencesIn(entities: Json | undefined): { ids: string[]; rest: Json | undefined } {
  if (!isObject(entities) || entities.balancednics === undefined) return { ids: [], rest: entities };
  const { balancednics, ...rest } = entities;
  const at = '(root).entities.balancednics.items';
  const items = isObject(balancednics) ? (balancednics.items ?? []) : null;
  if (!Array.isArray(items)) throw refusedAt(at, 'A list is expected', '100');
  const problems: Problem[] = [];
  const ids = items.map((item, index) => {
    const id = isObject(item) ? item.id : undefined;
    if (typeof id !== 'string') problems.push({ code: '100', message: `[${at}.[${index}].id] Attribute is required` });
    for (const key of isObject(item) ? Object.keys(item) : [])
      if (key !== 'id')
        problems.push({
          code: '107',
          message: `[${at}.[${index}].${key}] Attribute not allowed in resource reference`,
        });
    return String(id);
  });
  const seen = new Set<string>();
  const twice = ids.findIndex((id) => seen.size === seen.add(id).size);
  if (twice >= 0) problems.push({ code: '100', message: `[${at}.[${twice}].id] The NIC is in the list twice` });
  if (problems.length > 0) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  return { ids, rest };
}

async function addCall(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { store } = machinery;
  const draft = async (): Promise<Draft> => {
    const [top, row] = x.rows as [Row, Row];
    const nic = await nicIn(store, top, referenceOf(x.body));
    if (!nic) throw missingResource({ name: 'NIC' }, referenceOf(x.body));
    const balancer = changeOf(machinery.model.get('loadbalancer'), x.who, [top], row, 'balance');
    const isFirst = (await balancedNics(row, store)).length === 0;
    const draft = await balance(machinery, balancer, nic, isFirst, '(root).id');
    draft.related.push(balancer);
    draft.lockPath = `${pathOf(row)}/balancednics/${nic.id}`;
    return draft;
  };
  const decide = (): void => undefined; // drafted during the decision
  return changeReply(machinery, x, await perform(machinery, x, { sentBody: x.text, draft, decide }));
}

async function removeCall(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { store, model } = machinery;
  const entity = loadBalancer.entities[0] as (typeof loadBalancer.entities)[number];
  const draft = async (): Promise<Draft> => {
    const nic = await memberOf(machinery, x, entity);
    requireAvailable(nic);
    return changeOf(model.get('nic'), x.who, x.rows.slice(0, 1), nic, 'unbalance');
  };
  const decide = async (draft: Draft): Promise<void> => {
    const [top, row] = x.rows as [Row, Row];
    unlink(draft);
    const balancer = changeOf(model.get('loadbalancer'), x.who, [top], row, 'unbalance');
    if ((await balancedNics(row, store)).length === 1) leaveLan(balancer);
    draft.related.push(balancer);
    draft.lockPath = `${pathOf(row)}/balancednics/${draft.id}`;
  };
  await perform(machinery, x, { sentBody: '', draft, decide });
  return { status: 202, headers: requestLocation(x) };
}

// The change of the NIC. The first NIC determines the LAN of the balancer.
async function balance(
  { store, model }: Machinery,
  balancer: Draft,
  row: Row,
  isFirst: boolean,
  at: string,
): Promise<Draft> {
  if (await store.creating(row.contract, pathOf(row)))
    throw refusedAt(at, `NIC ${row.id} is not ready. Wait until its request is DONE`);
  requireAvailable(row);
  const draft = changeOf(model.get('nic'), balancer.caller, balancer.parents, row, 'balance');
  const other = draft.reservations.links
    .find(([role]) => role === balancedBy)?.[1]
    .split('/')
    .at(-1);
  if (other !== undefined) throw refusedAt(at, `NIC ${row.id} is already balanced by load balancer ${other}`);
  const lan = Number(draft.values.lan);
  if (isFirst) {
    const context = model.context(balancer.resource) as DecisionContext<ComputeTools>;
    await enterLan(balancer, context, await requireLan(balancer, context, lan, 'id'));
  } else if (lan !== lanOf(balancer))
    throw refusedAt(at, `NIC ${row.id} is in LAN ${lan}, but the load balancer is in LAN ${lanOf(balancer)}`);
  draft.reservations.links.push([balancedBy, pathOf(balancer)]);
  return draft;
}

// Finds the server of a NIC through the LANs of the datacenter, each of which links to its NICs.
async function nicIn(store: Store, { contract, place: above, id }: Row, nicId: string): Promise<Row | undefined> {
  if (!isUuid(nicId)) return undefined;
  const lans = `${pathOf({ place: above, id })}/lans/`;
  for await (const link of store.each({ contract, below: lans }, 'link')) {
    if (!link.id.endsWith(`/nics/${nicId}`)) continue;
    const row = await store.at(contract, link.id);
    return row?.state === 'DELETING' ? undefined : row;
  }
  return undefined;
}

const refusedAt = (at: string, message: string, code = '200'): Fault =>
  new Fault('refused', `[${at}] ${message}`, { code });
