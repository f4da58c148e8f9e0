// The interface of a log engine: it keeps the lines of streams, and knows nothing of what a query does with them. The
// write side and the read side are separate because they run in different threads; who may push to or search which
// pipeline is decided above this interface.
import type { LogFigures } from './figures.ts';

export type Labels = Readonly<Record<string, string>>;

// Lines of one stream, in columns: the line at an index has the time at the same index.
export interface StreamLines {
  labels: Labels;
  times: BigInt64Array; // nanoseconds since 1970
  lines: string[];
  metadata?: (Labels | undefined)[]; // what single lines carry beside their stream's labels
}

export interface AppendJob {
  tenant: string; // the pipeline's id
  chunk?: string; // the sender's name for it: a chunk that is sent again is kept once
  streams: StreamLines[];
}

export interface LogWriter {
  // Resolves when all of it is durable. All jobs share the syncs; it may be called again before an earlier call is
  // answered. Times need not be in order. A line that equals another of its stream in time and text is kept once.
  append(jobs: readonly AppendJob[]): Promise<void>;
  // Removes the lines before the time from streams with these labels, at least by whole blocks.
  prune(tenant: string, matchers: readonly Matcher[], beforeNs: bigint): Promise<void>;
  drop(tenant: string): Promise<void>;
  // Does a bounded slice of the background work that is due, such as sealing blocks and merging. True: there is more.
  tidy(): Promise<boolean>;
  figures(): Promise<LogFigures>;
  close(): Promise<void>;
}

export interface Matcher {
  name: string;
  operator: '=' | '!=' | '=~' | '!~';
  value: string; // a regular expression matches the whole value; a label that is absent counts as empty
}

export interface LogSelection {
  tenant: string;
  matchers: readonly Matcher[];
  fromNs: bigint; // included
  toNs: bigint; // not included
}

export interface LineSelection extends LogSelection {
  direction: 'forward' | 'backward';
  // Every line that is returned has all of these words somewhere: what lets an engine skip blocks and lines unread.
  contains?: readonly string[];
  signal?: AbortSignal; // the iteration then fails with its reason, also while it finds nothing
}

export interface LogStats {
  streams: number;
  chunks: number; // blocks
  entries: number;
  bytes: number; // of the lines as they were sent
}

export interface LogReader {
  // Lines in pieces that are ordered by time over all streams, in the direction asked for: no line of a later piece is
  // before one of an earlier piece. Within a piece each stream is ordered. It reads only as fast as it is iterated and
  // ends when the iteration ends.
  select(selection: LineSelection): AsyncIterable<StreamLines[]>;
  series(selections: readonly LogSelection[]): Promise<Labels[]>; // of any of the selections, each once
  names(selection: LogSelection): Promise<string[]>; // of labels, sorted
  values(name: string, selection: LogSelection): Promise<string[]>; // sorted
  stats(selection: LogSelection): Promise<LogStats>;
  close(): Promise<void>;
}
