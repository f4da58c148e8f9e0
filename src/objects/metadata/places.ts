// The ids of a bucket's rows in the table `object`. Ids are ordered byte by byte, so lists are range scans. The id of a
// version is its key, a separator that keeps the order of keys, and the order of the version, newest first.

export const bucketsPlace = 'buckets';

export const objectsPlace = (bucketId: string): string => `${bucketId}/objects`; // current versions, by key
export const versionsPlace = (bucketId: string): string => `${bucketId}/versions`; // older ones and delete markers
export const uploadsPlace = (bucketId: string): string => `${bucketId}/uploads`;
export const partsPlace = (bucketId: string, uploadId: string): string => `${bucketId}/parts/${uploadId}`;
export const blobsPlace = 'blobs'; // of contract 0: the referrer of each blob, by its handle

const separator = '\x01\x01';

// A key may contain the separator's character, so it is escaped in a way that keeps the order.
export const keyPart = (key: string): string => key.replaceAll('\x01', '\x01\x02');

export const versionRowId = (key: string, order: string): string => `${keyPart(key)}${separator}${order}`;

// All versions of a key have ids between this one and `keyEnd`.
export const keyStart = (key: string): string => `${keyPart(key)}${separator}`;
export const keyEnd = (key: string): string => `${keyPart(key)}\x01\x02`;

export const partRowId = (number: number): string => String(number).padStart(5, '0');
