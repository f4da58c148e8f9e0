// The figures of log engines. Each engine has some of them.
import { counter, type Figures, gauge } from '../../core/figures.ts';

export const logFigures = {
  appendedLines: counter('Lines that were appended.'),
  appendedBytes: counter('Bytes of the lines that were appended.'),
  repeatedChunks: counter('Chunks that were sent again and kept once.'),
  groupCommits: counter('Syncs of the write-ahead log.'),
  blocks: gauge('Sealed blocks of lines.'),
  blockBytes: gauge('Size of the sealed blocks.'),
  readBlocks: counter('Blocks that searches read.'),
  skippedBlocks: counter('Blocks that searches skipped by their token filter.'),
};

export type LogFigures = Figures<typeof logFigures>;
