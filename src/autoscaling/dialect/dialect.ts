// The dialect of the auto scaling service: bodies wrap their properties, a PUT replaces, and every POST and PUT begins
// an action that clients poll instead of a request.
import { Fault } from '../../base/fault.ts';
import { draftOf, removalOf } from '../../core/operation/draft.ts';
import type { Accepted } from '../../core/operation/operation.ts';
import { type Draft, pathOf, type Resource, type Verb } from '../../core/resource.ts';
import type { Way } from '../../core/schema.ts';
import { stampsOf } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import { hrefOf } from '../../surface/core-dialect/envelope.ts';
import type { ReplyStatuses, WholeDialect } from '../../surface/dialect.ts';
import { type Exchange, json, type Parameter, type Reply } from '../../surface/http/exchange.ts';
import { renderPlatformFault } from '../../surface/http/payload.ts';
import { type Machinery, viewOf } from '../../surface/machinery.ts';
import { bodySchema, declaredSpelling, readSent } from './body.ts';
import {
  depthIn,
  depthParameter,
  inOrder,
  itemsOf,
  linkOf,
  scalingCollectionSchema,
  scalingSchema,
  servicePath,
  shownScaling,
} from './envelope.ts';
import { findScaling, rightsOf } from './find.ts';

const orders = ['createdDate', 'lastModifiedDate'] as const;

const orderParameter: Parameter = {
  name: 'orderBy',
  in: 'query',
  description: 'The property to sort by. Default: createdDate',
  schema: { enum: [...orders] },
};

export const autoscaling: WholeDialect = {
  name: 'autoscaling',
  failedCreation: 'remove',
  rootPlace: ({ root, plural }) => root + plural,
  collection: ({ plural }) => plural, // the prefix of the service names it
  wrapsPatch: true,
  summary: ({ plural, shown }, verb) =>
    verb === 'list' ? `List ${plural}` : `${words[verb]} ${shown.phrase ?? plural}`,
  parameters(resource, verb) {
    if (verb === 'list') return resource.parents.length > 0 ? [depthParameter] : [depthParameter, orderParameter];
    return verb === 'get' ? [depthParameter] : undefined;
  },
  statuses,
  bodySchema,
  replySchema(resource, verb) {
    if (verb === 'remove') return undefined;
    return verb === 'list' ? scalingCollectionSchema(resource) : scalingSchema(resource);
  },
  find: findScaling,
  shows: async (store, caller, _resource, top) => (await rightsOf(store, caller, top)).see,
  list: listCall,
  async get(machinery, resource, x) {
    const row = x.rows.at(-1) as Row;
    const depth = depthIn(x);
    return json(200, await shownScaling(await viewOf(machinery, x, pathOf(row)), resource, row, depth));
  },
  readBody(x) {
    x.body = declaredSpelling(x.body);
  },
  draft,
  reply,
  href: ({ base, prefix }, path) =>
    hrefOf(`${base.slice(0, base.length - prefix.length)}/autoscaling`, servicePath(path)),
  renderFault: (fault) => renderPlatformFault(fault),
};

const words: Record<Verb, string> = {
  list: 'List',
  get: 'Read',
  create: 'Create',
  replace: 'Replace',
  change: 'Change',
  remove: 'Delete',
};

function statuses(_resource: Resource, verb: Verb): ReplyStatuses {
  if (verb === 'list' || verb === 'get') return { replyStatus: 200 };
  return { replyStatus: 202, isPolled: true };
}

async function listCall(machinery: Machinery, resource: Resource, x: Exchange): Promise<Reply> {
  const above = x.rows.at(-1);
  const { contract } = x.who;
  const place = above ? `${pathOf(above)}/${resource.plural}` : resource.root + resource.plural;
  const depth = depthIn(x);
  const by = orderOf(x);
  const rows: Row[] = [];
  for (const row of await machinery.store.children(contract, place))
    if (above || (await rightsOf(machinery.store, x.who, row)).see) rows.push(row);
  if (by === 'lastModifiedDate') rows.sort((a, b) => (changed(a) < changed(b) ? -1 : 1));
  const view = await viewOf(machinery, x, above ? pathOf(above) : place);
  const items = await itemsOf(view, resource, inOrder(resource, rows), depth);
  const id = above ? `${above.id}/${resource.plural}` : resource.plural;
  return json(200, { id, type: 'collection', href: hrefOf(x.base, servicePath(place)), items });
}

const changed = (row: Row): string => stampsOf(row).lastModifiedDate;

function orderOf(x: Exchange): (typeof orders)[number] {
  const requested = x.search.get('orderBy') || 'createdDate';
  const by = orders.find((order) => order === requested);
  if (by) return by;
  const got = requested.slice(0, 40);
  throw new Fault('refused', `[(query).orderBy] Expected one of [${orders.join(', ')}], got '${got}'`, { code: '100' });
}

// The sent values are kept in the sealed part for the decision: they contain secrets that are never shown again.
function draft({ model }: Machinery, resource: Resource, way: Way | 'remove', x: Exchange): Draft {
  const caller = x.who;
  const before = way === 'create' ? undefined : (x.rows.at(-1) as Row);
  const parents = before ? x.rows.slice(0, -1) : x.rows;
  if (way === 'remove') return removalOf(resource, caller, parents, before as Row);
  const sent = readSent(resource, way, x.body);
  const draft = draftOf(model, { resource, way, caller, parents, before, sent, at: '(root)' });
  draft.sealed.sent = sent.properties ?? {};
  return draft;
}

async function reply(machinery: Machinery, x: Exchange, accepted: Accepted): Promise<Reply> {
  const { resource, way } = accepted.drafts[0] as Draft;
  const kept = accepted.shown[0] as Row;
  x.rows = [kept];
  if (way === 'remove') return { status: 202 };
  const row = { ...kept, version: way === 'create' ? 1 : kept.version + 1 };
  const view = await viewOf(machinery, x, pathOf(row));
  const shown = await shownScaling(view, resource, row, 1);
  // The actions that the call has started.
  const begun = accepted.drafts.flatMap((one, at) =>
    one.way === 'create' && one.resource.parents.includes(resource)
      ? [linkOf(view, one.resource, accepted.shown[at] as Row)]
      : [],
  );
  return json(202, begun.length > 0 ? { ...shown, startedActions: begun } : shown);
}
