// Derives an example body from the schema that works unchanged: the properties with an example, and the required ones.
import { isObject, type Json, type Values } from '../../base/json.ts';

export function exampleOf(schema: Json): Json {
  if (!isObject(schema)) return null;
  const [own] = Array.isArray(schema.examples) ? schema.examples : [];
  if (own !== undefined) return own;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  return type === 'object' ? objectOf(schema) : plainOf(schema, type);
}

function objectOf(schema: Values): Values {
  const made: Values = {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const [name, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    if (required.includes(name) || tells(inner)) made[name] = exampleOf(inner);
  return made;
}

// Whether the schema, or a part of it, has an example.
function tells(schema: Json): boolean {
  if (!isObject(schema) || schema.readOnly === true) return false;
  return (
    Array.isArray(schema.examples) || (isObject(schema.properties) && Object.values(schema.properties).some(tells))
  );
}

function plainOf(schema: Values, type: Json | undefined): Json {
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  switch (type) {
    case 'integer':
    case 'number':
      return Math.max(Number(schema.minimum ?? 0), 0);
    case 'boolean':
      return false;
    case 'array':
      return [];
    default:
      return 'example';
  }
}
