// JSON schemas that clients send with a request: whether they are well-formed, and whether a value matches. Patterns
// are matched in linear time.
import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { compileSearch } from '../../core/regexp.ts';
import type { JsonSchema } from './engine.ts';

export class BadSchema extends Error {}

export type Validate = (value: unknown) => boolean;

const mostCharacters = 100_000;
const mostKept = 50;
const kept = new Map<string, Validate>(); // by the schema's text; in memory only

// Throws BadSchema for what is no schema.
export function validatorOf(schema: JsonSchema): Validate {
  const text = JSON.stringify(schema);
  const known = kept.get(text);
  if (known) return known;
  if (text.length > mostCharacters) throw new BadSchema(`the schema has more than ${mostCharacters} characters`);
  const validate = compile(JSON.parse(text) as JsonSchema, text.length);
  if (kept.size >= mostKept) kept.delete(kept.keys().next().value as string);
  kept.set(text, validate);
  return validate;
}

// Ajv keeps something of every schema that it has compiled, removed or not: after so much of them it is made anew.
const mostCompiled = 1_000_000; // characters
let library: Ajv2020 | undefined;
let compiled = 0;

function compile(schema: JsonSchema, size: number): Validate {
  compiled += size;
  if (!library || compiled > mostCompiled) {
    library = openLibrary();
    compiled = size;
  }
  delete schema.$schema; // drafts that clients name differ in nothing that matters here
  delete schema.$id;
  delete schema.$async; // a word of Ajv's own: it would answer by promises
  try {
    const validate = library.compile(schema);
    return (value) => validate(value) === true;
  } catch (error) {
    throw new BadSchema(error instanceof Error ? error.message : String(error));
  } finally {
    library.removeSchema(schema);
  }
}

// Loaded with the first schema, so that a start does not wait for it.
function openLibrary(): Ajv2020 {
  const require = createRequire(import.meta.url);
  const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const addFormats = require('ajv-formats') as (ajv: Ajv2020) => void;
  // Ajv knows compiled patterns by their text.
  const linearRegExp = (pattern: string) => ({ test: compileSearch(pattern), toString: () => pattern });
  const linear = Object.assign(linearRegExp, { code: 'linearRegExp' });
  // Optimizing takes time that grows with the square of the schema.
  const code = { regExp: linear as never, optimize: false };
  const ajv = new Ajv({ strict: false, logger: false, inlineRefs: false, code });
  addFormats(ajv);
  return ajv;
}
