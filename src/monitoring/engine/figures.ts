// What the engines of pushed metrics measure of themselves. Each has its own part of these.
import { counter, type Figures, gauge } from '../../core/figures.ts';

export const metricFigures = {
  pushes: counter('Pushes that were taken.'),
  refusedPushes: counter('Pushes that the server behind it did not take.'),
  appends: counter('Times pushes were appended together.'),
  samples: counter('Samples in these pushes.'),
  flushes: counter('Times what was in memory was written in blocks.'),
  flushFailures: counter('Times that failed.'),
  merges: counter('Times small blocks were made into one.'),
  damagedBlocks: counter('Times a block could not be read and was left out of a merge.'),
  longestStepSeconds: gauge('The longest time that one step of the work in the background took.'),
  arenas: gauge('Pieces of memory that hold what is not in blocks yet.'),
  headSamples: gauge('Samples in them.'),
  aheadBytes: gauge('Size of the logs that they could be made from again.'),
  series: gauge('Series that are kept.'),
  knownBlocks: gauge('Blocks whose series are known without reading them.'),
  fileBytes: gauge('Size of the file.'),
  synchronous: gauge('PRAGMA synchronous of the connection that writes: 2 is FULL.'),
};

export type MetricFigures = Figures<typeof metricFigures>;
