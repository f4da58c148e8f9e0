// What a search sees: the blocks and the lines in memory as they were at one moment. The writer has the index, and a
// reader asks it, in the same thread or in another one; until the snapshot is released its files stay.
import type { LogSelection } from '../engine.ts';
import type { StreamPart } from './streams.ts';

export interface Snapshot {
  number: number;
  streams: StreamPart[];
}

// What a search did.
export interface SearchFigures {
  readBlocks: number;
  skippedBlocks: number;
}

export interface SnapshotSource {
  snapshot(selection: LogSelection): Snapshot | Promise<Snapshot>;
  release(number: number, done?: SearchFigures): void;
}
