// The access control list of a bucket: by XML, by a canned name, or by x-amz-grant-* headers.
import { grantsIn } from '../../access/grant-headers.ts';
import { checkGrants, grantsOf } from '../../access/grants.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply, ownerContent, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { type Grant, grantsContent } from '../../wire/xml/access-control-document.ts';

export const getBucketAcl = operation({
  name: 'GetBucketAcl',
  method: 'GET',
  target: 'bucket',
  query: 'acl',
  action: 's3:GetBucketAcl',
  call: async ({ bucket }) =>
    xmlReply('AccessControlPolicy', {
      Owner: ownerContent(bucket.contract),
      AccessControlList: grantsContent(grantsOf(bucket)),
    }),
});

export const putBucketAcl = operation({
  name: 'PutBucketAcl',
  method: 'PUT',
  target: 'bucket',
  query: 'acl',
  action: 's3:PutBucketAcl',
  async call(request) {
    const grants = await requestedGrants(request);
    await request.tools.buckets.update(request.bucketName, (bucket) => {
      checkGrants(grants, bucket, request.header('x-amz-acl'));
      return { grants };
    });
    return emptyReply(200);
  },
});

async function requestedGrants(request: S3Request): Promise<Grant[]> {
  const inHeaders = grantsIn(request, request.bucket);
  const document = await request.document();
  if (inHeaders && document.length > 0) throw s3Fault('UnexpectedContent');
  if (inHeaders) return inHeaders;
  if (document.length === 0) throw s3Fault('MissingSecurityHeader', 'The request must contain an access control list.');
  const { ownerId, grants } = await request.tools.documents.read('acl', document, request.bucket.contract);
  if (ownerId !== undefined && ownerId !== String(request.bucket.contract))
    throw s3Fault('AccessDenied', 'The owner of a bucket cannot be changed.');
  return grants;
}
