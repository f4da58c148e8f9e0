// The figures of metric engines. Each engine has some of them.
import { counter, type Figures, gauge } from '../../core/figures.ts';

export const metricFigures = {
  pushes: counter('Pushes that were taken.'),
  refusedPushes: counter('Pushes of which nothing was taken.'),
  appends: counter('Times pushes were appended together.'),
  samples: counter('Samples that were taken.'),
  flushes: counter('Times what was in memory was written in blocks.'),
  flushFailures: counter('Times what was in memory could not be written in blocks.'),
  merges: counter('Times small blocks were made into one.'),
  damagedBlocks: counter('Times a block could not be read and was left out of a merge.'),
  longestStepSeconds: gauge('The longest time that one step of the work in the background took.'),
  arenas: gauge('Pieces of memory that hold what is not in blocks yet.'),
  headSamples: gauge('Samples in memory that are not in blocks yet.'),
  aheadBytes: gauge('Size of the logs that what is in memory can be made from again.'),
  series: gauge('Series of which samples are kept.'),
  knownLabelSets: gauge('Sets of labels, as clients push them, of which it is known which series they are.'),
  fileBytes: gauge('Size of the file that metrics are kept in.'),
  synchronous: gauge('PRAGMA synchronous of the connection that writes: 2 is FULL.'),
};

export type MetricFigures = Figures<typeof metricFigures>;
