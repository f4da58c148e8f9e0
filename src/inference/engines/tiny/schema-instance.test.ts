// Values of schemas, checked by Ajv with JavaScript's own regular expressions.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { EngineError } from '../engine.ts';
import { BadSchema } from '../schema-validator.ts';
import { randomOf } from './random.ts';
import { instanceOf } from './schema-instance.ts';
import { person, schemas, text } from './testing-schemas.ts';

const require = createRequire(import.meta.url);
const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
const addFormats = require('ajv-formats') as (ajv: InstanceType<typeof Ajv2020>) => void;

test('[INFER-04] every value matches its schema, from a word to a recursive expression', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  for (const [at, schema] of schemas.entries()) {
    const { $id: _, $schema: __, ...plain } = schema;
    const validate = ajv.compile(plain);
    for (let seed = 0; seed < 10; seed++) {
      const value = JSON.parse(JSON.stringify(instanceOf(schema, randomOf(seed)))) as unknown;
      assert.ok(validate(value), `schema ${at}: ${JSON.stringify(schema)} ${JSON.stringify(value)}`);
    }
  }
});

test('the same seed gives the same value, and another seed usually another value', () => {
  const made = (seed: number): string => JSON.stringify(instanceOf(person, randomOf(seed)));
  assert.equal(made(1), made(1));
  assert.ok(new Set([1, 2, 3, 4, 5].map(made)).size > 1);
});

test('unsatisfiable and invalid schemas are refused', () => {
  const endless = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
  for (const schema of [endless, { enum: ['a'], type: 'integer' }, { allOf: [text, { type: 'integer' }] }])
    assert.throws(() => instanceOf(schema, randomOf(1)), /schema/);
  for (const schema of [{ type: 'strange' }, { $ref: '#/$defs/none' }, { pattern: '(' }, { pattern: '(a{900}){900}' }])
    assert.throws(() => instanceOf(schema, randomOf(1)), BadSchema);
  const nested = { type: 'string', pattern: `^${'('.repeat(12)}a${'*)'.repeat(12)}$` };
  try {
    assert.match(String(instanceOf(nested, randomOf(1))), /^a*$/);
  } catch (error) {
    assert.match(String(error), /too large/);
  }
});

// They would block the region's main thread for minutes, or end its process.
test('[INFER-04] a short but excessive schema is refused at once, without harm', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const names = Array.from({ length: 40 }, (_, at) => `d${at}`);
  const circles = Object.fromEntries(
    names.map((name) => [name, { type: 'object', required: names, properties: refs(names) }]),
  );
  const doubled = Object.fromEntries(names.map((name, at) => [name, { allOf: [ref(at - 1), ref(at - 1)] }]));
  const schemas = [
    { type: 'string', minLength: 400_000_000 },
    { $ref: '#/$defs/d0', $defs: circles },
    { $ref: '#/$defs/d39', $defs: { ...doubled, 'd-1': text } },
    { type: 'array', minItems: 4000, items: text, not: {} },
    { type: 'array', minItems: 4000, items: { type: 'string', pattern: '^([a-z]{1,5}-?){3,9}$' } },
    { $async: true, type: 'object', properties: { a: { not: {} } }, required: ['a'] },
  ];
  for (const schema of schemas) assert.throws(() => instanceOf(schema, randomOf(1)), EngineError);
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  assert.deepEqual(unhandled, []);
});

const ref = (at: number): { $ref: string } => ({ $ref: `#/$defs/d${at}` });
const refs = (names: readonly string[]) => Object.fromEntries(names.map((name, at) => [name, ref(at)]));
