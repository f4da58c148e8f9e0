// The interface of a metric engine. The write side and the read side are separate because they run in different
// threads; the layer above checks who may push to or query a pipeline.
import type { Push } from '../push/sink.ts';
import type { Described, Labels, Matcher, SeriesData } from '../series.ts';
import type { BufferLease } from './buffer-pool.ts';
import type { MetricFigures } from './figures.ts';

export interface PushJob {
  tenant: string; // the pipeline's id
  account: string; // the contract number: limits.accountSeries applies to all of its tenants together
  push: Push;
  limits: PushLimits;
}

export interface PushLimits {
  series: number; // limit per tenant
  accountSeries: number; // limit per account
  labels: number; // limit per series
  nameBytes: number;
  valueBytes: number;
  oldestMs: number; // samples before this time are refused: they would be pruned at once
  newestMs: number; // samples after this time are refused: a clock is wrong
}

// The result of a push. Refused samples are counted, with a few reasons; the others are stored.
export interface Pushed {
  samples: number; // stored
  rejected: number;
  reasons: string[]; // a few, each with a name and a value
  fault?: { kind: 'unreadable' | 'oversized' | 'limit'; message: string }; // nothing was stored
}

export interface MetricWriter {
  // Resolves when all samples that count as stored are durable. All jobs share the syncs. It may be called again before
  // an earlier call is answered: then one is decoded while the other is synced. A sample replaces an earlier one of the
  // same series and time: the last push wins, whatever the order of times.
  append(jobs: readonly PushJob[]): Promise<Pushed[]>;
  // Removes samples before the time, at least as whole blocks, and series without samples.
  prune(tenant: string, beforeMs: number): Promise<void>;
  drop(tenant: string): Promise<void>;
  // Performs a bounded slice of due background work, such as compaction. True: there is more.
  tidy(): Promise<boolean>;
  figures(): Promise<MetricFigures>;
  close(): Promise<void>;
}

export interface Selection {
  tenant: string;
  matchers: readonly Matcher[];
  fromMs: number; // both inclusive
  toMs: number;
  mostSamples?: number; // `select` refuses before it reads more
  buffers?: BufferLease; // memory for the samples, if the engine uses it: they are valid as long as the lease
}

// With a time range, series without a sample in it may be listed or not; `select` never returns them.
export interface MetricReader {
  // Sorted by labels. Series may share an array of times, which must not be changed.
  select(selection: Selection): Promise<SeriesData[]>;
  // Returns the same series in parts, for callers that do not need all of them at once; absent if the engine does not
  // support it. A part is valid until the next one is requested, and consistent in itself.
  parts?(selection: Selection): AsyncIterable<SeriesData[]>;
  series(selections: readonly Selection[]): Promise<Labels[]>; // of all selections, each once
  names(selections: readonly Selection[]): Promise<string[]>; // of their labels, sorted
  values(name: string, selections: readonly Selection[]): Promise<string[]>; // sorted
  described(tenant: string): Promise<Described[]>;
  close(): Promise<void>;
}
