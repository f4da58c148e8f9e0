// The interface of a log engine: it stores the lines of streams, without knowing how queries use them. The write side
// and the read side are separate because they run in different threads; the layer above checks who may push to or
// search a pipeline.
import type { LogFigures } from './figures.ts';

export type Labels = Readonly<Record<string, string>>;

// Lines of one stream in columns: the line at an index has the time at the same index.
export interface StreamLines {
  labels: Labels;
  times: BigInt64Array; // nanoseconds since 1970
  lines: string[];
  metadata?: (Labels | undefined)[]; // labels of single lines in addition to the stream's
}

export interface AppendJob {
  tenant: string; // the pipeline's id
  chunk?: string; // the sender's name for it: a repeated chunk is stored once
  streams: StreamLines[];
}

export interface LogWriter {
  // Resolves when all jobs are durable. They share the syncs; it may be called again before an earlier call is
  // answered. Times need not be in order. A line with the same time and text as another of its stream is stored once.
  append(jobs: readonly AppendJob[]): Promise<void>;
  // Removes the lines before the time from streams with these labels, at least as whole blocks.
  prune(tenant: string, matchers: readonly Matcher[], beforeNs: bigint): Promise<void>;
  drop(tenant: string): Promise<void>;
  // Performs a bounded slice of due background work, such as sealing and merging blocks. True: there is more.
  tidy(): Promise<boolean>;
  figures(): Promise<LogFigures>;
  close(): Promise<void>;
}

export interface Matcher {
  name: string;
  operator: '=' | '!=' | '=~' | '!~';
  value: string; // a regular expression matches the whole value; a missing label counts as empty
}

export interface LogSelection {
  tenant: string;
  matchers: readonly Matcher[];
  fromNs: bigint; // included
  toNs: bigint; // not included
}

export interface LineSelection extends LogSelection {
  direction: 'forward' | 'backward';
  // Every returned line contains all of these words, so an engine can skip blocks and lines without reading them.
  contains?: readonly string[];
  signal?: AbortSignal; // aborts the iteration with its reason, even without any match
}

export interface LogStats {
  streams: number;
  chunks: number; // blocks
  entries: number;
  bytes: number; // of the lines as sent
}

export interface LogReader {
  // Lines in pieces that are ordered by time across all streams, in the requested direction: no line of a later piece
  // precedes one of an earlier piece. Within a piece each stream is ordered. It reads at the pace of the iteration and
  // ends when the iteration ends.
  select(selection: LineSelection): AsyncIterable<StreamLines[]>;
  series(selections: readonly LogSelection[]): Promise<Labels[]>; // of all selections, each once
  names(selection: LogSelection): Promise<string[]>; // of labels, sorted
  values(name: string, selection: LogSelection): Promise<string[]>; // sorted
  stats(selection: LogSelection): Promise<LogStats>;
  close(): Promise<void>;
}
