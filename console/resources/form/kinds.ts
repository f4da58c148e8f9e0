// Kinds of a thing, such as Cubes among servers: which fields the form has for each of them, and what stays of the
// value when another kind is chosen.
import type { FieldSchema } from '../model.ts';
import { type Json, propertiesOf, requiredOf, valueAt, withValue } from '../schema-form/form-value.ts';
import type { Along, FormStart, Kind } from './form-start.ts';

type Fields<Value> = Readonly<Record<string, Value>>;

export function kindOf(start: FormStart | undefined, value: Json): Kind | undefined {
  const properties = (valueAt(value, ['properties']) ?? {}) as Fields<Json | undefined>;
  return start?.kinds?.find((one) => one.isOf(properties));
}

// The schema of the body, with the properties that the kind has.
export function schemaOfKind(start: FormStart | undefined, schema: FieldSchema, value: Json): FieldSchema {
  const own = propertiesOf(schema).find(([name]) => name === 'properties')?.[1];
  if (!start?.kinds || !own) return schema;
  const kind = kindOf(start, value);
  const properties = {
    ...own,
    properties: without(own.properties as Fields<FieldSchema>, lacking(start, kind)),
    required: [...requiredOf(own), ...(kind?.needs ?? [])],
  };
  return { ...schema, properties: { ...(schema.properties as Fields<FieldSchema>), properties } };
}

// The value after a change: where another kind was chosen, what that does not have is dropped, and what the last one
// did not have is again as the form began.
export function fittedValue(start: FormStart, value: Json, before: Json): Json {
  const kind = kindOf(start, value);
  const last = kindOf(start, before);
  if (kind === last) return value;
  const now = valueAt(value, ['properties']) as Fields<Json>;
  const back = picked(start.properties, last?.without ?? []);
  let fitted = withValue(value, ['properties'], without({ ...back, ...now }, lacking(start, kind))) ?? {};
  for (const along of start.along)
    if (valueAt(fitted, ['entities', along.in]) !== undefined)
      fitted = withValue(fitted, propertiesPlace(along), fittedAlong(along, kind, last, fitted)) ?? {};
  return fitted;
}

function fittedAlong(along: Along, kind: Kind | undefined, last: Kind | undefined, value: Json): Fields<Json> {
  const now = valueAt(value, propertiesPlace(along)) as Fields<Json>;
  return ofKind({ ...now, ...picked(along.properties, notAsked(along, last)) }, along, kind);
}

// What an along has of a kind.
function ofKind(properties: Fields<Json>, along: Along, kind: Kind | undefined): Fields<Json> {
  const own = kind?.along[along.in];
  return own ? { ...without(properties, own.without), ...own.properties } : properties;
}

export const alongStart = (along: Along, kind: Kind | undefined): Json => ({
  items: [{ properties: ofKind(along.properties, along, kind) }],
});

export const askedOfAlong = (along: Along, kind: Kind | undefined): readonly string[] =>
  along.only.filter((name) => !notAsked(along, kind).includes(name));

function notAsked(along: Along, kind: Kind | undefined): readonly string[] {
  const own = kind?.along[along.in];
  return own ? [...own.without, ...Object.keys(own.properties)] : [];
}

export const propertiesPlace = (along: Along): readonly string[] => ['entities', along.in, 'items', '0', 'properties'];

// What it has not, and what only other kinds have.
const lacking = ({ kinds = [] }: FormStart, kind: Kind | undefined): readonly string[] => [
  ...(kind?.without ?? []),
  ...kinds.filter((one) => one !== kind).flatMap(({ needs }) => needs),
];

const without = <Value>(fields: Fields<Value>, names: readonly string[]): Fields<Value> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const picked = (fields: Fields<Json>, names: readonly string[]): Fields<Json> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
