// Merges schemas that must hold at once: `allOf`, and the siblings of a `$ref` or an `anyOf`.
import { EngineError, type JsonSchema } from '../../engine.ts';

export type Schema = JsonSchema | boolean;

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const larger = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const smaller = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
// Keywords that don't restrict a value.
const annotations = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'discriminator',
  'strict',
  'contentEncoding',
  'contentMediaType',
]);

export const isAnnotation = (keyword: string): boolean => annotations.has(keyword) || keyword.startsWith('x-');

export function mergedSchema(one: Schema, other: Schema): Schema {
  if (one === true) return other;
  if (other === true) return one;
  if (one === false || other === false) return false;
  const merged: JsonSchema = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const before = merged[keyword];
    if (before === undefined || isAnnotation(keyword)) merged[keyword] = value;
    else merged[keyword] = mergedValue(keyword, before, value);
  }
  return isImpossible(merged) ? false : merged;
}

function mergedValue(keyword: string, before: unknown, value: unknown): unknown {
  if (JSON.stringify(before) === JSON.stringify(value)) return before;
  if (larger.has(keyword)) return Math.max(before as number, value as number);
  if (smaller.has(keyword)) return Math.min(before as number, value as number);
  switch (keyword) {
    case 'type':
      return typesIn(before, value);
    case 'enum':
      return inBoth(before as unknown[], value as unknown[]);
    case 'required':
      return [...new Set([...(before as string[]), ...(value as string[])])];
    case 'properties':
      return mergedProperties(before as Record<string, Schema>, value as Record<string, Schema>);
    case 'items':
    case 'additionalProperties':
    case 'propertyNames':
      if (Array.isArray(before) || Array.isArray(value)) break;
      return mergedSchema(before as Schema, value as Schema);
    case 'allOf':
      return [...(before as Schema[]), ...(value as Schema[])];
    case 'uniqueItems':
      return before === true || value === true;
    case 'format':
      break;
  }
  throw new EngineError('schema', `The schema sets '${keyword}' twice for one value, which can't be enforced.`);
}

function mergedProperties(before: Record<string, Schema>, value: Record<string, Schema>): Record<string, Schema> {
  const merged = { ...before };
  for (const [name, schema] of Object.entries(value)) {
    const known = merged[name];
    merged[name] = known === undefined ? schema : { allOf: [known, schema] };
  }
  return merged;
}

function inBoth(one: readonly unknown[], other: readonly unknown[]): unknown[] {
  const texts = new Set(other.map((value) => JSON.stringify(value)));
  return one.filter((value) => texts.has(JSON.stringify(value)));
}

// An integer is a number.
function typesIn(one: unknown, other: unknown): string[] {
  const [first, second] = [one, other].map((types) => [types].flat() as string[]) as [string[], string[]];
  return [
    ...first.filter((type) => second.includes(type) || (type === 'integer' && second.includes('number'))),
    ...second.filter((type) => type === 'integer' && first.includes('number') && !first.includes('integer')),
  ];
}

const isImpossible = ({ type, enum: values }: JsonSchema): boolean =>
  (Array.isArray(type) && type.length === 0) || (Array.isArray(values) && values.length === 0);

export const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

// The place in the document that a `$ref` names: `#`, `#/$defs/x`, or a schema's own `$id` or `$anchor`.
export function resolved(root: JsonSchema, reference: string): Schema {
  if (reference === '#') return root;
  const [, pointer] = /^#(\/.*)$/.exec(reference) ?? [];
  let at: unknown = pointer === undefined ? undefined : root;
  for (const step of pointer?.slice(1).split('/') ?? []) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = isSchema(at) || Array.isArray(at) ? (at as Record<string, unknown>)[key] : undefined;
  }
  if (typeof at === 'boolean' || isSchema(at)) return at;
  throw new EngineError('schema', `The reference '${reference}' of the schema points to nothing.`);
}
