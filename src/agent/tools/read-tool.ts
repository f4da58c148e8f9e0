// Tools that are one GET of the platform's API, as rows of data. The path names the arguments; lists also have paging
// and filters. Without `depth` an answer is short: a list is a table of the chosen columns, and links are omitted. With
// `depth`, the API's own answer is returned.
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { ServiceName } from '../client/addresses.ts';
import { Failure } from '../client/failure.ts';
import type { Query } from '../client/platform-api.ts';
import { fittingItems, redacted } from '../result.ts';
import { type Group, id, input, numberOf, optional, type Tool, text, whole } from '../tool.ts';
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

const defaultLimit = 100;
const maxLimit = 1000;

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
      ...(isList && row.columns?.includes('name') && { name: nameArgument }),
      ...(isList && listArguments),
    }),
    async read(args, { api }) {
      const query: Query = {
        ...(hasDepth && { depth: numberOf(args, 'depth', 1) }),
        ...(isList && { limit: limitOf(args), offset: numberOf(args, 'offset', 0), ...filtersOf(args) }),
      };
      const answer = await api.json(service, await resolvedPath(api, service, path, args), query);
      return redacted(shownOf(answer, args, row), secrets); // after the selection, because most of a list is not shown
    },
  };
}

function shownOf(answer: Json, args: Values, { isList, hasDepth, columns }: ReadRow): Json {
  if (hasDepth && args.depth !== undefined) return isList ? pageOf(answer, args) : answer;
  return isList ? table(answer, args, columns) : withoutLinks(answer);
}

const describedId = (arg: string): string => `The ${nounOf(arg)}'s id${arg.endsWith('_id') ? ' or name' : ''}`;

const depthArgument = (isList: boolean): Values =>
  optional(
    whole(
      isList
        ? "0 to 5: return the API's own answer with this many levels inlined, instead of a short table"
        : "0 to 5: return the API's own answer with this many levels inlined; without it, links are omitted",
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
  limit: optional(whole(`Maximum number of items; ${defaultLimit} by default`, 1, maxLimit)),
  offset: optional(whole('Number of items to skip', 0, 1_000_000_000)),
};

const limitOf = (args: Values): number => numberOf(args, 'limit', defaultLimit);

const nameArgument = optional(text('Only resources whose name contains this, in any case'));

function filtersOf({ name, filters: more }: Values): Query {
  const filters = { ...(isObject(more) && more), ...(typeof name === 'string' && name !== '' && { name }) };
  const wrong = Object.keys(filters).find((name) => !/^[\w.-]{1,100}$/.test(name));
  if (wrong !== undefined) throw new Failure(`filters: '${wrong.slice(0, 60)}' is not a valid property name.`);
  return Object.fromEntries(Object.entries(filters).map(([name, value]) => [`filter.${name}`, String(value)]));
}

// Some collections of the API have no paging, so the page is cut here.
function itemsOf(answer: Json, args: Values): { items: Json[]; hasMore: boolean } {
  const all = isObject(answer) && Array.isArray(answer.items) ? answer.items : Array.isArray(answer) ? answer : [];
  const limit = limitOf(args);
  if (all.length <= limit) {
    const links = isObject(answer) && isObject(answer._links) ? answer._links : {};
    const isPaged = isObject(answer) && answer.offset !== undefined;
    if (isPaged) return { items: all, hasMore: links.next !== undefined || all.length === limit };
  }
  const offset = numberOf(args, 'offset', 0);
  return { items: all.slice(offset, offset + limit), hasMore: all.length > offset + limit };
}

function pageOf(answer: Json, args: Values): Json {
  const { items, hasMore } = itemsOf(answer, args);
  return { ...(isObject(answer) ? answer : {}), ...fittingPage(items, hasMore, args) };
}

function fittingPage(items: Json[], hasMore: boolean, args: Values): Values {
  const fitting = fittingItems(items);
  const isLast = !hasMore && fitting === items.length;
  return {
    items: items.slice(0, fitting),
    ...(!isLast && { next_offset: numberOf(args, 'offset', 0) + fitting }),
  };
}

export function table(answer: Json, args: Values, columns: readonly string[] = []): Json {
  const { items, hasMore } = itemsOf(answer, args);
  const rows = items.map((item) => (isObject(item) ? rowOf(item, columns) : item));
  const page = fittingPage(rows, hasMore, args);
  return { count: (page.items as Json[]).length, ...page };
}

// The id, the state, and the chosen properties; all properties if none are chosen.
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
