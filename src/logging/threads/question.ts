// A query of the main thread to a reader thread, and its answer. An `Answerer` in the thread answers it from the
// engine's reader; the pieces of its body are sent to the main thread as fast as the client reads them.
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

// `signal` is aborted when the client has disconnected; a reader's iteration then ends by itself.
export type Answerer = (reader: LogReader, question: LogQuestion, signal: AbortSignal) => Promise<LogAnswer>;
