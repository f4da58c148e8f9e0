// Schemas of all kinds, for tests: from a word to a recursive expression.
import type { JsonSchema } from '../engine.ts';

export const text = { type: 'string' };
export const person = {
  type: 'object',
  properties: { name: text, age: { type: 'integer', minimum: 0, maximum: 130 } },
  required: ['name', 'age'],
  additionalProperties: false,
};
const tree = {
  $defs: {
    node: {
      type: 'object',
      properties: { value: { type: 'integer' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      required: ['value', 'children'],
      additionalProperties: false,
    },
  },
  $ref: '#/$defs/node',
};
const linkedList = {
  type: 'object',
  properties: { value: text, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
  required: ['value', 'next'],
  additionalProperties: false,
};
const expression = {
  $defs: {
    expression: { oneOf: [{ $ref: '#/$defs/number' }, { $ref: '#/$defs/sum' }] },
    number: {
      type: 'object',
      properties: { kind: { const: 'number' }, value: { type: 'number' } },
      required: ['kind', 'value'],
      additionalProperties: false,
    },
    sum: {
      type: 'object',
      properties: {
        kind: { const: 'sum' },
        left: { $ref: '#/$defs/expression' },
        right: { $ref: '#/$defs/expression' },
      },
      required: ['kind', 'left', 'right'],
      additionalProperties: false,
    },
  },
  $ref: '#/$defs/expression',
};

export const schemas: JsonSchema[] = [
  {},
  text,
  { type: 'boolean' },
  { type: 'null' },
  { type: ['string', 'null'] },
  { enum: ['red', 'green', 3, null, { a: 1 }] },
  { const: { fixed: [1, 2] } },
  { type: 'integer', minimum: 5, maximum: 7 },
  { type: 'integer', exclusiveMinimum: 5, exclusiveMaximum: 7 },
  { type: 'integer', multipleOf: 7, minimum: 100 },
  { type: 'integer', maximum: -50 },
  { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
  { type: 'number', minimum: 0.5, maximum: 0.75 },
  { type: 'number', multipleOf: 0.25, minimum: 1 },
  { type: 'string', minLength: 50, maxLength: 60 },
  { type: 'string', maxLength: 2 },
  { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' },
  { type: 'string', pattern: '^(\\+49|0)[1-9][0-9]{5,10}$' },
  { type: 'string', pattern: '^#[0-9a-f]{6}$' },
  { type: 'string', pattern: 'ab+c' },
  { type: 'string', pattern: '^[a-z]+$', minLength: 12, maxLength: 20 },
  { type: 'string', pattern: '^(?:one|two|three)(, (?:one|two|three))*$' },
  ...['date', 'time', 'date-time', 'duration', 'email', 'uuid', 'uri', 'hostname', 'ipv4', 'ipv6'].map((format) => ({
    type: 'string',
    format,
  })),
  { type: 'array', items: text },
  { type: 'array', items: { type: 'integer' }, minItems: 4, maxItems: 6 },
  { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 3 },
  { type: 'array', prefixItems: [text, { type: 'integer' }], items: false, minItems: 2 },
  { type: 'array', contains: { const: 7 }, items: { type: 'integer' } },
  person,
  { type: 'object', properties: { people: { type: 'array', items: person, minItems: 1 } }, required: ['people'] },
  { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 2 },
  { anyOf: [person, { type: 'array', items: text }, { type: 'integer' }] },
  { allOf: [person, { properties: { name: { minLength: 3 } } }] },
  { allOf: [{ type: 'integer', minimum: 3 }, { maximum: 4 }] },
  {
    oneOf: [
      { type: 'integer', multipleOf: 3 },
      { type: 'integer', multipleOf: 5 },
    ],
    minimum: 1,
    maximum: 40,
  },
  { type: 'object', properties: { a: { anyOf: [text, { type: 'null' }] } }, required: ['a'] },
  { type: 'integer', not: { multipleOf: 2 } },
  {
    type: 'object',
    properties: { kind: { enum: ['card', 'cash'] }, number: { type: 'string', pattern: '^\\d{4}$' } },
    required: ['kind'],
    if: { properties: { kind: { const: 'card' } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { required: ['number'] },
  },
  { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'urn:x', ...person },
  { type: 'object', properties: JSON.parse('{"__proto__":{"type":"integer"}}'), required: ['__proto__'] },
  tree,
  linkedList,
  expression,
  {
    type: 'object',
    properties: {
      title: { $ref: '#/$defs/title', description: 'with a sibling' },
      steps: { type: 'array', items: { $ref: '#/$defs/step' }, minItems: 2 },
    },
    required: ['title', 'steps'],
    $defs: { title: { type: 'string', minLength: 1 }, step: { anyOf: [{ $ref: '#/$defs/title' }, person] } },
  },
];
