// The call of a form, and helpers that all clients share.
import type { OperationModel } from '../model.ts';

export interface Call {
  operation: Pick<OperationModel, 'operation' | 'method' | 'path'>;
  url: string;
  params: Readonly<Record<string, string>>; // of the path
  region?: string; // if the form asks for it: de-fra
  body: unknown;
  before?: readonly PrecedingCall[];
}

export interface PrecedingCall {
  call: Call;
  name: string; // type of the created resource: lan
  idAt: readonly string[]; // where the main body has its id
}

export interface ClientText {
  client: 'curl' | 'ionosctl' | 'Terraform';
  text: string;
  leavesOut: readonly string[]; // form values that this client can't set
  needs: readonly string[]; // values that only this client needs
}

export type Value = Readonly<Record<string, unknown>>;

export const isValue = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

// The properties of a body. They may be in `properties`, next to nested resources.
export const ownOf = (body: unknown): Value => {
  if (!isValue(body)) return {};
  return isValue(body.properties) ? body.properties : body;
};

export interface NestedItem {
  collection: string; // nics
  own: Value; // its properties
}

// The nested resources that a client can create, and the names of those that it can't.
export function nestedItemsIn(
  body: unknown,
  isKnown: (collection: string) => boolean,
): { nested: NestedItem[]; rest: string[] } {
  if (!isValue(body) || !isValue(body.properties)) return { nested: [], rest: [] };
  const { properties: _, entities, ...others } = body;
  const rest = Object.keys(others).filter((name) => isValue(others[name]));
  const all = Object.entries(isValue(entities) ? entities : {}).flatMap(([collection, one]) =>
    isValue(one) && Array.isArray(one.items) ? one.items.map((item: unknown) => ({ collection, item })) : [],
  );
  const nested: NestedItem[] = [];
  for (const { collection, item } of all) {
    const isPlain = isValue(item) && isValue(item.properties) && Object.keys(item).length === 1;
    if (isPlain && isKnown(collection)) nested.push({ collection, own: item.properties as Value });
    else rest.push(`entities.${collection}`);
  }
  return { nested, rest: [...new Set(rest)] };
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

// All values by path: `healthCheck.retries`, `logs.0.tag`. A list of plain values is one value.
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

// True if the value at the path is missing, in any item of a list.
function isLacking(value: unknown, [name = '', ...rest]: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((one) => isLacking(one, [name, ...rest]));
  if (!isValue(value)) return false;
  return rest.length === 0 ? isNothing(value[name]) : isLacking(value[name], rest);
}
