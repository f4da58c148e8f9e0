// The interface of a metric engine. The write side and the read side are separate because they run in different
// threads; who may push to or query which pipeline is decided above this interface.
import type { Push } from '../push/sink.ts';
import type { Described, Labels, Matcher, SeriesData } from '../series.ts';
import type { BufferLease } from './buffer-pool.ts';
import type { MetricFigures } from './figures.ts';

export interface PushJob {
  tenant: string; // the pipeline's id
  account: string; // the contract's number: limits.accountSeries is for all of its tenants
  push: Push;
  limits: PushLimits;
}

export interface PushLimits {
  series: number; // of the tenant at once
  accountSeries: number; // of the account at once
  labels: number; // of one series
  nameBytes: number;
  valueBytes: number;
  oldestMs: number; // samples before this time are refused: they would be pruned at once
  newestMs: number; // samples after it too: a clock is wrong
}

// The outcome of a push. Samples that are refused are counted, with a few reasons; the others are kept.
export interface Pushed {
  samples: number; // kept
  rejected: number;
  reasons: string[]; // at most a few, with a name and a value each
  fault?: { kind: 'unreadable' | 'oversized' | 'limit'; message: string }; // nothing was kept
}

export interface MetricWriter {
  // Resolves when everything that is counted as kept is durable. All jobs share the syncs. It may be called again
  // before an earlier call is answered: then one is decoded while the other is synced. A sample replaces an earlier one
  // of the same series and time: the last push wins, whatever the order of times.
  append(jobs: readonly PushJob[]): Promise<Pushed[]>;
  // Removes samples before the time, at least by whole blocks, and series without samples.
  prune(tenant: string, beforeMs: number): Promise<void>;
  drop(tenant: string): Promise<void>;
  // Does a bounded slice of the background work that is due, such as compaction. True: there is more.
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
  buffers?: BufferLease; // memory for the samples, if the engine uses it: they are valid as long as the lease
}

// With a time range, series without a sample in it may or may not be listed; `select` lists none of them.
export interface MetricReader {
  // Sorted by labels. Series may share an array of times, which must not be changed.
  select(selection: Selection): Promise<SeriesData[]>;
  // The same series in parts, for those who need not have all of them at once; absent where the engine can't. A part is
  // valid until the next one is asked for, and consistent in itself.
  parts?(selection: Selection): AsyncIterable<SeriesData[]>;
  series(selections: readonly Selection[]): Promise<Labels[]>; // of any of the selections, each once
  names(selections: readonly Selection[]): Promise<string[]>; // of their labels, sorted
  values(name: string, selections: readonly Selection[]): Promise<string[]>; // sorted
  described(tenant: string): Promise<Described[]>;
  close(): Promise<void>;
}
