// Derives the console's resource models from the routes of the services and the declarations. A collection is a path
// whose GET returns items. A route whose path starts with the path of an item belongs to that item.
import { isObject, type Json, type Values } from '../base/json.ts';
import type { Resource } from '../core/resource.ts';
import type { Properties } from '../core/schema.ts';
import { isListedAcross } from '../surface/core-dialect/cross-parent-list.ts';
import { propertiesSchema } from '../surface/docs/openapi.ts';
import type { Route, Service } from '../surface/http/exchange.ts';
import type { FieldSchema, OperationModel, QueryModel, ResourceModel } from './resource-model.ts';
import { type Titles, tailTitle, titlesIn, titlesOf } from './titles.ts';

// Covers services with declared resources. The other services have special pages.
export function deriveModels(
  services: readonly Service[],
  declared: readonly Resource[],
  titles: Titles,
): ResourceModel[] {
  const byName = new Map(declared.map((resource) => [resource.name, resource]));
  return services
    .filter(({ routes }) => routes.some(({ operation }) => byName.has(operation.split('_')[0] ?? '')))
    .flatMap((service) => modelsOf(service, byName, titles));
}

type Declared = ReadonlyMap<string, Resource>;
type Subject = Pick<ResourceModel, 'name' | 'title' | 'titles' | 'isReference'>;

function modelsOf(service: Service, declared: Declared, titles: Titles): ResourceModel[] {
  const lists = service.routes.filter(isList);
  const collections = lists.map(({ path }) => path);
  return lists.map((list) => {
    const subject = subjectOf(service, list.operation, declared, titles);
    const resource = declared.get(subject.name);
    const item = itemPathOf(service, list);
    const at = (method: string, path: string | undefined): Route | undefined =>
      service.routes.find((route) => route.method === method && route.path === path);
    const operation = (route: Route, role: Role): OperationModel =>
      operationOf(route, resource, operationTitle(route, role, subject, titles));
    const create = [at('POST', list.path), at('POST', item)].find((route) => isObject(route?.bodySchema));
    const change = at('PATCH', item) ?? at('PUT', item);
    const remove = at('DELETE', item);
    const parent = parentOf(list.path, collections);
    return {
      ...subject,
      service: service.name,
      prefix: service.prefixes[0] ?? '',
      isRegional: service.hosts.some((host) => host.includes('<region>')),
      collection: list.path,
      ...(item !== undefined && { item }),
      hasPage: at('GET', item) !== undefined,
      ...(parent !== undefined && { parent }),
      columns: resource?.shown.columns ?? columnsOf(list),
      immutable: resource ? immutableOf(resource.properties) : [],
      words: resource ? usualWords(resource.properties) : {},
      read: resource ? propertiesSchema(resource.properties, 'read') : shownProperties(list),
      isPaged: list.parameters?.some(({ name }) => name === 'offset') === true,
      isListedAcross: resource !== undefined && list.operation === `${resource.name}_list` && isListedAcross(resource),
      list: operation(list, 'list'),
      ...(create && { create: operation(create, 'create') }),
      ...(change && { change: operation(change, 'change') }),
      ...(remove && { remove: operation(remove, 'remove') }),
      ofAll: service.routes
        .filter(({ method, path }) => path === list.path && method !== 'GET' && method !== 'POST')
        .map((route) => operation(route, 'ofAll')),
      ofOne: service.routes
        .filter(({ path }) => item !== undefined && isDirectlyBelow(path, item) && !collections.includes(path))
        .map((route) => operation(route, 'ofOne')),
    };
  });
}

// Paths that end with a parameter are filters of another list, such as the locations of a country.
const isList = (route: Route): boolean =>
  route.method === 'GET' &&
  !route.path.endsWith('}') &&
  !route.operation.endsWith('_get') &&
  itemSchemaOf(route) !== undefined;

// `nic_flowlog_list` lists flow logs. `server_volumes_list` lists volumes, whose pages are in the datacenter.
function subjectOf({ routes }: Service, operation: string, declared: Declared, known: Titles): Subject {
  const words = operation.replace(/_list\w*$/, '').split('_');
  const word = words.at(-1) ?? '';
  const owner = words.length > 1 ? declared.get(words[0] ?? '') : undefined;
  const entity = owner?.entities.find(({ name }) => name === word);
  const part = entity?.of((name) => declared.get(name) as Resource);
  const found = part?.name ?? (declared.has(word) ? word : undefined);
  const name = found ?? [...declared.values()].find(({ plural }) => plural === word)?.name ?? word.replace(/s$/, '');
  const [title, titles] = titlesOf(part === undefined ? known : { ...titlesIn([part], []), ...known }, name);
  const isCreatedHere = routes.some((route) => route.operation === `${words.join('_')}_create`);
  const isForeign = words.length > 1 && name !== word && name !== 'share' && !isCreatedHere;
  // `resource` lists everything that can be shared.
  return { name, title, titles, isReference: isForeign || name === 'resource' };
}

// The path of an item: that of its GET, or else the common start of its operations.
function itemPathOf({ routes }: Service, { path, operation }: Route): string | undefined {
  const get = operation.replace(/_list$/, '_get');
  const tails = routes
    .filter((route) => route.path.startsWith(`${path}/{`))
    .map((route) => ({ route, tail: /^(?:\/\{\w+\})+/.exec(route.path.slice(path.length))?.[0] ?? '' }));
  const isRead = ({ route, tail }: (typeof tails)[number]): boolean =>
    route.method === 'GET' && route.path === path + tail;
  const found = tails.find((one) => isRead(one) && one.route.operation === get) ?? tails.find(isRead) ?? tails[0];
  return found && path + found.tail;
}

// The nearest collection whose item path is the start of this path.
const parentOf = (path: string, collections: readonly string[]): string | undefined =>
  collections
    .filter((one) => path.startsWith(`${one}/{`))
    .sort((a, b) => b.length - a.length)
    .at(0);

const isDirectlyBelow = (path: string, item: string): boolean =>
  path.startsWith(`${item}/`) && !/[{/]/.test(path.slice(item.length + 1));

type Role = 'list' | 'create' | 'change' | 'remove' | 'ofAll' | 'ofOne';

function operationOf(route: Route, resource: Resource | undefined, title: string): OperationModel {
  const states = resource?.lifecycle.can[lastWord(route)];
  return {
    operation: route.operation,
    title,
    summary: route.summary,
    method: route.method,
    path: route.path,
    query: (route.parameters ?? []).filter(isShown).map(queryOf),
    ...(isObject(route.bodySchema) && { body: route.bodySchema }),
    ...(states && route.method !== 'GET' && { states }),
  };
}

const lastWord = ({ operation }: Route): string => operation.split('_').at(-1) ?? '';

const verbs: Readonly<Record<string, string>> = {
  create: 'Create',
  replace: 'Replace',
  start: 'Start',
  remove: 'Delete',
  delete: 'Delete',
};

// `Create server`, `Detach`, `Create snapshot`, `Show zone file`.
function operationTitle(route: Route, role: Role, { title, titles, isReference }: Subject, known: Titles): string {
  const word = lastWord(route);
  const tail = tailTitle(known, route.path.split('/').at(-1) ?? '');
  switch (role) {
    case 'list':
      return titles;
    case 'create':
      return `${capital(word)} ${/^[A-Z]{2}|S3/.test(title) ? title : lower(title)}`;
    case 'change':
      return 'Edit';
    case 'remove':
      return word === 'detach' ? 'Detach' : isReference ? 'Remove' : 'Delete';
    case 'ofAll':
      return word === 'assign' ? `Select ${lower(titles)}` : route.method === 'DELETE' ? 'Delete all' : 'Replace';
    case 'ofOne':
      if (route.method === 'GET') return `Show ${lower(tail)}`;
      return verbs[word] && verbs[word] !== tail ? `${verbs[word]} ${lower(tail)}` : tail;
  }
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const lower = (title: string): string =>
  /^[A-Z]{2}/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);

const paging = ['depth', 'pretty', 'offset', 'limit', 'maxResults'];
const isShown = (parameter: NonNullable<Route['parameters']>[number]): boolean =>
  parameter.in === 'query' && !paging.includes(parameter.name);

const queryOf = ({ name, description, schema }: NonNullable<Route['parameters']>[number]): QueryModel => ({
  name,
  description,
  schema: schema as unknown as FieldSchema,
});

const immutableOf = (properties: Properties): string[] =>
  Object.entries(properties).flatMap(([name, { immutable }]) => (immutable ? [name] : []));

// Values of properties that ignore case. The schema has no enumeration for them.
const usualWords = (properties: Properties, above = ''): Record<string, readonly string[]> =>
  Object.assign(
    {},
    ...Object.entries(properties).map(([name, { oneOf, anyCase, properties: own, items }]) => ({
      ...(oneOf && anyCase && { [above + name]: typeof oneOf === 'function' ? oneOf() : oneOf }),
      ...usualWords(own ?? items?.properties ?? {}, `${above}${name}.`),
    })),
  );

// The schema of the items of a collection.
function itemSchemaOf({ replySchema }: Route): Values | undefined {
  const items = at(at(replySchema, 'properties'), 'items');
  const schema = at(items, 'items');
  return isObject(schema) ? schema : undefined;
}

const shownProperties = (list: Route): FieldSchema =>
  (at(at(itemSchemaOf(list), 'properties'), 'properties') as FieldSchema | undefined) ?? {};

const maxColumns = 5;

// For lists without a declaration: the first plain properties.
function columnsOf(list: Route): string[] {
  const properties = at(at(at(itemSchemaOf(list), 'properties'), 'properties'), 'properties');
  return Object.entries(isObject(properties) ? properties : {})
    .filter(([, schema]) => isObject(schema) && !['object', 'array'].some((type) => String(schema.type).includes(type)))
    .map(([name]) => name)
    .slice(0, maxColumns);
}

const at = (value: Json | undefined, name: string): Json | undefined => (isObject(value) ? value[name] : undefined);
