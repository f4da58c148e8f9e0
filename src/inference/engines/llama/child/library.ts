// The parts of node-llama-cpp's documented interface that the model's process calls. The library is installed when a
// model is added, not with the region, so its types are not available.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type Token = number;

export interface Library {
  getLlama(options: {
    gpu: false;
    build: 'never';
    skipDownload: true;
    logLevel: 'error';
    logger(level: string, message: string): void;
    maxThreads: number;
  }): Promise<Llama>;
  LlamaGrammarEvaluationState: new (options: { model: Model; grammar: Grammar }) => GrammarState;
  TokenBias: new (tokenizer: unknown) => TokenBias;
}

export interface Llama {
  loadModel(options: { modelPath: string; onLoadProgress(share: number): void }): Promise<Model>;
  createGrammar(options: { grammar: string }): Promise<Grammar>;
}

export interface Grammar {
  readonly grammar: string;
}

export type GrammarState = { readonly model?: never } & object;

export interface TokenBias {
  set(token: Token, bias: 'never' | { logit: number }): this;
}

export interface Model {
  readonly tokenizer: unknown;
  readonly tokens: {
    bos: Token | null;
    bosString: string | null;
    eosString: string | null;
    shouldPrependBosToken: boolean;
  };
  readonly fileInfo: { metadata: { tokenizer: { chat_template?: string; ggml?: { model?: string } } } };
  tokenize(text: string, specialTokens?: boolean, options?: 'trimLeadingSpace'): Token[];
  detokenize(tokens: readonly Token[], specialTokens?: boolean, lastTokens?: readonly Token[]): string;
  isEogToken(token: Token): boolean;
  createContext(options: {
    contextSize: number;
    sequences: number;
    batchSize: number;
    threads: number;
    batching: { itemPrioritizationStrategy: Batching };
  }): Promise<Context>;
  createEmbeddingContext(options: { contextSize: number; threads: number }): Promise<EmbeddingContext>;
}

export interface BatchItem {
  readonly tokens: readonly Token[];
}
export type Batching = (queue: {
  items: readonly BatchItem[];
  size: number;
}) => { item: BatchItem; processAmount: number }[];

export interface Context {
  getSequence(): Sequence;
}

export interface EmbeddingContext {
  getEmbeddingFor(tokens: Token[]): Promise<{ vector: readonly number[] }>;
}

export interface Sampling {
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  seed: number;
  grammarEvaluationState?: GrammarState;
  repeatPenalty?: {
    punishTokens(): Token[];
    penalty: number;
    frequencyPenalty: number;
    presencePenalty: number;
  };
  dryRepeatPenalty?: { strength: number; lastTokens: number };
  tokenBias?: TokenBias;
}

export interface Sequence {
  readonly contextTokens: Token[];
  clearHistory(): Promise<void>;
  eraseContextTokenRanges(ranges: { start: number; end: number }[]): Promise<void>;
  evaluateWithoutGeneratingNewTokens(tokens: Token[]): Promise<void>;
  evaluateWithMetadata(
    tokens: Token[],
    metadata: { probabilities: boolean },
    options: Sampling,
  ): AsyncGenerator<{ token: Token; probabilities?: Map<Token, number> }, void, undefined>;
}

// Jinja, the language of chat templates; node-llama-cpp includes it.
export interface Jinja {
  Template: new (source: string) => { render(values: Record<string, unknown>): string };
}

export async function openLibrary(folder: string): Promise<{ library: Library; jinja: Jinja }> {
  const from = (path: string): Promise<unknown> => import(pathToFileURL(join(folder, 'node_modules', path)).href);
  return {
    library: (await from('node-llama-cpp/dist/index.js')) as Library,
    jinja: (await from('@huggingface/jinja/dist/index.js')) as Jinja,
  };
}
