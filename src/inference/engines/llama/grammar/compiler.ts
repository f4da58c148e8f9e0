// The context in which the parts of a schema are compiled.
import type { JsonSchema } from '../../engine.ts';
import type { Schema } from './merge.ts';
import type { Expression, Rules } from './rules.ts';

// Limits for schemas that set none: a small model does not stop by itself.
export interface Limits {
  depth: number; // of nested references
  items: number;
  characters: number;
  digits: number;
}

export interface Compiler {
  readonly rules: Rules;
  readonly limits: Limits;
  values(schema: JsonSchema): unknown[] | undefined; // that it lists; undefined: it lists none
  // Undefined: nothing matches.
  compile(schema: Schema, depth: number): Expression | undefined;
}
