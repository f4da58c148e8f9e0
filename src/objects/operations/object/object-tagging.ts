// GetObjectTagging, PutObjectTagging and DeleteObjectTagging, for the latest or a named version.
import { demandAllowed } from '../../access/authorization.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply, versionHeaders, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { mostObjectTags, type Tag } from '../../wire/http/tags.ts';
import { readTagging } from '../../wire/xml/bucket-documents.ts';
import { findVersion, taggingAction } from './get-object.ts';

const target = 'object';
const query = 'tagging';

export const getObjectTagging = operation({
  name: 'GetObjectTagging',
  method: 'GET',
  target,
  query,
  isData: true,
  async call(request) {
    const version = await findVersion(request, taggingAction(request, 'Get'));
    const tags = version.tags?.toSorted(byKey).map(({ key, value }) => ({ Key: key, Value: value }));
    return xmlReply('Tagging', { TagSet: { Tag: tags } }, headersOf(request, version));
  },
});

export const putObjectTagging = operation({
  name: 'PutObjectTagging',
  method: 'PUT',
  target,
  query,
  action: 's3:PutObjectTagging',
  bodyDecides: true,
  isData: true,
  async call(request) {
    const tags = readTagging(await request.document(), mostObjectTags);
    return emptyReply(200, headersOf(request, await changeTags(request, 'Put', tags)));
  },
});

export const deleteObjectTagging = operation({
  name: 'DeleteObjectTagging',
  method: 'DELETE',
  target,
  query,
  isData: true,
  call: async (request) => emptyReply(204, headersOf(request, await changeTags(request, 'Delete', undefined))),
});

const byKey = (a: Tag, b: Tag): number => (a.key < b.key ? -1 : 1);

const headersOf = ({ bucket }: S3Request, version: ObjectVersion): string[] =>
  versionHeaders(version, bucket.versioning !== undefined);

async function changeTags(request: S3Request, verb: 'Put' | 'Delete', tags: Tag[] | undefined): Promise<ObjectVersion> {
  const { bucket, key, versionId, tools } = request;
  const version = await (versionId === undefined
    ? tools.objects.latest(bucket, key)
    : tools.objects.find(bucket, key, versionId));
  const action = taggingAction(request, verb);
  demandAllowed(request, { action, bucket, key, version, ...(tags && { requestTags: tags }) });
  return tools.objects.update(bucket.name, key, versionId, () => ({ tags }));
}
