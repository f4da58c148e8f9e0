// What runs a model. The API turns a client's call into an order; an engine turns the order into text, vectors or
// images. There are three: the tiny model (TypeScript, always there), llama (a GGUF file in a process of its own) and
// upstream (any OpenAI-compatible server).

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

// What the text must match: any JSON object, a schema, or one of some tools' calls (`{"name":…,"arguments":{…}}`).
export type TextForm = { kind: 'object' } | { kind: 'schema'; schema: JsonSchema } | { kind: 'tools'; tools: Tool[] };

export interface Tool {
  name: string;
  description?: string;
  parameters?: JsonSchema;
}

export interface TextOrder {
  contract: number; // what is kept of a prompt is reused within its contract only
  input: { turns: ChatTurn[]; tools: Tool[] } | { prompt: string };
  form?: TextForm;
  maxTokens?: number; // absent: until the model ends or its context is full
  temperature: number;
  topP: number;
  seed?: number;
  choice?: number; // which of several answers to one prompt; absent: the first, or the only one
  stop: string[];
  presencePenalty: number;
  frequencyPenalty: number;
  logitBias: Record<string, number>;
  topLogprobs?: number; // absent: none are asked for
  reasoningEffort?: string; // of models that reason
}

export interface TokenLogprob {
  token: string;
  logprob: number;
  top: { token: string; logprob: number }[];
}

// With the form `tools` the text is the call. Without it, a model that decides to call a tool says so by `call`.
export type TextPart =
  | { kind: 'text'; text: string; logprobs?: TokenLogprob[] }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; call: ToolCall }
  | { kind: 'end'; reason: 'stop' | 'length'; promptTokens: number; completionTokens: number };

export interface TextEngine {
  // Said in `served_by`: what really answers.
  readonly servedBy: string;
  readonly contextTokens: number;
  readonly parallel: number; // orders that run at once; more of them wait in the queue before it
  // Of what is too long, at least so many. Undefined: only the upstream can count them, and refuses what is too long.
  countTokens(input: TextOrder['input'], signal: AbortSignal): Promise<number | undefined>;
  // Ends with one `end`. An abort frees what the order holds.
  generate(order: TextOrder, signal: AbortSignal): AsyncIterable<TextPart>;
}

export interface EmbeddingEngine {
  readonly servedBy: string;
  // Of what it gives by itself; the API pads to what the catalogue promises. Undefined: it has not answered yet.
  readonly dimensions: number | undefined;
  readonly contextTokens: number; // of one text
  readonly parallel: number;
  // A text that is longer than the context is refused as too long.
  embed(texts: string[], signal: AbortSignal): Promise<Embedded>;
}

export interface Embedded {
  vectors: Float32Array[]; // of length 1
  tokens: number;
  madeBy: string; // names the weights: vectors of two makers can't be compared
}

export interface ImageOrder {
  prompt: string;
  width: number;
  height: number;
  seed: number; // of this one image
}

export interface ImageEngine {
  readonly servedBy: string;
  readonly parallel: number;
  make(order: ImageOrder, signal: AbortSignal): Promise<Uint8Array>; // a PNG
}

// Where engines come from, by the model's id in the catalogue. Asked for each call, so that a model that was added or
// removed counts at once: a source keeps its engines. Undefined: it has none for this model, and the next source is
// asked.
export interface EngineSource {
  text?(model: string): TextEngine | undefined;
  embedding?(model: string): EmbeddingEngine | undefined;
  image?(model: string): ImageEngine | undefined;
  ownModels?(): readonly OwnModel[]; // that the user has registered beside the catalogue
  refresh?(): Promise<void>; // learns what its engines say of themselves in `servedBy`; never fails
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
  constructor(reason: EngineError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

// `tokens`: undefined where they were not counted to the end.
export const tooLongText = (index: number, tokens: number | undefined, most: number): EngineError =>
  new EngineError('too-long', `text ${index} has ${tokens ?? 'more'} tokens, and at most ${most} fit`);
