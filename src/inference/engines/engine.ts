// An engine runs a model. The API turns a client's call into an order; an engine turns the order into text, vectors or
// images. There are three engines: the tiny model (TypeScript, always available), llama (a GGUF file in a separate
// process) and upstream (any OpenAI-compatible server).

export type JsonSchema = { [keyword: string]: unknown };

export interface ChatTurn {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  images?: string[]; // addresses, `data:` ones too; an engine that can't see them refuses
  name?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
}

export interface ToolCall {
  id: string;
  name: string;
  arguments: string; // JSON
}

// The form that the text must match: any JSON object, a schema, or one of some tools' calls
// (`{"name":…,"arguments":{…}}`).
export type TextForm = { kind: 'object' } | { kind: 'schema'; schema: JsonSchema } | { kind: 'tools'; tools: Tool[] };

export interface Tool {
  name: string;
  description?: string;
  parameters?: JsonSchema;
}

export interface TextOrder {
  contract: number; // a remembered prompt is reused only within its contract
  input: { turns: ChatTurn[]; tools: Tool[] } | { prompt: string };
  form?: TextForm;
  maxTokens?: number; // absent: until the model ends or its context is full
  temperature?: number; // absent: the engine's own default
  topP: number;
  seed?: number;
  choice?: number; // which of several answers to one prompt; absent: the first, or the only one
  stop: string[];
  presencePenalty: number;
  frequencyPenalty: number;
  logitBias: Record<string, number>;
  topLogprobs?: number; // absent: none are requested
  reasoningEffort?: string; // of models that reason
}

export interface TokenLogprob {
  token: string;
  logprob: number;
  top: { token: string; logprob: number }[];
}

// With the form `tools` the text is the call. Without it, a model that decides to call a tool returns a `call`.
export type TextPart =
  | { kind: 'text'; text: string; logprobs?: TokenLogprob[] }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; call: ToolCall }
  | { kind: 'end'; reason: 'stop' | 'length'; promptTokens: number; completionTokens: number };

export interface TextEngine {
  // Shown in `served_by`: the model that really answers.
  readonly servedBy: string;
  readonly contextTokens: number;
  readonly parallel: number; // orders that run at once; further orders wait in the queue
  // A lower bound if the input is too long. Undefined: only the upstream can count the tokens and refuse long inputs.
  countTokens(input: TextOrder['input'], signal: AbortSignal): Promise<number | undefined>;
  // Ends with one `end`. An abort frees the resources of the order.
  generate(order: TextOrder, signal: AbortSignal): AsyncIterable<TextPart>;
}

export interface EmbeddingEngine {
  readonly servedBy: string;
  // The engine's own number; the API pads vectors to the promised length. Undefined: not known before the first answer.
  readonly dimensions: number | undefined;
  readonly contextTokens: number; // of one text
  readonly parallel: number;
  // A text that is longer than the context is refused as too long.
  embed(texts: string[], signal: AbortSignal): Promise<Embedded>;
}

export interface Embedded {
  vectors: Float32Array[]; // of length 1
  tokens: number;
  madeBy: string; // names the weights: vectors of different weights can't be compared
}

export interface ImageOrder {
  prompt: string;
  width: number;
  height: number;
  seed: number; // the seed of this one image
}

export interface ImageEngine {
  readonly servedBy: string;
  readonly parallel: number;
  make(order: ImageOrder, signal: AbortSignal): Promise<Uint8Array>; // a PNG
}

// Where engines come from, by the model's id in the catalogue. It is asked at each call, so that an added or removed
// model counts at once; a source caches its engines. Undefined: this source has no engine, and the next source is
// asked.
export interface EngineSource {
  text?(model: string): TextEngine | undefined;
  embedding?(model: string): EmbeddingEngine | undefined;
  image?(model: string): ImageEngine | undefined;
  ownModels?(): readonly OwnModel[]; // that the user has registered in addition to the catalogue
  refresh?(): Promise<void>; // learns which model its engines report in `servedBy`; never fails
  close?(): Promise<void>;
}

export interface OwnModel {
  id: string;
  kind: 'chat' | 'embedding';
  contextTokens: number;
  dimensions?: number; // of an embedding
}

// An engine that can't answer now: the message is for the client.
export class EngineError extends Error {
  readonly reason: 'overloaded' | 'crashed' | 'too-long' | 'time-out' | 'schema' | 'refused';
  readonly retryAfterS: number | undefined; // as the upstream server requested
  constructor(reason: EngineError['reason'], message: string, retryAfterS?: number) {
    super(message);
    this.reason = reason;
    this.retryAfterS = retryAfterS;
  }
}

// For engines that can't see them.
export function refuseImages(input: TextOrder['input']): void {
  if ('turns' in input && input.turns.some(({ images }) => images?.length))
    throw new EngineError('refused', "The model that serves this id on this machine can't process images.");
}

// litellm and other clients recognise vLLM's message, not the error's code.
export const overContext = (most: number, tokens: number | string): string =>
  `This model's maximum context length is ${most} tokens. However, your request has ${tokens} input tokens.`;

// `tokens`: undefined if they were not counted to the end.
export const tooLongText = (index: number, tokens: number | undefined, most: number): EngineError =>
  new EngineError('too-long', `text ${index} has ${tokens ?? 'more'} tokens, and at most ${most} fit`);
