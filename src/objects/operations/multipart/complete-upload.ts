// CompleteMultipartUpload: the parts become an object in one write set. A repeated completion, sent because the client
// did not see the answer, gets the first answer again.
import { demandAllowed } from '../../access/authorization.ts';
import type { StoredBucket } from '../../metadata/bucket.ts';
import type { Assembled } from '../../metadata/objects.ts';
import type { Upload, UploadPart } from '../../metadata/uploads.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { madeHeaders, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { customerKeyIn, encryptionHeaders } from '../../wire/http/encryption-headers.ts';
import { multipartEntityTag, quoteEntityTag, unquoteEntityTag } from '../../wire/http/entity-tag.ts';
import { checkWriteConditions } from '../../wire/http/preconditions.ts';
import { checksumAlgorithms, checksumHeader } from '../../wire/payload/checksum.ts';
import { multipartChecksum } from '../../wire/payload/multipart-checksum.ts';
import type { CompletedPart } from '../../wire/xml/object-documents.ts';
import { withDefaultRetention } from '../object/object-properties.ts';
import { optionalUploadKey } from './upload-part.ts';

const leastPartBytes = 5 * 1024 ** 2; // except for the last part
const mostObjectBytes = 5 * 1024 ** 4;

export const completeUpload = operation({
  name: 'CompleteMultipartUpload',
  method: 'POST',
  target: 'object',
  query: 'uploadId',
  isData: true,
  async call(request) {
    const { bucket, key, tools, header } = request;
    demandAllowed(request, { action: 's3:PutObject', bucket, key });
    const uploadId = request.parameter('uploadId') ?? '';
    // Checksums in the headers belong to the object, not to the document.
    const document = await request.document((name) => (isChecksumHeader(name) ? undefined : header(name)));
    const requestedParts = await tools.documents.read('parts', document, bucket.contract);
    const version = await tools.objects.complete(
      bucket.name,
      key,
      uploadId,
      (current) => assemble(request, current, uploadId, requestedParts),
      (current) => checkWriteConditions(header, current),
    );
    return completed(request, version);
  },
});

const isChecksumHeader = (name: string): boolean =>
  checksumAlgorithms.some((algorithm) => checksumHeader(algorithm) === name);

function completed({ bucket, header, x }: S3Request, version: ObjectVersion) {
  const { key, etag, checksum, encryption } = version;
  const headers = [...madeHeaders(version, bucket), ...encryptionHeaders(encryption, customerKeyIn(header))];
  const content = {
    Location: `${x.secure ? 'https' : 'http'}://${x.host}/${bucket.name}/${encodeURIComponent(key)}`,
    Bucket: bucket.name,
    Key: key,
    ETag: quoteEntityTag(etag),
    ...(checksum && { [`Checksum${checksum.algorithm}`]: checksum.value, ChecksumType: checksum.type }),
  };
  return xmlReply('CompleteMultipartUploadResult', content, headers);
}

async function assemble(
  request: S3Request,
  bucket: StoredBucket,
  uploadId: string,
  requestedParts: readonly CompletedPart[],
): Promise<Assembled> {
  const { key, tools } = request;
  const upload = await tools.uploads.find(bucket, key, uploadId);
  optionalUploadKey(request, upload);
  const { writes, parts: uploaded } = await tools.uploads.removal(bucket, key, uploadId);
  const chosen = chooseParts(upload, uploaded, requestedParts);
  const size = chosen.reduce((sum, part) => sum + part.size, 0);
  if (size > mostObjectBytes) throw s3Fault('EntityTooLarge');
  const announced = request.header('x-amz-mp-object-size');
  if (announced !== undefined && announced !== String(size))
    throw s3Fault('InvalidRequest', `The provided object size ${announced} does not match that of the parts: ${size}.`);
  const checksum = checksumOf(request, upload, chosen);
  const used = new Set(chosen.map(({ number }) => number));
  return {
    made: {
      ...withDefaultRetention(upload.properties, bucket, tools.now()),
      key,
      modified: tools.now(),
      owner: upload.owner,
      size,
      etag: multipartEntityTag(chosen.map(({ etag }) => Buffer.from(etag, 'hex'))),
      ...(checksum && { checksum }),
      parts: chosen.map(({ modified: _, ...part }) => part),
      uploadId,
    },
    writes,
    unused: uploaded.filter(({ number }) => !used.has(number)),
  };
}

// Returns the parts that the client names, all of which must be uploaded.
function chooseParts({ algorithm }: Upload, uploaded: readonly UploadPart[], requestedParts: readonly CompletedPart[]) {
  const byNumber = new Map(uploaded.map((part) => [part.number, part]));
  const chosen = requestedParts.map(({ partNumber, etag, checksum }) => {
    const part = byNumber.get(partNumber);
    if (part?.etag !== unquoteEntityTag(etag)) throw s3Fault('InvalidPart');
    const isOther = checksum && (checksum.algorithm !== algorithm || checksum.value !== part.checksum);
    if (isOther && algorithm !== undefined) throw s3Fault('InvalidPart');
    return part;
  });
  const small = chosen.slice(0, -1).find(({ size }) => size < leastPartBytes);
  if (small) throw s3Fault('EntityTooSmall');
  return chosen;
}

// Returns the checksum of the whole object, which the client may have announced.
function checksumOf({ header }: S3Request, { algorithm, checksumType }: Upload, parts: readonly UploadPart[]) {
  const requestedType = header('x-amz-checksum-type')?.toUpperCase();
  if (requestedType !== undefined && requestedType !== checksumType)
    throw s3Fault('InvalidRequest', 'The upload was created using another checksum type.');
  if (!algorithm || !checksumType) return undefined;
  const sums = parts.map(({ checksum = '', size }) => ({ value: checksum, size }));
  const value = multipartChecksum(algorithm, checksumType, sums);
  const announced = header(checksumHeader(algorithm));
  const isSame = announced === undefined || announced === value || announced === value.replace(/-\d+$/, '');
  if (!isSame) throw s3Fault('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`);
  return { algorithm, value, type: checksumType };
}
