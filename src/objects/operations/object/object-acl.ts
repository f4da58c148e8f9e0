// GetObjectAcl and PutObjectAcl.

import { demandAllowed } from '../../access/authorization.ts';
import { grantsIn, ownerId } from '../../access/grant-headers.ts';
import { checkGrants } from '../../access/grants.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply, ownerContent, versionHeaders, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { type Grant, grantsContent } from '../../wire/xml/access-control-document.ts';
import { findVersion } from './get-object.ts';

export const getObjectAcl = operation({
  name: 'GetObjectAcl',
  method: 'GET',
  target: 'object',
  query: 'acl',
  isData: true,
  async call(request) {
    const { bucket } = request;
    const version = await findVersion(request, aclAction(request, 'Get'));
    const owner: Grant = { grantee: { id: ownerId(bucket) }, permission: 'FULL_CONTROL' };
    const content = {
      Owner: ownerContent(bucket.contract),
      AccessControlList: grantsContent(version.grants ?? [owner]),
    };
    return xmlReply('AccessControlPolicy', content, versionHeaders(version, bucket.versioning !== undefined));
  },
});

export const putObjectAcl = operation({
  name: 'PutObjectAcl',
  method: 'PUT',
  target: 'object',
  query: 'acl',
  isData: true,
  async call(request) {
    const { bucket, key, versionId, tools } = request;
    const there = await (versionId === undefined
      ? tools.objects.latest(bucket, key)
      : tools.objects.find(bucket, key, versionId));
    demandAllowed(request, { action: aclAction(request, 'Put'), bucket, key, version: there });
    const grants = await grantsOf(request);
    checkGrants(grants, bucket, request.header('x-amz-acl'));
    const version = await tools.objects.update(bucket.name, key, versionId, () => ({ grants }));
    return emptyReply(200, versionHeaders(version, bucket.versioning !== undefined));
  },
});

const aclAction = ({ versionId }: S3Request, verb: string): string =>
  versionId === undefined ? `s3:${verb}ObjectAcl` : `s3:${verb}ObjectVersionAcl`;

async function grantsOf(request: S3Request): Promise<Grant[]> {
  const { bucket } = request;
  const body = await request.document();
  const inHeaders = grantsIn(request, bucket);
  if (inHeaders) return inHeaders;
  const { ownerId: named, grants } = await request.tools.documents.read('acl', body, bucket.contract);
  if (named !== undefined && named !== ownerId(bucket)) throw s3Fault('AccessDenied');
  return grants;
}
