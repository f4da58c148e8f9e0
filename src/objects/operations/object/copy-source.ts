// Finds the source of a copy, and checks that the caller may read it and that the conditions of the request hold.
import { demandAllowed } from '../../access/authorization.ts';
import type { CustomerKey } from '../../encryption/customer-key.ts';
import type { StoredBucket } from '../../metadata/bucket.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { demandKeyOf, sourceKeyIn } from '../../wire/http/encryption-headers.ts';
import { parseCopySource } from '../../wire/http/object-key.ts';
import { checkCopyConditions } from '../../wire/http/preconditions.ts';
import { demandKnown } from './get-object.ts';

export interface CopyOrigin {
  bucket: StoredBucket;
  version: ObjectVersion;
  versionId: string | undefined; // if the request names one
  customerKey: CustomerKey | undefined; // the key that encrypts the source
}

export async function findCopySource(request: S3Request): Promise<CopyOrigin> {
  const { header, tools } = request;
  const { bucket: name, key, versionId } = parseCopySource(header('x-amz-copy-source') ?? '');
  const bucket = await tools.buckets.demand(name);
  const expectedOwner = header('x-amz-source-expected-bucket-owner');
  if (expectedOwner !== undefined && expectedOwner !== String(bucket.contract)) throw s3Fault('AccessDenied');
  const version = await (versionId === undefined
    ? tools.objects.latest(bucket, key)
    : tools.objects.find(bucket, key, versionId));
  const action = versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion';
  if (version && !version.isMarker) demandAllowed(request, { action, bucket, key, version });
  if (version?.isMarker && versionId !== undefined)
    throw s3Fault(
      'InvalidRequest',
      'The source of a copy request may not specifically refer to a delete marker by version id.',
    );
  demandKnown(request, { bucket, key, versionId }, version);
  const customerKey = demandKeyOf(version.keyProof, sourceKeyIn(header));
  checkCopyConditions(header, { etag: version.etag, lastModified: version.modified });
  return { bucket, version, versionId, customerKey };
}

// The headers of an answer that identify the source.
export const sourceHeaders = ({ bucket, version }: CopyOrigin): string[] =>
  bucket.versioning === undefined ? [] : ['x-amz-copy-source-version-id', version.versionId];
