// The core dialect: changes answer 202 with the Location of their request, bodies of PATCH are bare properties, and
// `depth` is the number of levels that an answer shows.
import { maySee } from '../../core/access.ts';
import { draftOf, removalOf } from '../../core/operation/draft.ts';
import type { Draft, Resource, Verb } from '../../core/resource.ts';
import type { Way } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { ReplyStatuses, SurfaceDialect } from '../dialect.ts';
import { bodySchema, collectionSchema, resourceSchema } from '../docs/openapi.ts';
import type { Exchange, Parameter } from '../http/exchange.ts';
import { renderPlatformFault } from '../http/payload.ts';
import type { Machinery } from '../machinery.ts';
import { readSent } from './body.ts';
import { hrefOf } from './envelope.ts';
import { resolve } from './find.ts';
import { getCall } from './get.ts';
import { listCall } from './list.ts';
import { depthParameter, listParameters, truth } from './query.ts';
import { changeReply } from './reply.ts';

export const coreDialect: SurfaceDialect = {
  wrapsPatch: false,
  summary: (resource, verb) =>
    `${words[verb]} ${verb === 'list' ? resource.plural : `${articleOf(resource.name)} ${resource.name}`}`,
  parameters: (resource, verb) =>
    verb === 'list' ? listParameters : [depthParameter, ...(verb === 'remove' ? flagParameters(resource) : [])],
  statuses,
  bodySchema,
  replySchema: (resource, verb) => (verb === 'list' ? collectionSchema(resource) : resourceSchema(resource)),
  find: ({ store }, x, above, resource, verb) =>
    resolve(store, x, verb === 'list' || verb === 'create' ? above : [...above, resource], verb),
  shows: (_store, caller, _resource, top) => maySee(caller, top),
  list: listCall,
  get: getCall,
  draft,
  reply: changeReply,
  href: (x, path) => hrefOf(x.base, path),
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

const articleOf = (name: string): string => (/^([aeio]|s3)/.test(name) ? 'an' : 'a');

const flagParameters = ({ lifecycle: { flags = [] } }: Resource): Parameter[] =>
  flags.map((name) => ({
    name,
    in: 'query',
    description: 'true or false',
    schema: { type: 'boolean', default: false },
  }));

function statuses({ lifecycle: { synchronous, replies } }: Resource, verb: Verb): ReplyStatuses {
  if (verb === 'list' || verb === 'get') return { replyStatus: 200 };
  if (synchronous) return { replyStatus: verb === 'create' ? 201 : 200 };
  return { replyStatus: replies?.[verb] ?? 202 };
}

function draft({ model }: Machinery, resource: Resource, way: Way | 'remove', x: Exchange): Draft {
  const caller = x.who;
  if (way === 'create')
    return draftOf(model, {
      ...{ resource, way, caller, parents: x.rows, at: '(root)' },
      sent: readSent(x.body, way, caller),
    });
  const before = x.rows.at(-1) as Row;
  const parents = x.rows.slice(0, -1);
  if (way === 'remove') return removalOf(resource, caller, parents, before, flagsOf(resource, x));
  return draftOf(model, { resource, way, caller, parents, before, sent: readSent(x.body, way), at: '(root)' });
}

const flagsOf = ({ lifecycle: { flags = [] } }: Resource, x: Exchange): ReadonlySet<string> =>
  new Set(flags.filter((name) => truth(x, name)));
