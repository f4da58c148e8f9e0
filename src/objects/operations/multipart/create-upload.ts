// CreateMultipartUpload.
import { operation } from '../../service/operation.ts';
import { xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { encryptionHeaders } from '../../wire/http/encryption-headers.ts';
import { type ChecksumAlgorithm, checksumAlgorithmOf } from '../../wire/payload/checksum.ts';
import { type ChecksumType, checksumTypeOf } from '../../wire/payload/multipart-checksum.ts';
import { objectProperties, withEncryption } from '../object/object-properties.ts';
import { demandPut } from '../object/put-object.ts';

export const createUpload = operation({
  name: 'CreateMultipartUpload',
  method: 'POST',
  target: 'object',
  query: 'uploads',
  isData: true,
  async call(request) {
    const { bucket, key, tools } = request;
    const requested = objectProperties(request);
    demandPut(request, key, requested);
    const { properties, customerKey } = withEncryption(requested, request);
    const checksum = checksumOf(request);
    const owner = request.caller?.user ?? '';
    const started = tools.now();
    const uploadId = await tools.uploads.start(bucket.name, { key, started, owner, properties, ...checksum });
    const headers = encryptionHeaders(properties.encryption, customerKey);
    if (checksum)
      headers.push('x-amz-checksum-algorithm', checksum.algorithm, 'x-amz-checksum-type', checksum.checksumType);
    return xmlReply('InitiateMultipartUploadResult', { Bucket: bucket.name, Key: key, UploadId: uploadId }, headers);
  },
});

function checksumOf({ header }: S3Request): { algorithm: ChecksumAlgorithm; checksumType: ChecksumType } | undefined {
  const named = header('x-amz-checksum-algorithm');
  const type = header('x-amz-checksum-type');
  if (named === undefined && type !== undefined)
    throw s3Fault(
      'InvalidRequest',
      'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    );
  if (named === undefined) return undefined;
  const algorithm = checksumAlgorithmOf(named);
  return { algorithm, checksumType: checksumTypeOf(algorithm, type) };
}
