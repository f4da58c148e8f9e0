// What is asked before an operation is performed: may the caller do this here?
import type { StoredBucket } from '../metadata/bucket.ts';
import type { ObjectVersion } from '../metadata/version.ts';
import type { Tag } from '../wire/http/tags.ts';

export interface Question {
  action: string;
  bucket: StoredBucket;
  key?: string;
  prefix?: string; // of a list, where the request names none
  version?: ObjectVersion | undefined; // the one that is asked for
  requestTags?: readonly Tag[];
  listed?: string; // the action that access control lists are asked for, where it is another one
}
