// What a resource declaration becomes in the core dialect: list, get, create, replace, change and remove, each a
// route. Nothing here knows a product.
import { Fault } from '../../base/fault.ts';
import { isObject, type Json } from '../../base/json.ts';
import type { Soon } from '../../base/soon.ts';
import { isAdmin, mayEdit, maySee } from '../../core/access.ts';
import type { Model } from '../../core/model.ts';
import { busy, nameOf } from '../../core/operation/busy.ts';
import { decide, draftOf, type Less, removalOf, type Sent } from '../../core/operation/draft.ts';
import type { Epoch } from '../../core/recent-cache.ts';
import { type Draft, hasSecrets, pathOf, type Resource, type Verb } from '../../core/resource.ts';
import type { Way } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { patiently } from '../busy-retry.ts';
import { bodySchema, collectionSchema, resourceSchema } from '../docs/openapi.ts';
import { entityTag } from '../entity-tag.ts';
import { type Exchange, measured, type Parameter, type Reply, type Route } from '../http/exchange.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import { changeReply, type Drafting, perform } from '../perform.ts';
import { redact } from '../redact.ts';
import { drawOne, one } from './envelope.ts';
import { listCall } from './list.ts';
import { depthOf, depthParameter, listParameters, truth } from './query.ts';
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
  if (sent && 'stream' in sent) return { status: 200, stream: sent.stream };
  const view = viewOf(machinery, x, pathOf(row));
  const depth = depthOf(x);
  const seen = view instanceof Promise ? await view : view;
  if (depth > 1) {
    const draw = (canvas: Canvas) => drawOne(canvas, seen, resource, row, depth);
    const answer = await machinery.long.draw(draw, key, isKept ? epoch : undefined);
    if ('stream' in answer) return { status: 200, stream: answer.stream };
    const whole = measured(answer.text, entityTag(x, answer.text));
    if (isKept) drawn.keep(key, epoch, whole);
    return whole;
  }
  const text = await one(seen, resource, row, depth);
  const reply = measured(text, entityTag(x, text));
  if (isKept) drawn.keep(key, epoch, reply);
  return reply;
}

// Finds every resource the path names. Somebody else's is missing, not forbidden.
export function resolve(store: Store, x: Exchange, chain: readonly Resource[], verb: Verb): Promise<void> | void {
  if (chain.length === 0) return;
  const isRead = verb === 'list' || verb === 'get';
  return isRead ? find(store, x, chain, verb) : patiently(store, x, () => find(store, x, chain, verb));
}

async function find(store: Store, x: Exchange, chain: readonly Resource[], verb: Verb): Promise<void> {
  const caller = x.who;
  const reads = verb === 'list' || verb === 'get';
  const asked = reads ? store.epochOf(caller.contract) : undefined;
  const epoch = asked instanceof Promise ? await asked : asked;
  x.epoch = epoch;
  if (verb === 'get' && chain.length > 1 && isAdmin(caller) && store.engine.exclusive) {
    x.rows = [await directly(store, x, chain, epoch as Epoch)];
    return;
  }
  const rows: Row[] = [];
  for (const [at, resource] of chain.entries()) {
    const id = resource.ids.parse(x.params[at] ?? '');
    const above = rows.at(-1);
    const place = above ? `${pathOf(above)}/${resource.plural}` : resource.root + resource.plural;
    const found = id === undefined ? undefined : seek(store, caller.contract, place, id, epoch);
    const row = found instanceof Promise ? await found : found;
    const isTarget = at === chain.length - 1 && verb !== 'create' && verb !== 'list';
    if (!row || (at === 0 && !maySee(caller, row)) || hidden(row, isTarget, verb)) throw missing();
    rows.push(row);
  }
  x.rows = rows;
  if (reads) return;
  const top = rows[0];
  if (top && !mayEdit(caller, top)) throw new Fault('forbidden', 'You may see this resource but not change it.');
  const last = rows.at(-1);
  if (last && verb !== 'remove') await demandReady(store, last, verb);
  else if (last?.state === 'CHANGING') await demandOwnTurn(store, last);
}

const seek = (
  store: Store,
  contract: number,
  place: string,
  id: string,
  epoch: Epoch | undefined,
): Soon<Row | undefined> =>
  epoch === undefined ? store.get(contract, place, id) : store.look(contract, place, id, epoch);

// Whoever sees everything need not be shown what the thing stands in: what is there stands in what is there, and
// what is being removed is known without reading it.
async function directly(store: Store, x: Exchange, chain: readonly Resource[], epoch: Epoch): Promise<Row> {
  const { contract } = x.who;
  let path = '';
  for (const [at, resource] of chain.entries()) {
    const id = resource.ids.parse(x.params[at] ?? '');
    const place = at === 0 ? resource.root + resource.plural : `${path}/${resource.plural}`;
    if (id === undefined || (at > 0 && store.removing(contract, path))) throw missing();
    path = `${place}/${id}`;
    if (at < chain.length - 1) continue;
    const row = await store.look(contract, place, id, epoch);
    if (row) return row;
  }
  throw missing();
}

const missing = (): Fault => new Fault('missing', 'Resource does not exist');

// What is being deleted can still be read, until it is gone.
const hidden = (row: Row, isTarget: boolean, verb: Verb): boolean =>
  row.state === 'DELETING' && !(isTarget && verb === 'get');

// A removal waits for a change of the same thing, which stands at it. What it is only a part of may undo itself.
async function demandOwnTurn(store: Store, row: Row): Promise<void> {
  if (!(await store.changing(row.contract, pathOf(row)))) throw busy(row);
}

async function demandReady(store: Store, row: Row, verb: Verb): Promise<void> {
  const creating = await store.creating(row.contract, pathOf(row));
  if (creating && verb === 'create') {
    const what = `${nameOf(row)} is not ready: it is still being created.`;
    throw new Fault('missing', `${what} Wait for its request to be DONE.`);
  }
  if (creating || row.state === 'CHANGING') throw busy(row);
}

function changeCall(machinery: Machinery, resource: Resource, way: Way | 'remove', x: Exchange): Promise<Reply> {
  const { model } = machinery;
  const sentBody = way === 'remove' ? '' : redact(model, resource, x, way);
  const draft: Drafting = (number, less) => drafted(model, resource, way, x, number, less);
  return perform(machinery, x, sentBody, draft, (accepted) => changeReply(machinery, x, accepted));
}

function drafted(
  model: Model,
  resource: Resource,
  way: Way | 'remove',
  x: Exchange,
  number: string,
  less: Less | undefined,
): Soon<Draft> {
  const caller = x.who;
  const before = way === 'create' ? undefined : x.rows.at(-1);
  const parents = way === 'create' ? x.rows : x.rows.slice(0, -1);
  const draft =
    way === 'remove'
      ? removalOf(resource, caller, parents, before as Row, flagsOf(resource, x))
      : draftOf(model, { resource, way, caller, parents, before, sent: readSent(x.body, way), at: '(root)' }, less);
  if (way === 'create') draft.id = number;
  const decided = decide(model, draft);
  return decided instanceof Promise ? decided.then(() => draft) : draft;
}

function flagsOf({ flags = [] }: Resource, x: Exchange): ReadonlySet<string> {
  return flags.length === 0 ? noFlags : new Set(flags.filter((name) => truth(x, name)));
}

const noFlags: ReadonlySet<string> = new Set();

// For those who look at the properties alone: whatever else stands in the body is refused at once.
export function sentOf(body: Json | undefined, way: Way): Sent {
  const sent = readSent(body, way);
  if (sent.problems?.length)
    throw new Fault('refused', 'The request body is not acceptable.', { problems: sent.problems });
  return sent;
}

// POST and PUT wrap the properties, PATCH sends them bare. A PUT may send back what it read.
export function readSent(body: Json | undefined, way: Way): Sent {
  if (way === 'change') return { properties: body === undefined ? {} : body };
  if (body === undefined) return { properties: undefined };
  if (!isObject(body)) throw new Fault('refused', '[(root)] An object is expected');
  const sent: Sent = { properties: body.properties, entities: body.entities };
  for (const key in body) {
    if (key === 'properties' || key === 'entities') continue;
    const isShown = shownKeys.includes(key);
    if (isShown && way !== 'create') continue;
    const message = `[(root).${key}] Attribute is ${isShown ? 'read-only' : 'unknown'}`;
    sent.problems ??= [];
    sent.problems.push({ code: isShown ? '105' : '106', message });
  }
  return sent;
}

const shownKeys = ['id', 'type', 'href', 'metadata'];
