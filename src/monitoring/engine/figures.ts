// The metrics of metric engines. Each engine has some of them.
import { counter, type Figures, gauge } from '../../core/figures.ts';

export const metricFigures = {
  pushes: counter('Accepted pushes.'),
  refusedPushes: counter('Refused pushes.'),
  appends: counter('Group appends: pushes that share one sync.'),
  samples: counter('Accepted samples.'),
  flushes: counter('Arenas flushed to blocks.'),
  flushFailures: counter('Flushes that failed.'),
  merges: counter('Compactions: small blocks merged into one.'),
  damagedBlocks: counter('Damaged blocks skipped by compaction.'),
  longestStepSeconds: gauge('The longest step of background work.'),
  arenas: gauge('Arenas in memory that are not flushed yet.'),
  headSamples: gauge('Samples in memory that are not flushed yet.'),
  aheadBytes: gauge('Size of the write-ahead logs.'),
  series: gauge('Series with samples.'),
  knownLabelSets: gauge('Entries of the label cache.'),
  fileBytes: gauge('Size of the database file.'),
  synchronous: gauge('PRAGMA synchronous of the writing connection: 2 is FULL.'),
};

export type MetricFigures = Figures<typeof metricFigures>;
