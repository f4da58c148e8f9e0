// The figures of blob engines. Each engine has some of them.
import { counter, type Figures, gauge } from '../../core/figures.ts';

export const blobFigures = {
  puts: counter('Blobs that were put.'),
  putBytes: counter('Bytes of the blobs that were put.'),
  failedPuts: counter('Puts that failed, also because the client left.'),
  gets: counter('Reads of blobs that were begun.'),
  groupCommits: counter('Syncs that small blobs shared.'),
  sweptBlobs: counter('Blobs that a sweep removed.'),
  movedBlobs: counter('Small blobs that compaction moved.'),
  segments: gauge('Segment files of small blobs.'),
  segmentBytes: gauge('Size of the segment files.'),
  deadBytes: gauge('Bytes of removed blobs in the segment files.'),
};

export type BlobFigures = Figures<typeof blobFigures>;
export type BlobCounts = Required<Pick<BlobFigures, 'puts' | 'putBytes' | 'failedPuts' | 'gets' | 'sweptBlobs'>>;

export const noCounts = (): BlobCounts => ({ puts: 0, putBytes: 0, failedPuts: 0, gets: 0, sweptBlobs: 0 });
