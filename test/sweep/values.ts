// Bodies out of the schemas of the OpenAPI documents: one that is acceptable, all that are wrong in one place, and
// seeded mutations of anything.

import type { Chance } from '../../src/testing/seed.ts';
import type { Schema } from './api.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat());

// The least a schema asks for, plus a password where there is one to set.
export function validFor(schema: Schema): Json {
  if (schema.examples?.length) return schema.examples[0] as Json;
  const [type] = typesOf(schema);
  if (type !== 'object') return plainFor(schema, type);
  const made: { [key: string]: Json } = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (schema.required?.includes(name) || name === 'password')
      made[name] = name === 'password' ? 'Valid-Password-1' : validFor(property);
  }
  return made;
}

function plainFor(schema: Schema, type: string | undefined): Json {
  if (schema.enum) return schema.enum[0] as Json;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  return 'x'.repeat(Math.max(1, schema.minLength ?? 1));
}

export interface Wrong {
  says: string;
  body: Json;
}

// Every property of every depth with each value it must not have. The core API accepts numbers as texts.
export function wrongFor(schema: Schema, base: Json, isCore: boolean, at: string[] = []): Wrong[] {
  const found: Wrong[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.readOnly) continue;
    const path = [...at, name];
    for (const value of wrongValues(property, isCore)) {
      found.push({
        says: `${path.join('.')} = ${JSON.stringify(value)?.slice(0, 40)}`,
        body: withAt(base, path, value),
      });
    }
    if (property.properties) found.push(...wrongFor(property, base, isCore, path));
  }
  if (schema.additionalProperties === false || schema.properties?.properties) {
    for (const key of ['unknown', '__proto__', 'constructor', 'toString', '\ud800', '']) {
      found.push({ says: `${[...at, key].join('.')} is unknown`, body: withAt(base, [...at, key], {}) });
    }
  }
  for (const name of schema.required ?? [])
    found.push({ says: `${[...at, name].join('.')} is missing`, body: withAt(base, [...at, name], undefined) });
  return found;
}

function wrongValues(schema: Schema, isCore: boolean): Json[] {
  const types = typesOf(schema);
  const all: [string, Json][] = [
    ['string', 'text'],
    ['integer', 7],
    ['boolean', true],
    ['array', ['x']],
    ['array', []],
    ['object', { a: 1 }],
    ['object', {}],
    ['null', null],
  ];
  const wrong = all
    .filter(([type]) => !types.includes(type) && !(type === 'integer' && types.includes('number')))
    .map(([, value]) => value);
  if (types.includes('integer')) wrong.push(1.5, 1e300, -1e300, isCore ? '7 ' : '7', Number.MAX_SAFE_INTEGER + 2);
  if (schema.minimum !== undefined) wrong.push(schema.minimum - 1);
  if (schema.maximum !== undefined) wrong.push(schema.maximum + 1);
  if (types.includes('string'))
    wrong.push('\ud800', 'a\udc00b', 'nul\0nul', 'x'.repeat((schema.maxLength ?? 100_000) + 1));
  if (types.includes('string') && (schema.minLength ?? 0) > 0) wrong.push('');
  if (schema.enum) wrong.push('none of them', `${schema.enum[0]} `);
  if (schema.pattern !== undefined) wrong.push('\n', ' ');
  if (types.includes('array')) wrong.push(Array.from({ length: 100_000 }, () => null));
  if (schema.items) wrong.push(...wrongValues(schema.items, isCore).map((value) => [value]));
  return wrong;
}

// A copy with one place changed; undefined takes the place away. Keys are defined, so that __proto__ is one of them.
function withAt(base: Json, path: string[], value: Json | undefined): Json {
  const [name = '', ...rest] = path;
  const copy: { [key: string]: Json } = {};
  const own = typeof base === 'object' && base !== null && !Array.isArray(base) ? base : {};
  const set = (key: string, one: Json): void =>
    void Object.defineProperty(copy, key, { value: one, enumerable: true, configurable: true });
  for (const [key, one] of Object.entries(own)) set(key, one);
  const inner = rest.length ? withAt(own[name] ?? {}, rest, value) : value;
  if (inner === undefined) delete copy[name];
  else set(name, inner);
  return copy;
}

// A few random changes to the text or to the value; the result may be valid or not.
export function mutated(body: Json, chance: Chance): Buffer {
  if (chance.often(50)) return Buffer.from(JSON.stringify(stirred(body, chance)));
  const bytes = Buffer.from(JSON.stringify(body));
  for (let count = 1 + chance.below(4); count > 0; count--) {
    const at = chance.below(bytes.length);
    if (chance.often(50)) bytes[at] = chance.below(256);
    else bytes[at] = chance.one(['"', '{', '}', '[', ']', ',', ':', '\\', '0', 'e', '-', ' ']).charCodeAt(0);
  }
  return chance.often(30) ? bytes.subarray(0, chance.below(bytes.length)) : bytes;
}

function stirred(value: Json, chance: Chance): Json {
  if (chance.often(15)) return odd(chance);
  if (Array.isArray(value))
    return value.flatMap((one) => Array.from({ length: chance.below(3) }, () => stirred(one, chance)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]): [string, Json] => [
    chance.often(8) ? String(odd(chance)) : key,
    stirred(one, chance),
  ]);
  if (chance.often(20)) entries.push([chance.one(['id', 'href', 'metadata', 'entities', 'type', 'x']), odd(chance)]);
  return Object.fromEntries(entries);
}

const odd = (chance: Chance): Json =>
  chance.one<Json>([
    null,
    true,
    0,
    -1,
    1e21,
    0.1,
    '',
    'a',
    '\u0000',
    '\u{1f600}',
    '\ud800',
    '../..',
    "'; DROP TABLE resource; --",
    '%00',
    '$1',
    'x'.repeat(5000),
    [],
    {},
    [[]],
    { items: [] },
    { items: [null] },
    { lans: { items: [{ properties: {} }] } },
    { lans: { items: [1] } },
    { lans: [] },
    [null, 1, 'a'],
  ]);
