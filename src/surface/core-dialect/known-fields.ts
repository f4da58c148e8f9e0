// The fields that a list can be filtered and sorted by, from the schema of its answer. A misspelt name is refused,
// because otherwise it would seem to match everything. A name that only other lists know matches nothing: ionosctl adds
// its filters to every call of a command, such as the list of datacenters on its way to their servers.
import { Fault } from '../../base/fault.ts';
import { isObject, type Json } from '../../base/json.ts';
import type { Exchange, Route, Service } from '../http/exchange.ts';

interface RequestedField {
  key: string; // of the query: filter.name, orderBy
  name: string;
}

const mostReported = 20;

// The names with the spelling of the schema, in the order of the request.
export function fieldNames(x: Exchange, requested: readonly RequestedField[]): string[] {
  const own = fieldsOf(x.route);
  if (!own || !x.service) return requested.map(({ name }) => name);
  const all = fieldsIn(x.service);
  const problems: { message: string }[] = [];
  const names = requested.map(({ key, name }) => {
    const field = own.get(name.toLowerCase()) ?? all.get(name.toLowerCase());
    if (field === undefined && problems.length < mostReported) {
      const message = `[(query).${key.slice(0, 60)}] There is no such field. Expected one of`;
      problems.push({ message: `${message} [${[...own.values()].join(', ')}]` });
    }
    return field ?? name;
  });
  if (problems.length > 0) throw new Fault('refused', problems[0]?.message ?? '', { problems });
  return names;
}

type Fields = ReadonlyMap<string, string>; // by their name in lower case

const known = new WeakMap<Route | Service, Fields>();

function fieldsOf(route: Route | undefined): Fields | undefined {
  if (!route) return undefined;
  const found = known.get(route);
  if (found) return found;
  const item = at(route.replySchema, 'properties', 'items', 'items', 'properties');
  if (item === undefined) return undefined;
  const shown = ['properties', 'metadata'].flatMap((part) => Object.keys(at(item, part, 'properties') ?? {}));
  const more = (route.parameters ?? []).map(({ name }) => name).filter((name) => name.startsWith('filter.'));
  const names = [...shown, ...more.map((name) => name.slice('filter.'.length))];
  const fields = new Map(names.map((name) => [name.toLowerCase(), name]));
  known.set(route, fields);
  return fields;
}

function fieldsIn(service: Service): Fields {
  const found = known.get(service);
  if (found) return found;
  const fields = new Map(service.routes.flatMap((route) => [...(fieldsOf(route) ?? [])]));
  known.set(service, fields);
  return fields;
}

const at = (value: Json | undefined, ...keys: string[]): { [name: string]: Json } | undefined => {
  for (const key of keys) value = isObject(value) ? value[key] : undefined;
  return isObject(value) ? value : undefined;
};
