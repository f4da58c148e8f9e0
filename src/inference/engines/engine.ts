// What runs a model. The API turns a client's call into an order; an engine turns the order into text, vectors or
// images. There are three: the tiny model (TypeScript, always there), llama (a GGUF file in a process of its own) and
// upstream (any OpenAI-compatible server).

export type JsonSchema = { [keyword: string]: unknown };

export interface ChatTurn {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  name?: string;
  toolCalls?: { id: string; name: string; arguments: string }[];
  toolCallId?: string;
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
  stop: string[];
  presencePenalty: number;
  frequencyPenalty: number;
  logitBias: Record<string, number>;
  topLogprobs?: number; // absent: none are asked for
}

export interface TokenLogprob {
  token: string;
  logprob: number;
  top: { token: string; logprob: number }[];
}

export type TextPart =
  | { kind: 'text'; text: string; logprobs?: TokenLogprob[] }
  | { kind: 'end'; reason: 'stop' | 'length'; promptTokens: number; completionTokens: number };

export interface TextEngine {
  // Said in `served_by`: what really answers.
  readonly servedBy: string;
  readonly contextTokens: number;
  countTokens(input: TextOrder['input'], signal: AbortSignal): Promise<number>;
  // Ends with one `end`. An abort frees what the order holds.
  generate(order: TextOrder, signal: AbortSignal): AsyncIterable<TextPart>;
}

export interface EmbeddingEngine {
  readonly servedBy: string;
  readonly dimensions: number; // of what it gives by itself; the API pads to what the catalogue promises
  readonly contextTokens: number;
  // Vectors of length 1.
  embed(texts: string[], signal: AbortSignal): Promise<{ vectors: Float32Array[]; tokens: number }>;
}

// An engine that can't answer now: the message is for the client.
export class EngineError extends Error {
  readonly reason: 'overloaded' | 'crashed' | 'too-long' | 'time-out' | 'refused';
  constructor(reason: EngineError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
