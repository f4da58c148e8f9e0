// The regional dialect: bodies always wrap the properties, a PUT creates what is not there, and changes answer without
// a Location, because clients poll the resource itself.
import { decide, draftOf, removalOf, takenId } from '../../core/operation/draft.ts';
import type { Accepted } from '../../core/operation/operation.ts';
import { idClaim, regionalPath } from '../../core/regional.ts';
import { type Draft, pathOf, type Resource, type Verb } from '../../core/resource.ts';
import type { Way } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { hrefOf } from '../core-dialect/envelope.ts';
import type { ReplyStatuses, SurfaceDialect } from '../dialect.ts';
import { type Exchange, json, measured, type Reply } from '../http/exchange.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import { regionalBody, regionalBodySchema, renderRegionalFault } from './body.ts';
import { regionalCollectionSchema, regionalSchema, shownRegional } from './envelope.ts';
import { findRegional, showsRegional } from './find.ts';
import { regionalList, regionalParameters } from './list.ts';

export const regionalDialect: SurfaceDialect = {
  wrapsPatch: true,
  summary: (resource, verb) => `${words[verb]} ${verb === 'list' ? resource.plural : `a ${resource.shown.type}`}`,
  parameters: (_resource, verb) => (verb === 'list' ? regionalParameters : undefined),
  statuses,
  bodySchema: regionalBodySchema,
  replySchema(resource, verb) {
    if (verb === 'remove') return undefined;
    const schema = regionalSchema(resource, resource.noted?.schema);
    return verb === 'list' ? regionalCollectionSchema(schema, true) : schema;
  },
  find: findRegional,
  shows: (_store, caller, resource, top) => showsRegional(caller, resource, top),
  list: regionalList,
  get: getCall,
  draft,
  async decide({ model, store }, draft) {
    const { resource, caller, parents, way } = draft;
    const isTop = way === 'create' && parents.length === 0;
    if (isTop && caller.copies && (await store.claimed(idClaim(resource, draft.id)))) throw takenId(draft);
    await decide(model, draft);
    if (isTop) draft.reservations.claims.push(idClaim(resource, draft.id));
  },
  reply,
  href: ({ base, prefix }, path) => hrefOf(base.slice(0, base.length - prefix.length), regionalPath(path)),
  renderFault: renderRegionalFault,
};

const words: Record<Verb, string> = {
  list: 'List',
  get: 'Read',
  create: 'Create',
  replace: 'Replace, or create under that id,',
  change: 'Change',
  remove: 'Delete',
};

function statuses(resource: Resource, verb: Verb): ReplyStatuses {
  const replyStatus = statusOf(resource, verb);
  if (verb === 'list' || verb === 'get') return { replyStatus };
  const created = statusOf(resource, 'create'); // by a PUT that finds nothing under the id
  return {
    replyStatus,
    ...(verb === 'replace' && created !== replyStatus && { otherStatus: created }),
    isPolled: true,
    ...(conflicts(resource, verb) && { mayConflict: true }),
  };
}

function statusOf({ lifecycle: { replies, change } }: Resource, verb: Verb): number {
  const isQuick =
    verb === 'list' || verb === 'get' || (change.length === 0 && (verb === 'replace' || verb === 'change'));
  return replies?.[verb] ?? (isQuick ? 200 : 202);
}

// With another one of its name, with what is under way in what it is in or on itself, or with the id's owner.
function conflicts({ parents, lifecycle: { unique, change } }: Resource, verb: Verb): boolean {
  if (parents.length > 0 || verb === 'replace') return true;
  return (verb === 'create' && unique === true) || (verb === 'change' && change.length > 0);
}

async function getCall(machinery: Machinery, resource: Resource, x: Exchange): Promise<Reply> {
  const row = x.rows.at(-1) as Row;
  const { epoch } = x;
  const key = `${row.contract} ${row.place} ${x.base}${x.path}`;
  const known = epoch === undefined ? undefined : machinery.drawn.get(key, epoch);
  if (known) return known;
  const text = JSON.stringify(await shownRegional(await viewOf(machinery, x, pathOf(row)), resource, row));
  const reply = measured(text, []);
  if (epoch !== undefined) machinery.drawn.keep(key, epoch, reply);
  return reply;
}

function draft({ model, regions }: Machinery, resource: Resource, requested: Way | 'remove', x: Exchange): Draft {
  const caller = x.who;
  const last = x.rows.at(-1);
  const before = last?.kind === resource.name ? last : undefined; // absent: a PUT creates it
  const parents = before ? x.rows.slice(0, -1) : x.rows;
  if (requested === 'remove') return removalOf(resource, caller, parents, before as Row);
  const given = requested === 'create' ? '' : (x.params.at(-1) ?? '');
  const way = before ? requested : 'create';
  const sent = regionalBody(x.body, requested, given, caller);
  const at = way === 'change' ? '(root).properties' : '(root)';
  const place = parents.length > 0 ? undefined : resource.dialect.rootPlace(resource, x.region ?? regions.home);
  const draft = draftOf(model, { resource, way, caller, parents, before, place: before?.place ?? place, sent, at });
  if (!before && given !== '') draft.id = given;
  return draft;
}

async function reply(machinery: Machinery, x: Exchange, accepted: Accepted): Promise<Reply> {
  const { isPending } = accepted;
  const { resource, way, once } = accepted.drafts[0] as Draft;
  if (way === 'remove') return json(202, {}); // certbot's plugin parses it
  const kept = accepted.shown[0] as Row;
  const row = { ...kept, state: isPending ? 'CHANGING' : kept.state };
  const shown = await shownRegional(await viewOf(machinery, x, pathOf(row)), resource, row, once);
  const headers = once && ['Cache-Control', 'no-store'];
  const declared =
    resource.lifecycle.replies?.[way === 'create' ? 'create' : x.method === 'PUT' ? 'replace' : 'change'];
  return json(declared ?? (way === 'create' || isPending ? 202 : 200), JSON.stringify(shown), headers);
}
