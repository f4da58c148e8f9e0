// A question of authorization: may the caller perform this action here?
import type { StoredBucket } from '../metadata/bucket.ts';
import type { ObjectVersion } from '../metadata/version.ts';
import type { Tag } from '../wire/http/tags.ts';

export interface Question {
  action: string;
  bucket: StoredBucket;
  key?: string;
  prefix?: string; // of a list, if the request has no prefix
  version?: ObjectVersion | undefined; // the requested version
  requestTags?: readonly Tag[];
  listed?: string; // the action that access control lists check, if it differs
}
