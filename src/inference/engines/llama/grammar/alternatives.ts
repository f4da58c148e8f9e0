// Whether the alternatives of a `oneOf` exclude each other, so that a text that the grammar writes for one matches no
// other. Only simple differences count: types, listed values, and properties that one has and the other can't have.
import type { JsonSchema } from '../../engine.ts';
import { isEqual, type Schema } from './merge.ts';
import { isOf, typesOf, valuesOf } from './values.ts';

const maxDepth = 4;

// Checks alternatives, without references and nested choices.
export type Flatten = (schema: Schema) => Schema[];

// No text that is written for the first matches the second.
export const isApart = (written: Schema, other: Schema, flatten: Flatten, depth = 0): boolean =>
  flatten(written).every((one) => flatten(other).every((two) => areApart(one, two, flatten, depth)));

function areApart(written: Schema, other: Schema, flatten: Flatten, depth: number): boolean {
  if (written === false || other === false) return true;
  if (written === true || other === true || depth > maxDepth) return false;
  const values = valuesOf(written);
  if (values) return values.every((value) => !mayMatch(value, other));
  const types = typesOf(written);
  if (types.every((type) => !mayHaveType(type, other))) return true;
  return types.every((type) => type === 'object') && areObjectsApart(written, other, flatten, depth);
}

function mayMatch(value: unknown, other: JsonSchema): boolean {
  const values = valuesOf(other);
  if (values) return values.some((one) => isEqual(one, value));
  return other.type === undefined || typesOf(other).some((type) => isOf(value, type));
}

function mayHaveType(type: string, other: JsonSchema): boolean {
  const values = valuesOf(other);
  if (values) return values.some((value) => isOf(value, type));
  if (other.type === undefined) return true;
  const types = typesOf(other);
  if (type === 'number' || type === 'integer') return types.includes('number') || types.includes('integer');
  return types.includes(type);
}

function areObjectsApart(written: JsonSchema, other: JsonSchema, flatten: Flatten, depth: number): boolean {
  const [own, others] = [propertiesOf(written), propertiesOf(other)];
  const [needed, demanded] = [requiredOf(written), requiredOf(other)];
  const isMap = own.size + needed.length === 0; // with names of the model's choice
  if (!isMap && demanded.some((name) => !own.has(name) && !needed.includes(name))) return true;
  if (other.additionalProperties === false && needed.some((name) => !others.has(name))) return true;
  return [...needed, ...demanded].some((name) => {
    const [one, two] = [own.get(name), others.get(name)];
    return one !== undefined && two !== undefined && isApart(one, two, flatten, depth + 1);
  });
}

const propertiesOf = (schema: JsonSchema): Map<string, Schema> =>
  new Map(Object.entries((schema.properties as Record<string, Schema> | undefined) ?? {}));
const requiredOf = (schema: JsonSchema): string[] => (schema.required as string[] | undefined) ?? [];
