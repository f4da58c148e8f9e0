// The messages between the region and the process of a model.
import type { EngineError, TextOrder, TextPart } from '../engine.ts';

export const embeddingMargin = 4; // tokens of the context that the library needs in addition to a text

export interface Load {
  kind: 'load';
  library: string; // the folder where node-llama-cpp is installed
  file: string;
  use: 'chat' | 'embedding';
  threads: number;
  contextTokens: number;
  sequences: number;
  forgetMs: number; // a prompt that is not continued is forgotten after this time
}

export type ToModel =
  | Load
  | { kind: 'generate'; id: number; order: TextOrder }
  | { kind: 'count'; id: number; input: TextOrder['input'] }
  | { kind: 'embed'; id: number; texts: string[] }
  | { kind: 'cancel'; id: number };

export type FromModel =
  | { kind: 'progress'; share: number }
  | { kind: 'log'; message: string }
  | { kind: 'loaded' }
  | { kind: 'unloadable'; message: string }
  | { kind: 'answers'; answers: Answer[] };

// The answers to one call, by its id. The last answer of a text is its `end`.
export type Answer =
  | { id: number; part: TextPart }
  | { id: number; tokens: number }
  | { id: number; vectors: Float32Array[]; tokens: number }
  | { id: number; failed: EngineError['reason']; message: string };
