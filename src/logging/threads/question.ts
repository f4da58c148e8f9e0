// What the main thread asks a reader thread, and what comes back. A question is answered inside of the thread by an
// `Answerer` over the engine's reader; the pieces of its body go to the main thread as fast as the client takes them.
import type { LogReader } from '../engine/engine.ts';

export interface LogQuestion {
  tenant: string;
  path: string; // query, query_range, labels, label/job/values, series, index/stats …
  parameters: string; // as in a URL
  nowMs: number;
}

export interface LogAnswer {
  status: number;
  contentType?: string; // application/json
  body: AsyncIterable<Uint8Array>;
}

// `signal` is aborted when the client has gone away; a reader's iteration then ends by itself.
export type Answerer = (reader: LogReader, question: LogQuestion, signal: AbortSignal) => Promise<LogAnswer>;
