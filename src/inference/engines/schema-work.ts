// Runs work with the JSON schemas of requests in a separate thread. It starts with the first schema, and ends when it
// is idle for a while.
import type { Json } from '../../base/json.ts';
import { LostCall, WorkerPool } from '../../core/threads/worker-pool.ts';
import type { JsonSchema } from './engine.ts';
import type { SchemaCalls, SchemaOutcome } from './schema-thread.ts';
import { BadSchema } from './schema-validator.ts';

const deadlineMs = 20_000;
const idleMs = 20_000;

const pool = new WorkerPool<SchemaCalls>({
  name: 'The check of JSON schemas',
  module: new URL('./schema-thread.ts', import.meta.url),
  threads: 2,
  sharedThreads: 1,
  callsPerThread: 1,
  waitingPerGroup: 200,
  idleMs,
  resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 },
});

// Throws BadSchema for what is not a schema.
export async function checkSchema(schema: JsonSchema, contract: number): Promise<void> {
  await outcomeValue(pool.call('check', schema, optionsOf(contract)));
}

// A value that matches the schema, the same for the same seed. Throws BadSchema if no value is found.
export async function schemaInstance(schema: JsonSchema, seed: number, contract: number): Promise<Json> {
  return outcomeValue(pool.call('instance', { schema, seed }, optionsOf(contract)));
}

// Contracts take turns.
const optionsOf = (contract: number) => ({ group: String(contract), deadlineMs });

async function outcomeValue<Value>(called: Promise<SchemaOutcome<Value>>): Promise<Value> {
  const outcome = await called.catch((error: unknown) => {
    if (error instanceof LostCall && error.reason !== 'other')
      return { problem: 'it takes too long to check. Simplify it' };
    throw error;
  });
  if ('problem' in outcome) throw new BadSchema(outcome.problem);
  return outcome.value;
}
