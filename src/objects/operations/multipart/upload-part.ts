// UploadPart and UploadPartCopy: a part counts when its row is committed.
import { demandAllowed } from '../../access/authorization.ts';
import type { CustomerKey } from '../../encryption/customer-key.ts';
import type { Upload, UploadPart } from '../../metadata/uploads.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply, iso, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { customerKeyIn, demandUploadKey, encryptionHeaders } from '../../wire/http/encryption-headers.ts';
import { quoteEntityTag } from '../../wire/http/entity-tag.ts';
import { parseCopyRange } from '../../wire/http/range.ts';
import { checksumHeader } from '../../wire/payload/checksum.ts';
import { parsePayloadPlan } from '../../wire/payload/payload-plan.ts';
import { type CopyOrigin, findCopySource, sourceHeaders } from '../object/copy-source.ts';
import { demandLength } from '../object/put-object.ts';
import { readContent, retryReplaced } from '../object/read-content.ts';
import { mostUploadBytes, publish, type StoredBlobContent, storeBody, storeCopy } from '../object/store-content.ts';

export const uploadPart = operation({
  name: 'UploadPart',
  method: 'PUT',
  target: 'object',
  query: 'uploadId',
  isData: true,
  async call(request) {
    const { bucket, key } = request;
    demandAllowed(request, { action: 's3:PutObject', bucket, key });
    demandLength(request);
    const number = partNumber(request);
    const upload = await findUpload(request);
    checkAlgorithm(request, upload);
    const customerKey = uploadKey(request, upload);
    const stored = await storeBody(request, upload.algorithm, customerKey);
    await keepPart(request, number, stored);
    const { checksum } = stored.digest;
    const headers = ['ETag', quoteEntityTag(entityTag(stored))];
    if (checksum) headers.push(checksumHeader(checksum.algorithm), checksum.value);
    return emptyReply(200, [...headers, ...encryptionHeaders(upload.properties.encryption, customerKey)]);
  },
});

export const uploadPartCopy = operation({
  name: 'UploadPartCopy',
  method: 'PUT',
  target: 'object',
  query: 'uploadId',
  isCopy: true,
  isData: true,
  async call(request) {
    const { bucket, key } = request;
    demandAllowed(request, { action: 's3:PutObject', bucket, key });
    const number = partNumber(request);
    const upload = await findUpload(request);
    const customerKey = uploadKey(request, upload);
    const { origin, stored } = await retryReplaced(async () => {
      const origin = await findCopySource(request);
      return { origin, stored: await copyRange(request, origin, upload, customerKey) };
    });
    const { modified } = await keepPart(request, number, stored);
    const { checksum } = stored.digest;
    const content = {
      LastModified: iso(modified),
      ETag: quoteEntityTag(entityTag(stored)),
      ...(checksum && { [`Checksum${checksum.algorithm}`]: checksum.value }),
    };
    const headers = encryptionHeaders(upload.properties.encryption, customerKey);
    return xmlReply('CopyPartResult', content, [...sourceHeaders(origin), ...headers]);
  },
});

const uploadKey = ({ header }: S3Request, { properties: { keyProof } }: Upload): CustomerKey | undefined =>
  demandUploadKey(keyProof, customerKeyIn(header));

// As in S3, calls without content need the key only if they refer to checksums of the content.
export function optionalUploadKey({ header }: S3Request, upload: Upload): CustomerKey | undefined {
  const given = customerKeyIn(header);
  return given || upload.algorithm ? demandUploadKey(upload.properties.keyProof, given) : undefined;
}

const entityTag = ({ digest }: StoredBlobContent): string => digest.md5.toString('hex');

export const findUpload = (request: S3Request): Promise<Upload> =>
  request.tools.uploads.find(request.bucket, request.key, request.parameter('uploadId') ?? '');

function partNumber(request: S3Request): number {
  const number = request.integer('partNumber', 1, 10_000);
  if (number !== undefined) return number;
  throw s3Fault('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive');
}

// An upload that was started with an algorithm accepts only parts with the same one.
function checkAlgorithm({ header, signer }: S3Request, { algorithm }: Upload): void {
  const given = parsePayloadPlan(header, signer?.payload ?? { kind: 'unsigned' }).algorithm;
  if (algorithm === undefined || given === undefined || given === algorithm) return;
  throw s3Fault(
    'InvalidRequest',
    `Checksum Type mismatch occurred, expected checksum Type: ${algorithm.toLowerCase()}, ` +
      `actual checksum Type: ${given.toLowerCase()}`,
  );
}

function copyRange(
  { header, tools }: S3Request,
  { bucket, version, customerKey: sourceKey }: CopyOrigin,
  { algorithm }: Upload,
  key: CustomerKey | undefined,
) {
  const text = header('x-amz-copy-source-range');
  const range = text === undefined ? undefined : parseCopyRange(text, version.size);
  const offset = range?.start ?? 0;
  const length = range ? range.end - range.start + 1 : version.size;
  if (length > mostUploadBytes) throw s3Fault('EntityTooLarge');
  const content = readContent(tools, bucket, version, { range: { offset, length }, key: sourceKey });
  return storeCopy(tools, content, length, algorithm, key);
}

async function keepPart(request: S3Request, number: number, stored: StoredBlobContent): Promise<UploadPart> {
  const { bucket, key, tools } = request;
  const { checksum } = stored.digest;
  const part = {
    ...stored.part,
    number,
    etag: entityTag(stored),
    modified: tools.now(),
    ...(checksum && { checksum: checksum.value }),
  };
  const uploadId = request.parameter('uploadId') ?? '';
  await publish(tools, [stored.part], tools.uploads.putPart(bucket.name, key, uploadId, part));
  return part;
}
