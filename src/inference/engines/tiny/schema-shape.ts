// The shape of a schema, without its references: `$ref` and `allOf` are merged into one object. Also computes the depth
// of the smallest value of a schema, so that recursive schemas end.
import { equalJson, isObject, type Json, type Values } from '../../../base/json.ts';
import type { WorkBudget } from './work-budget.ts';

const maxReferences = 50;
const heightCost = 10;

// A schema without `$ref` and `allOf` at its top.
export function flattened(root: Values, raw: Json, work: WorkBudget, references = 0): Values {
  if (raw === true) return {};
  if (!isObject(raw) || references > maxReferences) return { enum: [] }; // `false`, or a reference to itself
  let schema = raw;
  if (typeof schema.$ref === 'string') {
    const { $ref, ...rest } = schema;
    const target = flattened(root, referred(root, $ref as string), work, references + 1);
    schema = merged(target, rest, work);
  }
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema;
    schema = (allOf as Json[])
      .map((one) => flattened(root, one, work, references + 1))
      .reduce<Values>((all, one) => merged(all, one, work), rest);
    if (schema.$ref !== undefined || schema.allOf !== undefined) return flattened(root, schema, work, references + 1);
  }
  return schema;
}

function referred(root: Values, ref: string): Json {
  if (!ref.startsWith('#')) return false;
  let at: Json = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    at = (Array.isArray(at) ? at[Number(name)] : isObject(at) && Object.hasOwn(at, name) ? at[name] : false) ?? false;
  }
  return at;
}

// The schema that matches both.
function merged(a: Values, b: Values, work: WorkBudget): Values {
  work.take(sizeOf(a) + sizeOf(b));
  const both: Values = { ...a };
  for (const [word, value] of Object.entries(b)) {
    const known = both[word];
    both[word] = known === undefined || equalJson(known, value) ? value : combined(word, known, value);
  }
  return both;
}

// Includes nested lists and properties, which may have to be merged.
const sizeOf = (schema: Values): number =>
  Object.values(schema).reduce<number>(
    (sum, value) => sum + 1 + (typeof value === 'object' && value !== null ? Object.keys(value).length : 0),
    1,
  );

function combined(word: string, a: Json, b: Json): Json {
  if (word === 'properties' && isObject(a) && isObject(b)) return combinedProperties(a, b);
  if (word === 'required' && Array.isArray(a) && Array.isArray(b)) return [...new Set([...a, ...b])];
  if (word === 'enum' && Array.isArray(a) && Array.isArray(b)) return a.filter((x) => b.some((y) => equalJson(x, y)));
  if (word === 'type') return commonType(a, b);
  if (word === 'items' || word === 'additionalProperties') return { allOf: [a, b] };
  if (typeof a === 'number' && typeof b === 'number')
    return /^(min|exclusiveMin)/.test(word) ? Math.max(a, b) : Math.min(a, b);
  return b;
}

function combinedProperties(a: Values, b: Values): Values {
  const all: Values = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const known = all[name];
    all[name] = known === undefined ? value : { allOf: [known, value] };
  }
  return all;
}

function commonType(a: Json, b: Json): Json {
  const [first, second] = [a, b].map((one) => (Array.isArray(one) ? one : [one]));
  const common = (first ?? []).filter((one) => second?.includes(one));
  const hasNumber = [first, second].some((one) => one?.includes('number'));
  const hasInteger = [first, second].some((one) => one?.includes('integer'));
  if (common.length === 0 && hasNumber && hasInteger) return 'integer';
  return common;
}

// The depth of the smallest value of a schema; infinite if there is no finite value.
export function heightsOf(root: Values, work: WorkBudget): (schema: Json) => number {
  const known = new Map<Json, number>();
  const heightOf = (raw: Json, above: Set<Json>): number => {
    work.take(heightCost);
    const done = known.get(raw);
    if (done !== undefined) return done;
    // A value that contains itself never ends.
    if (isObject(raw) && above.has(raw)) return Number.POSITIVE_INFINITY;
    above.add(raw);
    const height = heightIn(unreferred(root, raw), (one) => heightOf(one, above));
    above.delete(raw);
    if (isObject(raw) && (height < Number.POSITIVE_INFINITY || above.size === 0)) known.set(raw, height);
    return height;
  };
  return (schema) => heightOf(schema, new Set());
}

// A reference is followed by one step only, so that cycles are detected.
function unreferred(root: Values, raw: Json): Values {
  if (raw === false) return { enum: [] };
  if (!isObject(raw)) return {};
  if (typeof raw.$ref !== 'string') return raw;
  return { ...raw, allOf: [referred(root, raw.$ref), ...(Array.isArray(raw.allOf) ? raw.allOf : [])] };
}

function heightIn(schema: Values, heightOf: (schema: Json) => number): number {
  if (schema.const !== undefined || Array.isArray(schema.enum)) return 0;
  const parts: number[] = Array.isArray(schema.allOf) ? schema.allOf.map(heightOf) : [];
  for (const word of ['anyOf', 'oneOf'] as const) {
    const branches = schema[word];
    if (Array.isArray(branches) && branches.length > 0) parts.push(Math.min(...branches.map(heightOf)));
  }
  // Other types than object and array have no parts.
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'object'];
  if (!types.every((type) => type === 'object' || type === 'array')) return Math.max(0, ...parts);
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const inside = required.map((name) => properties[name]).filter((one) => one !== undefined);
  const items = Number(schema.minItems ?? 0) > 0 && schema.items !== undefined ? [schema.items] : [];
  return Math.max(0, ...parts, ...[...inside, ...items].map((one) => 1 + heightOf(one)));
}
