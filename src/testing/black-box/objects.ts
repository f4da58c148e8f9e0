// The stored bytes of objects: the contract of engines, for tests with servers of others, and the search for bytes that
// no object refers to.
export type { BlobBench } from '../../objects/engine/contract/bodies.ts';
export { blobContract } from '../../objects/engine/contract/contract.ts';
export { openBlobs } from '../../objects/engine/open.ts';
export { openRemoteBlobs } from '../../objects/engine/remote/engine.ts';
export { blobsPlace } from '../../objects/metadata/places.ts';
export { sweepBlobs } from '../../objects/upkeep/blobs.ts';
