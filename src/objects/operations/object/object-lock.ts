// Retention and legal hold of a version. In governance mode a retention can be shortened, removed or given another mode
// only by callers who may bypass it and request that; in compliance mode by no one.
import { demandAllowed } from '../../access/authorization.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply, iso, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { type Retention, readLegalHold, readRetention } from '../../wire/xml/object-documents.ts';
import { bypassesGovernance } from './delete-object.ts';
import { findVersion } from './get-object.ts';
import { demandLock } from './object-properties.ts';

export const getObjectRetention = operation({
  name: 'GetObjectRetention',
  method: 'GET',
  target: 'object',
  query: 'retention',
  isData: true,
  async call(request) {
    demandLock(request.bucket);
    const { retention } = await findVersion(request, 's3:GetObjectRetention');
    if (!retention) throw s3Fault('NoSuchObjectLockConfiguration');
    return xmlReply('Retention', { Mode: retention.mode, RetainUntilDate: iso(retention.retainUntil) });
  },
});

export const putObjectRetention = operation({
  name: 'PutObjectRetention',
  method: 'PUT',
  target: 'object',
  query: 'retention',
  action: 's3:PutObjectRetention',
  async call(request) {
    const { bucket, key, versionId, tools } = request;
    demandLock(bucket);
    const next = readRetention(await request.document(), tools.now());
    await tools.objects.update(bucket.name, key, versionId, ({ retention }) => {
      if (retention && isLoosened(retention, next, tools.now())) demandBypass(request, retention);
      return { retention: next };
    });
    return emptyReply(200);
  },
});

function isLoosened(now: Retention, next: Retention | undefined, time: number): boolean {
  if (now.retainUntil <= time) return false;
  return next?.mode !== now.mode || next.retainUntil < now.retainUntil;
}

function demandBypass(request: S3Request, { mode }: Retention): void {
  if (mode === 'GOVERNANCE' && bypassesGovernance(request, request.bucket, request.key)) return;
  throw s3Fault('AccessDenied', 'Access Denied because object protected by object lock.');
}

export const getObjectLegalHold = operation({
  name: 'GetObjectLegalHold',
  method: 'GET',
  target: 'object',
  query: 'legal-hold',
  isData: true,
  async call(request) {
    demandLock(request.bucket);
    const { legalHold } = await findVersion(request, 's3:GetObjectLegalHold');
    if (!legalHold) throw s3Fault('NoSuchObjectLockConfiguration');
    return xmlReply('LegalHold', { Status: legalHold });
  },
});

export const putObjectLegalHold = operation({
  name: 'PutObjectLegalHold',
  method: 'PUT',
  target: 'object',
  query: 'legal-hold',
  async call(request) {
    const { bucket, key, versionId, tools } = request;
    demandAllowed(request, { action: 's3:PutObjectLegalHold', bucket, key });
    demandLock(bucket);
    const { status } = readLegalHold(await request.document());
    await tools.objects.update(bucket.name, key, versionId, () => ({ legalHold: status }));
    return emptyReply(200);
  },
});
