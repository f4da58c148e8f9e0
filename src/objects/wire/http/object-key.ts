// Keys of objects. A key is a name, never a path: "..", "//" and a leading slash are ordinary characters of it, and an
// engine must not use it as a file name.

import { decode, encode } from '../../../core/s3-signature/percent-encoding.ts';
import { s3Fault } from '../error.ts';
import { checkBucketName } from './bucket-name.ts';

const mostBytes = 1024;

export function checkObjectKey(key: string): string {
  if (key === '' || key.includes('\0') || !key.isWellFormed()) {
    throw s3Fault('InvalidArgument', 'The object key must not be empty and must be UTF-8 without NUL.');
  }
  if (Buffer.byteLength(key) > mostBytes) throw s3Fault('KeyTooLongError');
  return key;
}

export interface ObjectPath {
  bucket: string | undefined;
  key: string | undefined;
}

// Returns the bucket and key of a raw path. Only the first slash separates; the rest is decoded once.
export function parseObjectPath(path: string, hostBucket?: string): ObjectPath {
  const rest = path.startsWith('/') ? path.slice(1) : path;
  if (hostBucket !== undefined) return { bucket: hostBucket, key: keyOf(rest) };
  const slash = rest.indexOf('/');
  const bucket = decode(slash < 0 ? rest : rest.slice(0, slash));
  return { bucket: bucket === '' ? undefined : bucket, key: slash < 0 ? undefined : keyOf(rest.slice(slash + 1)) };
}

const keyOf = (text: string): string | undefined => (text === '' ? undefined : checkObjectKey(decode(text)));

// Encodes a path: slashes stay. The same encoding applies to prefixes, delimiters and markers in lists with
// encoding-type=url.
export const urlEncoded = (text: string): string => encode(text).replaceAll('%2F', '/');

// Encodes a key in such a list. The platform encodes its slashes too, which S3 does not.
export const urlEncodedKey = encode;

export interface CopySource {
  bucket: string;
  key: string;
  versionId: string | undefined;
}

// x-amz-copy-source: "/bucket/key?versionId=…", percent-encoded, with or without the first slash.
export function parseCopySource(header: string): CopySource {
  const mark = header.indexOf('?versionId=');
  const path = decode(mark < 0 ? header : header.slice(0, mark)).replace(/^\//, '');
  const slash = path.indexOf('/');
  if (slash < 1 || slash === path.length - 1) {
    throw s3Fault('InvalidArgument', 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey');
  }
  return {
    bucket: checkBucketName(path.slice(0, slash)),
    key: checkObjectKey(path.slice(slash + 1)),
    versionId: mark < 0 ? undefined : decode(header.slice(mark + '?versionId='.length)) || undefined,
  };
}
