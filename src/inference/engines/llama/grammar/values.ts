// The values and types that a schema names.
import type { JsonSchema } from '../../engine.ts';
import { isEqual } from './merge.ts';

export const allTypes = ['object', 'array', 'string', 'number', 'boolean', 'null'];

// The values that a schema lists.
export function valuesOf(schema: JsonSchema): unknown[] | undefined {
  const { const: constant, enum: listed, type } = schema;
  if (!('const' in schema) && !Array.isArray(listed)) return undefined;
  const values = 'const' in schema ? [constant] : (listed as unknown[]);
  const types = type === undefined ? undefined : ([type].flat() as string[]);
  return values
    .filter((value) => !('const' in schema && Array.isArray(listed)) || listed.some((one) => isEqual(one, value)))
    .filter(
      (value) =>
        types === undefined || (schema.nullable === true && value === null) || types.some((one) => isOf(value, one)),
    );
}

export function isOf(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

// Without a type, it is derived from the other keywords.
export function typesOf(schema: JsonSchema): string[] {
  const { type, nullable } = schema;
  if (type !== undefined) {
    const types = [type].flat() as string[];
    const plain = types.includes('number') ? types.filter((one) => one !== 'integer') : types;
    return nullable === true ? [...plain, 'null'] : plain;
  }
  const has = (...words: string[]): boolean => words.some((one) => schema[one] !== undefined);
  if (has('properties', 'required', 'additionalProperties', 'propertyNames')) return ['object'];
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return ['array'];
  if (has('pattern', 'format', 'minLength', 'maxLength')) return ['string'];
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return ['number'];
  return allTypes;
}
