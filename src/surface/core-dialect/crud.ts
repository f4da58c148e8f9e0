// What a resource declaration becomes in the core dialect: list, get, create, replace, change and remove, each a
// route. Nothing here knows a product.
import type { Model } from '../../core/model.ts';
import { draftOf, removalOf } from '../../core/operation/draft.ts';
import { type Draft, hasSecrets, pathOf, type Resource, type Verb } from '../../core/resource.ts';
import type { Way } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { bodySchema, collectionSchema, resourceSchema } from '../docs/openapi.ts';
import { entityTag } from '../entity-tag.ts';
import { type Exchange, measured, type Parameter, type Reply, type Route } from '../http/exchange.ts';
import { piecesOf } from '../http/streams.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import { perform } from '../perform.ts';
import { redact } from '../redact.ts';
import { readSent } from './body.ts';
import { drawOne, one } from './envelope.ts';
import { resolve } from './find.ts';
import { listCall } from './list.ts';
import { depthOf, depthParameter, listParameters, truth } from './query.ts';
import { changeReply } from './reply.ts';
import type { Canvas } from './sliced-rendering.ts';

const methods: Record<Verb, string> = {
  list: 'GET',
  get: 'GET',
  create: 'POST',
  replace: 'PUT',
  change: 'PATCH',
  remove: 'DELETE',
};

const words: Record<Verb, string> = {
  list: 'List',
  get: 'Read',
  create: 'Create',
  replace: 'Replace',
  change: 'Change',
  remove: 'Delete',
};

export function routesOf(machinery: Machinery, resources: readonly Resource[]): Route[] {
  const own = resources.filter(({ dialect }) => dialect === 'core');
  return own.flatMap((resource) =>
    (resource.parents.length ? resource.parents : [undefined]).flatMap((parent) => {
      const chain = parent ? chainOf(parent) : [];
      return resource.verbs.map((verb) => routeOf(machinery, resource, chain, verb));
    }),
  );
}

// The resources above, uppermost first. A resource with several parents is reached by each of them.
export function chainOf(resource: Resource): Resource[] {
  const above = resource.parents[0];
  return above ? [...chainOf(above), resource] : [resource];
}

export const pathTo = (chain: readonly Resource[]): string =>
  chain.map((one) => `/${one.root}${one.plural}/{${one.name}Id}`).join('');

function routeOf(machinery: Machinery, resource: Resource, chain: readonly Resource[], verb: Verb): Route {
  const own = `/${resource.root}${resource.plural}`;
  const single = verb !== 'list' && verb !== 'create';
  const scope = chain.length && resource.parents.length > 1 ? `${chain.at(-1)?.name}_` : '';
  const sends = verb === 'create' || verb === 'replace' || verb === 'change';
  const status = resource.synchronous ? (verb === 'create' ? 201 : 200) : (resource.replies?.[verb] ?? 202);
  return {
    method: methods[verb],
    path: `${pathTo(chain)}${own}${single ? `/{${resource.name}Id}` : ''}`,
    operation: `${scope}${resource.name}_${verb}`,
    summary: `${words[verb]} ${verb === 'list' ? resource.plural : `${articleOf(resource.name)} ${resource.name}`}`,
    takesBody: sends,
    parameters:
      verb === 'list' ? listParameters : [depthParameter, ...(verb === 'remove' ? flagParameters(resource) : [])],
    ...(sends && { bodySchema: bodySchema(resource, verb as Way) }),
    replySchema: verb === 'list' ? collectionSchema(resource) : resourceSchema(resource),
    replyStatus: verb === 'list' || verb === 'get' ? 200 : status,
    resolve: (x) => resolve(machinery.store, x, single ? [...chain, resource] : chain, verb),
    call: callOf(machinery, resource, verb),
  };
}

const flagParameters = ({ flags = [] }: Resource): Parameter[] =>
  flags.map((name) => ({
    name,
    in: 'query',
    description: 'true or false',
    schema: { type: 'boolean', default: false },
  }));

const articleOf = (name: string): string => (/^([aeio]|s3)/.test(name) ? 'an' : 'a');

function callOf(machinery: Machinery, resource: Resource, verb: Verb): (x: Exchange) => Promise<Reply> {
  switch (verb) {
    case 'list':
      return (x) => listCall(machinery, resource, x);
    case 'get': {
      const isOpen = !hasSecrets(resource);
      return (x) => getCall(machinery, resource, isOpen, x);
    }
    case 'remove':
      return (x) => changeCall(machinery, resource, 'remove', x);
    default:
      return (x) => changeCall(machinery, resource, verb, x);
  }
}

// `isOpen`: there are no secrets in it, so what was drawn of it may be kept.
async function getCall(machinery: Machinery, resource: Resource, isOpen: boolean, x: Exchange): Promise<Reply> {
  const { drawn } = machinery;
  const row = x.rows.at(-1) as Row;
  const { epoch } = x;
  const isKept = epoch !== undefined && isOpen;
  const { role, user } = x.who; // what is derived may depend on what a user may see
  const key = `${row.contract} ${role === 'user' ? user : ''} ${x.base}${x.path}?${x.query}`;
  const known = isKept ? drawn.get(key, epoch) : undefined;
  if (known) return known;
  const sent = isKept ? machinery.long.get(key, epoch) : undefined;
  if (sent && 'stream' in sent) return { status: 200, stream: piecesOf(sent.stream) };
  const depth = depthOf(x);
  const seen = await viewOf(machinery, x, pathOf(row));
  if (depth > 1) {
    const draw = (canvas: Canvas) => drawOne(canvas, seen, resource, row, depth);
    const answer = await machinery.long.draw(draw, key, isKept ? epoch : undefined);
    if ('stream' in answer) return { status: 200, stream: piecesOf(answer.stream) };
    const whole = measured(answer.text, entityTag(x, answer.text));
    if (isKept) drawn.keep(key, epoch, whole);
    return whole;
  }
  const text = await one(seen, resource, row, depth);
  const reply = measured(text, entityTag(x, text));
  if (isKept) drawn.keep(key, epoch, reply);
  return reply;
}

async function changeCall(machinery: Machinery, resource: Resource, way: Way | 'remove', x: Exchange): Promise<Reply> {
  const sentBody = way === 'remove' ? '' : redact(machinery.model, resource, x, way);
  const draft = (): Draft => draftFor(machinery.model, resource, way, x);
  return changeReply(machinery, x, await perform(machinery, x, { sentBody, draft }));
}

function draftFor(model: Model, resource: Resource, way: Way | 'remove', x: Exchange): Draft {
  const caller = x.who;
  if (way === 'create')
    return draftOf(model, { resource, way, caller, parents: x.rows, sent: readSent(x.body, way), at: '(root)' });
  const before = x.rows.at(-1) as Row;
  const parents = x.rows.slice(0, -1);
  if (way === 'remove') return removalOf(resource, caller, parents, before, flagsOf(resource, x));
  return draftOf(model, { resource, way, caller, parents, before, sent: readSent(x.body, way), at: '(root)' });
}

const flagsOf = ({ flags = [] }: Resource, x: Exchange): ReadonlySet<string> =>
  new Set(flags.filter((name) => truth(x, name)));
