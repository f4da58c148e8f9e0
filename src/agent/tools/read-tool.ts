// Tools that are one GET of the platform's API, as rows of data. The path names the arguments; a list has paging and
// filters besides. Without `depth` an answer is short: a list is a table of the chosen columns, and links are left out.
// With it, the API's own answer is told.
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { ServiceName } from '../client/addresses.ts';
import { Failure } from '../client/failure.ts';
import type { Query } from '../client/platform-api.ts';
import { fittingItems, redacted } from '../result.ts';
import { type Group, id, input, numberOf, optional, type Tool, whole } from '../tool.ts';
import { nounOf, resolvedPath } from './named-ids.ts';

export interface ReadRow {
  name: string;
  group: Group;
  service: ServiceName;
  path: string; // /datacenters/{datacenter_id}
  description: string;
  isList?: boolean;
  hasDepth?: boolean; // as the core API has it
  columns?: readonly string[]; // of the properties, in lists
  secrets?: ReadonlySet<string>; // names of properties that are not shown
}

const usualLimit = 100;
const mostLimit = 1000;

export function readTool(row: ReadRow): Tool {
  const { name, group, service, path, description, isList = false, hasDepth = false, secrets } = row;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, arg = '']) => [arg, id(describedId(arg))] as const);
  return {
    name,
    group,
    description,
    input: input({
      ...Object.fromEntries(inPath),
      ...(hasDepth && { depth: depthArgument(isList) }),
      ...(isList && listArguments),
    }),
    async read(args, { api }) {
      const query: Query = {
        ...(hasDepth && { depth: numberOf(args, 'depth', 1) }),
        ...(isList && { limit: limitOf(args), offset: numberOf(args, 'offset', 0), ...filtersOf(args) }),
      };
      const told = await api.json(service, await resolvedPath(api, service, path, args), query);
      return redacted(shownOf(told, args, row), secrets); // of what is told: most of a list is not
    },
  };
}

function shownOf(told: Json, args: Values, { isList, hasDepth, columns }: ReadRow): Json {
  if (hasDepth && args.depth !== undefined) return isList ? pageOf(told, args) : told;
  return isList ? table(told, args, columns) : withoutLinks(told);
}

const describedId = (arg: string): string => `The ${nounOf(arg)}'s id${arg.endsWith('_id') ? ' or name' : ''}`;

const depthArgument = (isList: boolean): Values =>
  optional(
    whole(
      isList
        ? "0 to 5: tell the API's own answer with so many levels inlined, instead of a short table"
        : "0 to 5: tell the API's own answer with so many levels inlined; links are left out without it",
      0,
      5,
    ),
  );

const listArguments = {
  filters: optional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Property names and values: only resources whose property contains the value, in any case',
  }),
  limit: optional(whole(`How many at most; ${usualLimit} by default`, 1, mostLimit)),
  offset: optional(whole('How many to pass over', 0, 1_000_000_000)),
};

const limitOf = (args: Values): number => numberOf(args, 'limit', usualLimit);

function filtersOf({ filters }: Values): Query {
  if (!isObject(filters)) return {};
  const wrong = Object.keys(filters).find((name) => !/^[\w.-]{1,100}$/.test(name));
  if (wrong !== undefined) throw new Failure(`filters: '${wrong.slice(0, 60)}' is no property.`);
  return Object.fromEntries(Object.entries(filters).map(([name, value]) => [`filter.${name}`, String(value)]));
}

// Some collections of the API know no paging: then the page is cut here.
function itemsOf(told: Json, args: Values): { items: Json[]; hasMore: boolean } {
  const all = isObject(told) && Array.isArray(told.items) ? told.items : Array.isArray(told) ? told : [];
  const limit = limitOf(args);
  if (all.length <= limit) {
    const links = isObject(told) && isObject(told._links) ? told._links : {};
    const isPaged = isObject(told) && told.offset !== undefined;
    if (isPaged) return { items: all, hasMore: links.next !== undefined || all.length === limit };
  }
  const offset = numberOf(args, 'offset', 0);
  return { items: all.slice(offset, offset + limit), hasMore: all.length > offset + limit };
}

function pageOf(told: Json, args: Values): Json {
  const { items, hasMore } = itemsOf(told, args);
  return { ...(isObject(told) ? told : {}), ...fittingPage(items, hasMore, args) };
}

function fittingPage(items: Json[], hasMore: boolean, args: Values): Values {
  const fitting = fittingItems(items);
  const isLast = !hasMore && fitting === items.length;
  return {
    items: items.slice(0, fitting),
    ...(!isLast && { next_offset: numberOf(args, 'offset', 0) + fitting }),
  };
}

export function table(told: Json, args: Values, columns: readonly string[] = []): Json {
  const { items, hasMore } = itemsOf(told, args);
  const rows = items.map((item) => (isObject(item) ? rowOf(item, columns) : item));
  const page = fittingPage(rows, hasMore, args);
  return { count: (page.items as Json[]).length, ...page };
}

// The id, the state, and the chosen properties; all of them where none are chosen.
export function rowOf(item: Values, columns: readonly string[]): Values {
  const { id: own, type, properties, metadata } = item;
  if (!isObject(properties)) return withoutLinks(item) as Values;
  const chosen = columns.length > 0 ? columns : Object.keys(properties);
  const cells = chosen.map((column) => [column, properties[column] ?? null] as const);
  const state = isObject(metadata) ? (metadata.state ?? metadata.status) : undefined;
  return {
    ...(own !== undefined && { id: own }),
    ...Object.fromEntries(cells.filter(([column, value]) => value !== null && column !== 'status')),
    ...(state !== undefined && state !== null && { state }),
    ...(own === undefined && type !== undefined && { type }),
  };
}

const linkNames = new Set(['href', 'etag', '_links']);

function withoutLinks(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutLinks);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !linkNames.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutLinks(inner)]));
}
