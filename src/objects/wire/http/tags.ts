// Tag sets: in XML documents and, as a query string, in the header x-amz-tagging.

import { parseTarget } from '../../../core/s3-signature/percent-encoding.ts';
import { s3Fault } from '../error.ts';

export interface Tag {
  key: string;
  value: string;
}

export const mostObjectTags = 10;
export const mostBucketTags = 50;
const allowed = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

// Lengths are counted in UTF-16 characters, as in S3.
export function checkTagSet(tags: Tag[], most: number): Tag[] {
  if (tags.length > most) {
    if (most === mostObjectTags) throw s3Fault('InvalidTag', `Object tags cannot be greater than ${most}`);
    throw s3Fault('InvalidTag', `Bucket tag count cannot be greater than ${most}`);
  }
  for (const { key, value } of tags) {
    if (key.length === 0 || key.length > 128 || !allowed.test(key)) {
      throw s3Fault('InvalidTag', 'The TagKey you have provided is invalid');
    }
    if (value.length > 256 || !allowed.test(value)) {
      throw s3Fault('InvalidTag', 'The TagValue you have provided is invalid');
    }
    if (key.toLowerCase().startsWith('aws:')) {
      throw s3Fault('InvalidTag', 'Your TagKey cannot be prefixed with aws:');
    }
  }
  if (new Set(tags.map(({ key }) => key)).size < tags.length) {
    throw s3Fault('InvalidTag', 'Cannot provide multiple Tags with the same key');
  }
  return tags;
}

export function parseTaggingHeader(header: string): Tag[] {
  const tags = parseTarget(`?${header}`).query.map(([key, value]) => ({ key, value }));
  return checkTagSet(tags, mostObjectTags);
}
