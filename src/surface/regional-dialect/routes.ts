// What a resource declaration becomes in the regional dialect: list, get, create, replace (which creates what is not
// there), change where it is declared, and remove. Changes answer without a Location: their clients poll the thing.
import type { Values } from '../../base/json.ts';
import { decide, draftOf, removalOf } from '../../core/operation/draft.ts';
import type { Accepted } from '../../core/operation/operation.ts';
import { idClaim, placeIn } from '../../core/regional.ts';
import { type Draft, pathOf, type Resource, type Verb } from '../../core/resource.ts';
import type { Way } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { type Exchange, json, measured, type Reply, type Route } from '../http/exchange.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import { perform } from '../perform.ts';
import { redact } from '../redact.ts';
import { regionalBody, regionalBodySchema } from './body.ts';
import { regionalCollectionSchema, regionalSchema, shownRegional } from './envelope.ts';
import { findRegional } from './find.ts';
import { regionalList, regionalParameters } from './list.ts';

interface Regional {
  machinery: Machinery;
  resource: Resource;
  home: string; // the region that creations are for where none is named
  replySchema: Values;
}

const facts: Record<Verb, { method: string; word: string }> = {
  list: { method: 'GET', word: 'List' },
  get: { method: 'GET', word: 'Read' },
  create: { method: 'POST', word: 'Create' },
  replace: { method: 'PUT', word: 'Replace, or create under that id,' },
  change: { method: 'PATCH', word: 'Change' },
  remove: { method: 'DELETE', word: 'Delete' },
};

// `metadata`: the schemas of what its metadata has besides the usual.
export function regionalRoutes(machinery: Machinery, resource: Resource, home: string, metadata: Values = {}): Route[] {
  if (resource.parents.length > 0) throw new Error(`${resource.name} stands in something: no route leads there`);
  const replySchema = regionalSchema(resource, metadata);
  return resource.verbs.map((verb) => routeOf({ machinery, resource, home, replySchema }, verb));
}

function routeOf(regional: Regional, verb: Verb): Route {
  const { machinery, resource, replySchema } = regional;
  const { method, word } = facts[verb];
  const isOfOne = verb !== 'list' && verb !== 'create';
  const reads = verb === 'list' || verb === 'get';
  const sends = !reads && verb !== 'remove';
  return {
    method,
    path: `/${resource.plural}${isOfOne ? `/{${resource.name}Id}` : ''}`,
    operation: `${resource.name}_${verb}`,
    summary: `${word} ${verb === 'list' ? resource.plural : `a ${resource.type}`}`,
    takesBody: sends,
    ...(verb === 'list' && { parameters: regionalParameters }),
    ...(sends && { bodySchema: regionalBodySchema(resource, verb) }),
    ...(verb !== 'remove' && {
      replySchema: verb === 'list' ? regionalCollectionSchema(replySchema, true) : replySchema,
    }),
    ...statusesOf(resource, verb),
    ...(!reads && { isPolled: true }),
    resolve: (x) => findRegional(machinery.store, resource, x, verb),
    call: (x) => callOf(regional, verb, x),
  };
}

// A PUT may have to create, and may find its id taken.
function statusesOf({ change }: Resource, verb: Verb): Pick<Route, 'replyStatus' | 'otherStatus' | 'mayConflict'> {
  if (verb === 'list' || verb === 'get') return { replyStatus: 200 };
  if (verb === 'create' || verb === 'remove') return { replyStatus: 202 };
  if (change.length > 0) return { replyStatus: 202, mayConflict: true };
  return { replyStatus: 200, ...(verb === 'replace' && { otherStatus: 202, mayConflict: true }) };
}

function callOf({ machinery, resource, home }: Regional, verb: Verb, x: Exchange): Promise<Reply> {
  if (verb === 'list') return regionalList(machinery, resource, x);
  if (verb === 'get') return getCall(machinery, resource, x);
  return changeCall(machinery, resource, verb, home, x);
}

async function getCall(machinery: Machinery, resource: Resource, x: Exchange): Promise<Reply> {
  const row = x.rows[0] as Row;
  const { epoch } = x;
  const key = `${row.contract} ${row.place} ${x.base}${x.path}`;
  const known = epoch === undefined ? undefined : machinery.drawn.get(key, epoch);
  if (known) return known;
  const text = JSON.stringify(await shownRegional(await viewOf(machinery, x, pathOf(row)), resource, row));
  const reply = measured(text, []);
  if (epoch !== undefined) machinery.drawn.keep(key, epoch, reply);
  return reply;
}

async function changeCall(
  machinery: Machinery,
  resource: Resource,
  way: Way | 'remove',
  home: string,
  x: Exchange,
): Promise<Reply> {
  const sentBody = way === 'remove' ? '' : redact(machinery.model, resource, x, way === 'change' ? 'replace' : way);
  const accepted = await perform(machinery, x, {
    sentBody,
    draft: () => draftFor(machinery, resource, way, home, x),
    decide: async (draft) => {
      await decide(machinery.model, draft);
      if (draft.way === 'create') draft.holds.claims.push(idClaim(resource, draft.id));
    },
  });
  return way === 'remove' ? { status: 202 } : changeReply(machinery, x, accepted);
}

function draftFor({ model }: Machinery, resource: Resource, asked: Way | 'remove', home: string, x: Exchange): Draft {
  const caller = x.who;
  const before = x.rows[0];
  if (asked === 'remove') return removalOf(resource, caller, [], before as Row);
  const [given = ''] = x.params; // none with a POST
  const way = before ? asked : 'create';
  const sent = regionalBody(x.body, asked, given);
  const at = way === 'change' ? '(root).properties' : '(root)'; // in this dialect a PATCH is wrapped too
  const place = before?.place ?? placeIn(resource, x.region ?? home);
  const draft = draftOf(model, { resource, way, caller, parents: [], before, place, sent, at });
  if (!before) draft.id = given;
  return draft;
}

async function changeReply(machinery: Machinery, x: Exchange, accepted: Accepted): Promise<Reply> {
  const { isPending } = accepted;
  const { resource, way, once } = accepted.drafts[0] as Draft;
  const kept = accepted.shown[0] as Row;
  const row = { ...kept, state: isPending ? 'CHANGING' : kept.state };
  const shown = await shownRegional(await viewOf(machinery, x, pathOf(row)), resource, row, once);
  const headers = once && ['Cache-Control', 'no-store'];
  return json(way === 'create' || isPending ? 202 : 200, JSON.stringify(shown), headers);
}
