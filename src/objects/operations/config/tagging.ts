// The tags of a bucket.
import { xmlReply } from '../../service/reply.ts';
import { mostBucketTags } from '../../wire/http/tags.ts';
import { readTagging } from '../../wire/xml/bucket-documents.ts';
import { configuration } from './configuration.ts';

export const bucketTagging = configuration({
  name: 'BucketTagging',
  query: 'tagging',
  property: 'tags',
  actions: { get: 's3:GetBucketTagging', put: 's3:PutBucketTagging' },
  missing: 'NoSuchTagSet',
  putStatus: 204,
  read: (document) => readTagging(document, mostBucketTags),
  reply: (tags) => xmlReply('Tagging', { TagSet: { Tag: tags.map(({ key, value }) => ({ Key: key, Value: value })) } }),
});
