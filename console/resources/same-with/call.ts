// A call of a form, and what the texts of all clients need to know of it.
import type { OperationModel } from '../model.ts';

export interface Call {
  operation: Pick<OperationModel, 'operation' | 'method' | 'path'>;
  url: string;
  params: Readonly<Record<string, string>>; // of the path
  region?: string; // where it is made, if it is asked for: de-fra
  body: unknown;
  before?: readonly Before[]; // made before, by calls of their own
}

export interface Before {
  call: Call;
  name: string; // of what it makes: lan
  idAt: readonly string[]; // where its id stands in the body of the call
}

export interface ClientText {
  client: 'curl' | 'ionosctl' | 'Terraform';
  text: string;
  leavesOut: readonly string[]; // what the form has and this text can't have
  needs: readonly string[]; // what this client asks for besides
}

export type Value = Readonly<Record<string, unknown>>;

export const isValue = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

// A body has its properties in `properties`, and beside them what is made in the thing.
export const ownOf = (body: unknown): Value => {
  if (!isValue(body)) return {};
  return isValue(body.properties) ? body.properties : body;
};

export interface Made {
  collection: string; // nics
  own: Value; // its properties
}

// What a call makes in the thing, as far as a client has words for it, and the names of the rest.
export function madeIn(body: unknown, isKnown: (collection: string) => boolean): { made: Made[]; rest: string[] } {
  if (!isValue(body) || !isValue(body.properties)) return { made: [], rest: [] };
  const { properties: _, entities, ...others } = body;
  const rest = Object.keys(others).filter((name) => isValue(others[name]));
  const all = Object.entries(isValue(entities) ? entities : {}).flatMap(([collection, one]) =>
    isValue(one) && Array.isArray(one.items) ? one.items.map((item: unknown) => ({ collection, item })) : [],
  );
  const made: Made[] = [];
  for (const { collection, item } of all) {
    const isPlain = isValue(item) && isValue(item.properties) && Object.keys(item).length === 1;
    if (isPlain && isKnown(collection)) made.push({ collection, own: item.properties as Value });
    else rest.push(`entities.${collection}`);
  }
  return { made, rest: [...new Set(rest)] };
}

export const addressOf = ({ params, operation, region }: Call): Record<string, string> => ({
  ...(region !== undefined && { location: region.replaceAll('-', '/') }),
  ...Object.fromEntries(
    paramsIn(operation.path).flatMap((name) => {
      const value = params[name];
      return value === undefined ? [] : [[name, decodeURIComponent(value)]];
    }),
  ),
});

const paramsIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

// Everything that is set, by its path: `healthCheck.retries`, `logs.0.tag`; lists of words are one value.
export function leavesOf(value: Value | readonly unknown[], path = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, one]): [string, unknown][] => {
    if (isNothing(one)) return [];
    const isInner = isValue(one) || (Array.isArray(one) && isValue(one[0]));
    return isInner ? leavesOf(one as Value, `${path}${name}.`) : [[path + name, one]];
  });
}

export function needsOf(needs: readonly string[] = [], { params, operation, body }: Call): string[] {
  const own = ownOf(body);
  return [
    ...paramsIn(operation.path).filter((name) => params[name] === undefined),
    ...needs.filter((path) => isLacking(own, path.split('.'))),
  ];
}

// Whether it is not set where it belongs; in each of a list.
function isLacking(value: unknown, [name = '', ...rest]: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((one) => isLacking(one, [name, ...rest]));
  if (!isValue(value)) return false;
  return rest.length === 0 ? isNothing(value[name]) : isLacking(value[name], rest);
}
