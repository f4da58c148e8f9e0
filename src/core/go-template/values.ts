// The values of templates: Go's types as far as templates can see them. Whole numbers are bigints, which
// distinguishes them from floats: Go writes the two differently.

export class TemplateError extends Error {}

// The expansion used up its budget.
export class OverBudget extends TemplateError {}

// map[string]string of Go: a missing key reads as an empty string.
export class StringMap extends Map<string, string> {}

export class GoTime {
  readonly ns: bigint; // since 1970
  readonly zone: string; // an IANA name

  constructor(ns: bigint, zone = 'UTC') {
    this.ns = ns;
    this.zone = zone;
  }
}

export type Value =
  | string
  | bigint
  | number
  | boolean
  | undefined // nil
  | GoTime
  | readonly Value[]
  | ReadonlyMap<string, Value>;

export const isMap = (value: Value): value is ReadonlyMap<string, Value> => value instanceof Map;
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

export function isTrue(value: Value): boolean {
  if (isMap(value)) return value.size > 0;
  if (isList(value)) return value.length > 0;
  return value instanceof GoTime || (typeof value === 'number' ? value !== 0 : Boolean(value));
}

export function typeOf(value: Value): string {
  if (value === undefined) return 'nil';
  if (value instanceof GoTime) return 'time.Time';
  if (isMap(value)) return 'map[string]interface {}';
  if (isList(value)) return '[]interface {}';
  const types: Record<string, string> = { string: 'string', bigint: 'int64', number: 'float64', boolean: 'bool' };
  return types[typeof value] as string;
}

export const longest = 1024 * 1024; // characters of one text

export function fail(message: string): never {
  throw new TemplateError(message);
}
