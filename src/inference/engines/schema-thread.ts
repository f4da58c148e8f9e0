// A thread that works with the JSON schemas of requests, because compiling a large one takes a second.
import type { Json } from '../../base/json.ts';
import { yieldToOthers } from '../../core/threads/engine-thread.ts';
import { serveCalls } from '../../core/threads/worker-calls.ts';
import { EngineError, type JsonSchema } from './engine.ts';
import { BadSchema, validatorOf } from './schema-validator.ts';
import { randomOf } from './tiny/random.ts';
import { instanceOf } from './tiny/schema-instance.ts';

// `problem`: why the schema can't be used.
export type SchemaOutcome<Value> = { value: Value } | { problem: string };

export interface SchemaCalls {
  check(schema: JsonSchema): SchemaOutcome<true>;
  instance(request: { schema: JsonSchema; seed: number }): SchemaOutcome<Json>;
}

yieldToOthers();

serveCalls<SchemaCalls>({
  check: (schema) =>
    outcomeOf(() => {
      validatorOf(schema);
      return true;
    }),
  instance: ({ schema, seed }) => outcomeOf(() => instanceOf(schema, randomOf(seed))),
});

function outcomeOf<Value>(work: () => Value): SchemaOutcome<Value> {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof BadSchema || error instanceof EngineError) return { problem: error.message };
    // The code that is generated from a schema calls itself for each part of it.
    if (error instanceof RangeError) return { problem: 'it has too many parts' };
    throw error;
  }
}
