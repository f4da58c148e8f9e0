// The metrics of blob engines. Each engine has some of them.
import { counter, type Figures, gauge } from '../../core/figures.ts';

export const blobFigures = {
  puts: counter('Stored blobs.'),
  putBytes: counter('Bytes of stored blobs.'),
  failedPuts: counter('Failed puts, including those whose client disconnected.'),
  gets: counter('Started reads of blobs.'),
  groupCommits: counter('Syncs shared by small blobs.'),
  sweptBlobs: counter('Blobs removed by a sweep.'),
  movedBlobs: counter('Small blobs moved by compaction.'),
  segments: gauge('Segment files of small blobs.'),
  segmentBytes: gauge('Size of the segment files.'),
  deadBytes: gauge('Bytes of removed blobs in the segment files.'),
};

export type BlobFigures = Figures<typeof blobFigures>;
export type BlobCounts = Required<Pick<BlobFigures, 'puts' | 'putBytes' | 'failedPuts' | 'gets' | 'sweptBlobs'>>;

export const noCounts = (): BlobCounts => ({ puts: 0, putBytes: 0, failedPuts: 0, gets: 0, sweptBlobs: 0 });
