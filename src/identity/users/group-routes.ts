// Routes of groups that are not resources: members, shares, and lists of groups, owned and shareable resources.

import { Fault } from '../../base/fault.ts';
import { isObject, type Json } from '../../base/json.ts';
import { isAdmin } from '../../core/access.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { hiddenText, removalWrites } from '../../core/operation/operation.ts';
import { targetOf } from '../../core/operation/request.ts';
import { linkWrites, noReservations, reserveWrites } from '../../core/operation/reservations.ts';
import { pathOf, type Resource } from '../../core/resource.ts';
import { check } from '../../core/schema.ts';
import { type Key, type Row, rowOf, type Write } from '../../core/state/engine.ts';
import { applyChange, withRequest } from '../../surface/change.ts';
import { sentOf } from '../../surface/core-dialect/body.ts';
import { escapedHref, many, one } from '../../surface/core-dialect/envelope.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { depthOf, depthParameter } from '../../surface/core-dialect/query.ts';
import { requestLocation } from '../../surface/core-dialect/reply.ts';
import { bodySchema, collectionSchema, pathParameter, resourceSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import { type Machinery, viewOf } from '../../surface/machinery.ts';
import { share } from './share.ts';
import { asOwned, findShareable, owned, ownedBy, shareable } from './shareable.ts';
import { group, groupsOf, membersOf, sharedRows, sharesOf, user } from './users-and-groups.ts';

const isSent = (method: string): boolean => method === 'POST' || method === 'PUT';
const reference: Json = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };

export function groupRoutes(machinery: Machinery): Route[] {
  const { store, model } = machinery;
  const seek = (x: Exchange, resource: Resource, change = false): void | Promise<void> =>
    resolve(store, x, [resource], change ? 'create' : 'get');
  const listRoute = (
    path: string,
    operation: string,
    of: Resource,
    from: Resource,
    rows: (row: Row) => Row[] | Promise<Row[]>,
  ): Route => ({
    method: 'GET',
    path,
    operation,
    summary: `List the ${of.plural} of a ${from.name}`,
    parameters: [depthParameter],
    replySchema: collectionSchema(of),
    resolve: (x) => seek(x, from),
    call: async (x) => collection(machinery, x, of, await rows(x.rows[0] as Row)),
  });
  const shareRoute = (method: string, operation: string, call: (x: Exchange) => Promise<Reply>): Route => ({
    method,
    path: '/um/groups/{groupId}/shares/{resourceId}',
    operation,
    summary: `${operation.split('_')[1]} a share of a resource with a group`,
    takesBody: isSent(method),
    ...(isSent(method) && { bodySchema: bodySchema(share, 'create') }),
    parameters: method === 'DELETE' ? [] : [depthParameter],
    ...(method !== 'DELETE' && { replySchema: resourceSchema(share) }),
    replyStatus: method === 'GET' ? 200 : 202,
    resolve: async (x) => {
      await seek(x, group, method !== 'GET');
      if (isSent(method)) await demandShareable(machinery, x);
    },
    call,
  });
  return [
    listRoute('/um/groups/{groupId}/users', 'group_users_list', user, group, (row) => membersOf(row, store)),
    listRoute('/um/groups/{groupId}/shares', 'group_shares_list', share, group, (row) => sharesOf(row, store)),
    listRoute('/um/groups/{groupId}/resources', 'group_resources_list', owned, group, (row) =>
      sharedRows(row, store, model.all()),
    ),
    listRoute('/um/users/{userId}/groups', 'user_groups_list', group, user, (row) => groupsOf(row, store)),
    listRoute('/um/users/{userId}/owns', 'user_owns_list', owned, user, (row) =>
      ownedBy(store, model.all(), row.contract, row.id),
    ),
    {
      method: 'POST',
      path: '/um/groups/{groupId}/users',
      operation: 'group_users_add',
      summary: 'Add a user to a group',
      adminOnly: true,
      takesBody: true,
      bodySchema: reference,
      replySchema: resourceSchema(user),
      replyStatus: 202,
      resolve: (x) => seek(x, group, true),
      call: (x) => addMember(machinery, x),
    },
    {
      method: 'GET',
      path: '/um/groups/{groupId}/users/{userId}',
      operation: 'group_users_get',
      summary: 'Read a member of a group; after a removal, clients poll until it is missing',
      parameters: [depthParameter],
      replySchema: resourceSchema(user),
      resolve: (x) => seek(x, group),
      call: (x) => getMember(machinery, x),
    },
    {
      method: 'DELETE',
      path: '/um/groups/{groupId}/users/{userId}',
      operation: 'group_users_remove',
      summary: 'Remove a user from a group',
      adminOnly: true,
      replyStatus: 202,
      resolve: (x) => seek(x, group, true),
      call: (x) => removeMember(machinery, x),
    },
    shareRoute('GET', 'share_get', async (x) =>
      json(200, await one(await viewOf(machinery, x, 'um'), share, await foundShare(machinery, x), depthOf(x))),
    ),
    shareRoute('POST', 'share_create', (x) => putShare(machinery, x, true)),
    shareRoute('PUT', 'share_replace', (x) => putShare(machinery, x, false)),
    shareRoute('DELETE', 'share_remove', (x) => removeShare(machinery, x)),
    ...resourceRoutes(machinery),
  ];
}

async function collection(machinery: Machinery, x: Exchange, of: Resource, rows: Row[]): Promise<Reply> {
  const name = x.path.slice(x.path.lastIndexOf('/') + 1);
  const [above] = x.params;
  const at = {
    id: above === undefined || above === name ? name : `${above}/${name}`,
    href: escapedHref(x.base, x.path.slice(1)),
  };
  return json(200, await many(await viewOf(machinery, x, 'um'), of, rows, depthOf(x), at));
}

async function addMember(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { store, now } = machinery;
  const id = isObject(x.body) ? x.body.id : undefined;
  if (typeof id !== 'string') throw new Fault('refused', '[(root).id] Attribute is required');
  const depth = depthOf(x);
  const joined = await store.change(async () => {
    await x.route?.resolve?.(x);
    const row = await store.get(x.who.contract, 'um/users', id);
    if (!row || row.state === 'DELETING')
      throw new Fault('refused', `[(root).id] User ${id.slice(0, 40)} does not exist in this contract`, {
        code: '100',
      });
    const groupRow = x.rows[0] as Row;
    const groupPath = pathOf(groupRow);
    const isMember = (await store.linked(row.contract, groupPath, '>', 'member')).includes(pathOf(row));
    const links = linkWrites(row.contract, groupPath, ['member', pathOf(row)], 'insert');
    const writes = isMember ? [] : [touch(groupRow), touch(row), ...links];
    const targets = [targetOf(groupRow, 'sec.group.addUser')];
    const change = { writes, targets, sentBody: JSON.stringify({ id }) };
    return { writes: withRequest(x, change, now()), value: row };
  }, `group ${x.params[0]}`);
  return json(202, await one(await viewOf(machinery, x, 'um'), user, joined, depth), requestLocation(x));
}

async function getMember(machinery: Machinery, x: Exchange): Promise<Reply> {
  const row = (await membersOf(x.rows[0] as Row, machinery.store)).find(({ id }) => id === x.params[1]);
  if (!row) throw missingResource({ name: 'user' }, x.params[1] ?? '');
  return json(200, await one(await viewOf(machinery, x, 'um'), user, row, depthOf(x)));
}

async function removeMember(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { store, now } = machinery;
  const groupRow = x.rows[0] as Row;
  const groupPath = pathOf(groupRow);
  const member = `um/users/${x.params[1]}`;
  if (!(await store.linked(x.who.contract, groupPath, '>', 'member')).includes(member))
    throw missingResource({ name: 'user' }, x.params[1] ?? '');
  await applyChange(store, () => {
    const writes = linkWrites(x.who.contract, groupPath, ['member', member], 'remove');
    return withRequest(x, { writes, targets: [targetOf(groupRow, 'sec.group.removeUser')] }, now());
  });
  return { status: 202, headers: requestLocation(x) };
}

// Raises the versions of group and user, so that a concurrent removal, which removes the links it has read, starts
// over.
const touch = (row: Row): Write => ({ op: 'update', table: 'resource', row });

// The link deletes the share together with the shared resource.
const sharedLink = (target: Row): [string, string] => ['of:shared', pathOf(target)];
const keyOf = ({ contract, place, id }: Row): Key => ({ contract, place, id });

const sharePlace = (x: Exchange): string => `${pathOf(x.rows[0] as Row)}/shares`;

async function foundShare({ store }: Machinery, x: Exchange): Promise<Row> {
  const row = await store.get(x.who.contract, sharePlace(x), x.params[1] ?? '');
  if (!row) throw missingResource({ name: 'share' }, x.params[1] ?? '');
  return row;
}

// The creator of a resource may share it, and users with that right; administrators may share everything.
async function demandShareable({ store, model }: Machinery, x: Exchange): Promise<Row> {
  const row = await findShareable(store, model.all(), x.who.contract, x.params[1] ?? '');
  const { who } = x;
  if (!row || row.state === 'DELETING') throw missingResource({ name: 'resource' }, x.params[1] ?? '');
  if (!isAdmin(who) && row.owner !== who.user && who.shares.get(row.id)?.share !== true)
    throw new Fault('forbidden', 'You may not share this resource.');
  return row;
}

async function putShare(machinery: Machinery, x: Exchange, create: boolean): Promise<Reply> {
  const { store, now } = machinery;
  const depth = depthOf(x);
  const { id: targetId } = await demandShareable(machinery, x);
  const { properties = {} } = sentOf(x.body, create ? 'create' : 'replace');
  const checked = check(share.properties, properties, 'create', '(root).properties');
  if (checked.problems.length)
    throw new Fault('refused', 'The request body is not acceptable.', { problems: checked.problems });
  const text = JSON.stringify(checked.values);
  let shown = rowOf({
    contract: x.who.contract,
    place: sharePlace(x),
    id: targetId,
    kind: 'share',
    state: 'AVAILABLE',
  });
  await applyChange(store, async () => {
    await x.route?.resolve?.(x);
    const target = await demandShareable(machinery, x);
    const { contract, place, id, version } = x.rows[0] as Row;
    const before = await store.get(x.who.contract, sharePlace(x), target.id);
    if (before && create)
      throw new Fault('refused', 'The resource is shared with this group already.', { code: '200' });
    if (!before && !create) throw missingResource({ name: 'share' }, x.params[1] ?? '');
    shown = { ...(before ?? shown), time: before?.time ?? now(), owner: x.who.user, body: text };
    const holds = { ...noReservations(), links: [sharedLink(target)] };
    if (!before) shown.hidden = hiddenText({}, holds);
    const writes: Write[] = [
      { op: 'guard', table: 'resource', key: { contract, place, id }, version },
      { op: 'guard', table: 'resource', key: keyOf(target), version: target.version },
      { op: before ? 'update' : 'insert', table: 'resource', row: shown },
      ...(before ? [] : reserveWrites(shown, noReservations(), holds, () => undefined)),
    ];
    const targets = [{ kind: 'share', path: pathOf(shown), action: `sec.share.${create ? 'create' : 'update'}` }];
    return withRequest(x, { writes, targets, sentBody: JSON.stringify({ properties: checked.values }) }, now());
  });
  return json(202, await one(await viewOf(machinery, x, 'um'), share, shown, depth), requestLocation(x));
}

async function removeShare(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { store, now } = machinery;
  await foundShare(machinery, x);
  await demandShareable(machinery, x).catch((error: unknown) => {
    if (!(error instanceof Fault && error.kind === 'missing' && isAdmin(x.who))) throw error;
  });
  await applyChange(store, async () => {
    const row = await foundShare(machinery, x);
    const targets = [{ kind: 'share', path: pathOf(row), action: 'sec.share.delete' }];
    return withRequest(x, { writes: removalWrites(share, row, now()), targets }, now());
  });
  return { status: 202, headers: requestLocation(x) };
}

function resourceRoutes(machinery: Machinery): Route[] {
  const { store, model } = machinery;
  const places = shareable(model.all());
  const words = Object.keys(places);
  const rowsOf = async (x: Exchange, types: string[]): Promise<Row[]> => {
    const rows: Row[] = [];
    for (const type of types)
      for await (const row of store.each({ contract: x.who.contract, place: places[type] ?? '' }))
        rows.push(asOwned(row));
    return rows;
  };
  const known = (x: Exchange): string => {
    const [type = ''] = x.params;
    if (!Object.hasOwn(places, type))
      throw new Fault('missing', `Type ${type.slice(0, 40)} does not exist. Known types: ${words.join(', ')}`);
    return type;
  };
  const common = { method: 'GET', adminOnly: true, parameters: [depthParameter] };
  const type = pathParameter('resourceType', `One of ${words.join(', ')}`, 'datacenter');
  const typed = { ...common, parameters: [type, depthParameter] };
  return [
    {
      ...common,
      path: '/um/resources',
      operation: 'resource_list',
      summary: 'List all resources that can be shared',
      replySchema: collectionSchema(owned),
      call: async (x) => collection(machinery, x, owned, await rowsOf(x, words)),
    },
    {
      ...typed,
      path: '/um/resources/{resourceType}',
      operation: 'resource_listByType',
      summary: 'List the resources of one type that can be shared',
      replySchema: collectionSchema(owned),
      call: async (x) => collection(machinery, x, owned, await rowsOf(x, [known(x)])),
    },
    {
      ...typed,
      path: '/um/resources/{resourceType}/{resourceId}',
      operation: 'resource_get',
      summary: 'Read a resource that can be shared',
      replySchema: resourceSchema(owned),
      call: async (x) => {
        const row = await store.get(x.who.contract, places[known(x)] ?? '', x.params[1] ?? '');
        if (!row) throw missingResource({ name: 'resource' }, x.params[1] ?? '');
        return json(200, await one(await viewOf(machinery, x, 'um'), owned, asOwned(row), depthOf(x)));
      },
    },
  ];
}
