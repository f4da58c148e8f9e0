// JSON schemas that clients send with a request: whether they are well-formed, and whether a value matches. Patterns
// are matched in linear time.
import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { compileSearch } from '../../core/regexp.ts';
import type { JsonSchema } from './engine.ts';

export class BadSchema extends Error {}

export type Validate = (value: unknown) => boolean;

const maxCharacters = 100_000;
const maxKept = 50;
const kept = new Map<string, Validate>(); // by the schema's text; in memory only

// Throws BadSchema for an invalid schema.
export function validatorOf(schema: JsonSchema): Validate {
  const text = JSON.stringify(schema);
  const known = kept.get(text);
  if (known) return known;
  if (text.length > maxCharacters) throw new BadSchema(`the schema has more than ${maxCharacters} characters`);
  const validate = compile(JSON.parse(text) as JsonSchema, text.length);
  if (kept.size >= maxKept) kept.delete(kept.keys().next().value as string);
  kept.set(text, validate);
  return validate;
}

// Ajv retains memory for every compiled schema, even removed ones, so it is replaced after this many characters.
const maxCompiled = 1_000_000; // characters
let library: Ajv2020 | undefined;
let compiled = 0;

function compile(schema: JsonSchema, size: number): Validate {
  compiled += size;
  if (!library || compiled > maxCompiled) {
    library = openLibrary();
    compiled = size;
  }
  delete schema.$schema; // the drafts that clients name do not differ in supported keywords
  delete schema.$id;
  delete schema.$async; // Ajv's own keyword, which would make it answer with promises
  try {
    const validate = library.compile(schema);
    return (value) => validate(value) === true;
  } catch (error) {
    throw new BadSchema(error instanceof Error ? error.message : String(error));
  } finally {
    library.removeSchema(schema);
  }
}

// Loaded with the first schema, so that the start does not wait for it.
function openLibrary(): Ajv2020 {
  const require = createRequire(import.meta.url);
  const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const addFormats = require('ajv-formats') as (ajv: Ajv2020) => void;
  // Ajv caches compiled patterns by their text.
  const linearRegExp = (pattern: string) => ({ test: compileSearch(pattern), toString: () => pattern });
  const linear = Object.assign(linearRegExp, { code: 'linearRegExp' });
  // The time of the optimization grows with the square of the schema.
  const code = { regExp: linear as never, optimize: false };
  const ajv = new Ajv({ strict: false, logger: false, inlineRefs: false, code });
  addFormats(ajv);
  return ajv;
}
