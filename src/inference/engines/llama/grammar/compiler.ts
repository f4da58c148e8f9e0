// What the parts of a schema are compiled with.
import type { JsonSchema } from '../../engine.ts';
import type { Schema } from './merge.ts';
import type { Expression, Rules } from './rules.ts';

// Where the schema sets no end. A small model does not find one by itself.
export interface Limits {
  depth: number; // of references to what they are in
  items: number;
  characters: number;
  digits: number;
}

export interface Compiler {
  readonly rules: Rules;
  readonly limits: Limits;
  values(schema: JsonSchema): unknown[] | undefined; // that it lists; undefined: none
  // Undefined: nothing matches.
  compile(schema: Schema, depth: number): Expression | undefined;
}
