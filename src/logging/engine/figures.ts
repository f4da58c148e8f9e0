// The metrics of log engines. Each engine has some of them.
import { counter, type Figures, gauge } from '../../core/figures.ts';

export const logFigures = {
  appendedLines: counter('Appended lines.'),
  appendedBytes: counter('Bytes of appended lines.'),
  repeatedChunks: counter('Repeated chunks, which are stored once.'),
  groupCommits: counter('Syncs of the write-ahead log.'),
  blocks: gauge('Sealed blocks of lines.'),
  blockBytes: gauge('Size of the sealed blocks.'),
  readBlocks: counter('Blocks read by searches.'),
  skippedBlocks: counter('Blocks skipped by searches because of their token filter.'),
};

export type LogFigures = Figures<typeof logFigures>;
