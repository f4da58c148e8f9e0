// Creation of a server. In addition to the usual parts of a composite body, existing volumes and CD-ROM images are
// attached by `{ id }` among those to be created.
import { Fault, type Problem } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { draftOf } from '../../core/operation/draft.ts';
import type { Draft } from '../../core/resource.ts';
import { report } from '../../core/schema.ts';
import { readSent } from '../../surface/core-dialect/body.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { depthParameter } from '../../surface/core-dialect/query.ts';
import { changeReply } from '../../surface/core-dialect/reply.ts';
import { bodySchema, resourceSchema } from '../../surface/docs/openapi.ts';
import type { Exchange, Reply, Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { perform } from '../../surface/perform.ts';
import { redact } from '../../surface/redact.ts';
import { datacenter } from '../datacenter.ts';
import { refused } from '../lan/address-claims.ts';
import { insertWith } from './cdrom-image.ts';
import { existingVolume } from './existing-volume.ts';

export function creationRoute(machinery: Machinery): Route {
  const server = machinery.model.get('server');
  return {
    method: 'POST',
    path: '/datacenters/{datacenterId}/servers',
    operation: 'server_create',
    summary: 'Create a server',
    takesBody: true,
    parameters: [depthParameter],
    bodySchema: bodySchema({ ...server, verbs: ['create'] }, 'create'),
    replySchema: resourceSchema(server),
    replyStatus: 202,
    resolve: (x) => resolve(machinery.store, x, [datacenter], 'create'),
    call: (x) => createCall(machinery, x),
  };
}

async function createCall(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { model, store } = machinery;
  const resource = model.get('server');
  const named = takeReferences(x.body);
  const draft = async (): Promise<Draft> => {
    const sent = readSent(named.body, 'create', x.who);
    const input = { resource, way: 'create', caller: x.who, parents: x.rows, sent, at: '(root)' } as const;
    const draft = composed(named.problems, () => draftOf(model, input));
    for (const [at, { id, index }] of named.volumes.entries()) {
      const place = `(root).entities.volumes.items.[${index}]`;
      const given = await existingVolume(draft, store, model.get('volume'), id, place);
      if (named.volumes.findIndex((one) => one.id === id) < at)
        throw refused(given, 'id', 'The volume is in the list twice');
      draft.related[index] = given;
    }
    for (const { id, index } of named.cdroms)
      insertWith(draft, { resource: (kind) => model.get(kind) }, id, `(root).entities.cdroms.items.[${index}]`);
    return draft;
  };
  const sentBody = withReferences(redact(model, resource, x, 'create'), named);
  return changeReply(machinery, x, await perform(machinery, x, { sentBody, draft }));
}

// Problems of references are reported together with the others.
function composed(problems: readonly Problem[], make: () => Draft): Draft {
  let found: readonly Problem[] = [];
  try {
    const draft = make();
    if (problems.length === 0) return draft;
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'refused') throw error;
    found = error.problems;
  }
  throw new Fault('refused', 'The request body is not acceptable.', { problems: [...found, ...problems] });
}

interface Reference {
  id: string;
  index: number;
}

interface Named {
  body: Json | undefined; // the rest of it
  volumes: Reference[];
  cdroms: Reference[];
  problems: Problem[];
}

// Replaces a named volume, so that all others keep their index in the list and in messages.
const placeholder: Values = { properties: { type: 'HDD', size: 1, licenceType: 'OTHER', bootOrder: 'NONE' } };

function takeReferences(body: Json | undefined): Named {
  const named: Named = { body, volumes: [], cdroms: [], problems: [] };
  const entities = isObject(body) ? body.entities : undefined;
  if (!isObject(body) || !isObject(entities)) return named;
  const { cdroms, ...rest } = entities;
  const volumes = itemsOf(rest.volumes);
  for (const [index, item] of volumes.entries())
    if (isReference(item)) named.volumes.push(referenceAt(item, 'volumes', index, named.problems));
  const kept = volumes.map((item) => (isReference(item) ? placeholder : item));
  if (named.volumes.length > 0) rest.volumes = { ...(rest.volumes as Values), items: kept };
  for (const [index, item] of itemsOf(cdroms).entries())
    named.cdroms.push(referenceAt(item, 'cdroms', index, named.problems));
  if (cdroms !== undefined && (!isObject(cdroms) || !Array.isArray(cdroms.items ?? [])))
    report(named.problems, '(root).entities.cdroms.items', 'A list is expected', '100');
  return { ...named, body: { ...body, entities: rest } };
}

// The body for the log of the request, which only has what is created.
function withReferences(text: string, { volumes, cdroms }: Named): string {
  if (volumes.length + cdroms.length === 0) return text;
  const kept = JSON.parse(text) as { entities: { volumes?: { items: Json[] }; cdroms?: { items: Json[] } } };
  for (const { id, index } of volumes) kept.entities.volumes?.items.splice(index, 1, { id });
  if (cdroms.length > 0) kept.entities.cdroms = { items: cdroms.map(({ id }) => ({ id })) };
  return JSON.stringify(kept);
}

const itemsOf = (collection: Json | undefined): Json[] =>
  isObject(collection) && Array.isArray(collection.items) ? collection.items : [];

const isReference = (item: Json): item is Values => isObject(item) && Object.hasOwn(item, 'id') && !item.properties;

function referenceAt(item: Json, collection: string, index: number, problems: Problem[]): Reference {
  const at = `(root).entities.${collection}.items.[${index}]`;
  problems.push(...referenceProblems(item, at));
  return { id: isObject(item) ? String(item.id) : '', index };
}

// `{id}` and nothing else.
export function referenceProblems(item: Json | undefined, at: string): Problem[] {
  const problems: Problem[] = [];
  if (!isObject(item)) {
    report(problems, at, 'An object is expected', '100');
    return problems;
  }
  for (const key of Object.keys(item)) {
    if (key === 'properties' || key === 'entities')
      report(problems, `${at}.${key}`, 'Attribute not allowed in resource reference', '107');
    else if (key !== 'id') report(problems, `${at}.${key}`, 'Attribute is read-only', '105');
  }
  if (typeof item.id !== 'string') report(problems, `${at}.id`, 'Attribute is required', '100');
  return problems;
}
