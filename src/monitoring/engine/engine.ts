// What every metric engine must do, and nothing of how. The write side and the read side are apart because they live
// in threads of their own; which pipeline may push or ask what is decided above this line.
import type { Push } from '../push/sink.ts';
import type { Described, Labels, Matcher, SeriesData } from '../series.ts';
import type { BufferLease } from './buffer-pool.ts';
import type { MetricFigures } from './figures.ts';

export interface PushJob {
  tenant: string; // the pipeline's id
  push: Push;
  limits: PushLimits;
}

export interface PushLimits {
  series: number; // of the tenant at once
  labels: number; // of one series
  nameBytes: number;
  valueBytes: number;
  oldestMs: number; // samples before this time are refused: they would be pruned at once
  newestMs: number; // samples after it too: a clock is wrong
}

// What became of a push. Samples that were not taken are counted with a few reasons; the others are kept all the same.
export interface Pushed {
  samples: number; // kept
  rejected: number;
  reasons: string[]; // at most a few, with a name and a value each
  fault?: { kind: 'unreadable' | 'oversized' | 'limit'; message: string }; // nothing was kept
}

export interface MetricWriter {
  // Resolves when everything that is counted as kept is safe on disk. All jobs share the syncs that they need.
  // It may be called again before an earlier call has its answer: then one is decoded while the other is synced.
  // A sample whose time the series has already replaces it: what is pushed last holds, in whatever order it comes.
  append(jobs: readonly PushJob[]): Promise<Pushed[]>;
  // Forgets all samples before the time, at least as soon as whole blocks are older, and series that have none left.
  prune(tenant: string, beforeMs: number): Promise<void>;
  drop(tenant: string): Promise<void>;
  // Background work that is due, such as merging blocks; a bounded slice of it. True: there is more.
  tidy(): Promise<boolean>;
  figures(): Promise<MetricFigures>;
  close(): Promise<void>;
}

export interface Selection {
  tenant: string;
  matchers: readonly Matcher[];
  fromMs: number; // both included
  toMs: number;
  mostSamples?: number; // where more would have to be read, `select` refuses before it reads them
  buffers?: BufferLease; // where the samples are put, if the engine has a use for it: they are gone with it
}

// Where a time range is given, series without a sample in it may or may not be named. `select` names none such.
export interface MetricReader {
  // Sorted by labels. Series may share an array of times with others: nobody may change what is in it.
  select(selection: Selection): Promise<SeriesData[]>;
  series(selections: readonly Selection[]): Promise<Labels[]>; // of any of the selections, each once
  names(selections: readonly Selection[]): Promise<string[]>; // of their labels, sorted
  values(name: string, selections: readonly Selection[]): Promise<string[]>; // sorted
  described(tenant: string): Promise<Described[]>;
  close(): Promise<void>;
}
