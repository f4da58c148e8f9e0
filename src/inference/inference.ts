// The way of an order to an engine: it finds the model, checks that the prompt fits its context, waits for its turn,
// and counts the usage. Engine errors become faults here. No part of a prompt or an answer is kept.
import { Fault, type FaultDetail } from '../base/fault.ts';
import type { Model, Models } from './catalogue.ts';
import {
  type Embedded,
  EngineError,
  type ImageOrder,
  overContext,
  type TextEngine,
  type TextOrder,
  type TextPart,
} from './engines/engine.ts';
import { BadSchema } from './engines/schema-validator.ts';
import type { Schedule } from './schedule.ts';
import type { InferenceUsage } from './usage.ts';
import { shortened } from './vectors.ts';

export class Inference {
  readonly models: Models;
  readonly #schedule: Schedule;
  readonly #usage: InferenceUsage;
  readonly #leaving = new AbortController();

  constructor(models: Models, schedule: Schedule, usage: InferenceUsage) {
    this.models = models;
    this.#schedule = schedule;
    this.#usage = usage;
  }

  // For a streamed answer: it is aborted when the client leaves, and fails if it is not over when the region must stop.
  whileServing(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#leaving.signal]);
  }

  leave(limitMs: number): void {
    const stopping = new Fault('unavailable', 'The region is stopping.', { code: 'model_failed', retryAfterS: 2 });
    if (limitMs === 0) this.#leaving.abort(stopping);
    else setTimeout(() => this.#leaving.abort(stopping), limitMs).unref();
  }

  // The answer to one order. A client that leaves pays for what it received; the prompt of several choices is billed
  // once.
  async *text(model: Model, order: TextOrder, signal: AbortSignal): AsyncGenerator<TextPart> {
    const { contract } = order;
    const engine = this.models.text(model);
    let inputTokens = 0;
    let outputTokens = 0;
    try {
      inputTokens = await fittingTokens(model, engine, order, signal);
      for await (const part of this.#schedule.stream(engine, contract, signal, () => engine.generate(order, signal))) {
        if (part.kind === 'end') [inputTokens, outputTokens] = [part.promptTokens, part.completionTokens];
        else outputTokens += 1;
        yield part;
      }
    } catch (error) {
      throw faultOf(error, signal);
    } finally {
      const billed = order.choice === undefined ? { inputTokens, outputTokens } : { outputTokens };
      if (outputTokens > 0) this.#usage.add(contract, model.id, billed);
    }
  }

  // Vectors of the promised length. Zeros at the end of a shorter one preserve all angles; a longer one is
  // truncated.
  async embed(
    contract: number,
    model: Model,
    texts: string[],
    signal: AbortSignal,
    isBilled = true,
  ): Promise<Embedded> {
    const engine = this.models.embedding(model);
    try {
      const made = await this.#schedule.run(engine, contract, signal, () => engine.embed(texts, signal));
      if (isBilled) this.#usage.add(contract, model.id, { inputTokens: made.tokens });
      return { ...made, vectors: made.vectors.map((vector) => fitted(vector, model.dimensions)) };
    } catch (error) {
      if (!(error instanceof EngineError && error.reason === 'too-long')) throw faultOf(error, signal);
      const served = `${model.id} takes ${model.contextTokens} tokens, but here it is served by ${engine.servedBy}`;
      const problem = overContext(this.longestText(model), 'more');
      throw tooLong(`${problem} ${served}: ${error.message}`, 'The input is too long.');
    }
  }

  // The longest text that can be embedded, in tokens.
  longestText(model: Model): number {
    return Math.min(model.contextTokens, this.models.embedding(model).contextTokens);
  }

  async image(contract: number, model: Model, order: ImageOrder, signal: AbortSignal): Promise<Uint8Array> {
    const engine = this.models.image(model);
    try {
      const made = await this.#schedule.run(engine, contract, signal, () => engine.make(order, signal));
      this.#usage.add(contract, model.id, { images: 1 });
      return made;
    } catch (error) {
      throw faultOf(error, signal);
    }
  }
}

async function fittingTokens(model: Model, engine: TextEngine, order: TextOrder, signal: AbortSignal): Promise<number> {
  const tokens = await engine.countTokens(order.input, signal);
  if (tokens === undefined) return 0;
  if (tokens <= model.contextTokens && tokens < engine.contextTokens) return tokens;
  const most = Math.min(model.contextTokens, engine.contextTokens);
  const served = `${model.id} takes ${model.contextTokens}, but here it is served by ${engine.servedBy}. `;
  const why = most < model.contextTokens ? served : '';
  throw tooLong(`${overContext(most, `at least ${tokens}`)} ${why}Reduce the length of the prompt.`);
}

const tooLongCode = 'context_length_exceeded';
// An upstream's message may repeat parts of the request.
const tooLong = (message: string, kept = message): Fault => new Fault('refused', message, privately(kept, tooLongCode));
export const isTooLong = (error: unknown): boolean => error instanceof Fault && error.detail.code === tooLongCode;

function fitted(vector: Float32Array, dimensions = vector.length): Float32Array {
  if (vector.length >= dimensions) return shortened(vector, dimensions);
  const longer = new Float32Array(dimensions);
  longer.set(vector);
  return longer;
}

// The message of an engine or a schema check may quote the request. Only the client gets it; the audit and the log get
// the problem alone.
function faultOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted && signal.reason instanceof Fault) return signal.reason;
  if (signal.aborted) return new Fault('timeout', 'The client has disconnected.');
  if (error instanceof BadSchema) return new SchemaFault(error.message);
  if (!(error instanceof EngineError)) return error;
  const { reason, message } = error;
  if (reason === 'too-long') return tooLong(message, 'The prompt is too long.');
  if (reason === 'schema') return new SchemaFault(message);
  if (reason === 'refused') return new Fault('refused', message, privately('The model refused the request.'));
  if (reason === 'overloaded')
    return new Fault('throttled', 'The model is overloaded. Try again later.', {
      code: 'model_overloaded',
      retryAfterS: error.retryAfterS ?? 5,
    });
  const code = reason === 'crashed' ? 'model_failed' : 'model_timeout';
  return new Fault('unavailable', message, { code, retryAfterS: 2 });
}

export class SchemaFault extends Fault {
  constructor(why: string) {
    super('refused', `The schema can't be used: ${why.replace(/\.$/, '')}.`, privately("The schema can't be used."));
  }
}

const privately = (message: string, code = 'invalid_value'): FaultDetail => ({ code, problems: [{ code, message }] });
