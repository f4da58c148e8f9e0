// A search's view: the blocks and the lines in memory at one moment. The writer has the index, and readers request
// snapshots, in the same thread or in another one; the files of a snapshot stay until it is released.
import type { LogSelection } from '../engine.ts';
import type { StreamPart } from './streams.ts';

export interface Snapshot {
  number: number;
  streams: StreamPart[];
}

// The work of a search.
export interface SearchFigures {
  readBlocks: number;
  skippedBlocks: number;
}

export interface SnapshotSource {
  snapshot(selection: LogSelection): Snapshot | Promise<Snapshot>;
  release(number: number, done?: SearchFigures): void;
}
