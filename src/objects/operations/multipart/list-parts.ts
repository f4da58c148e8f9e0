// ListParts.
import { operation } from '../../service/operation.ts';
import { iso, ownerContent, xmlReply } from '../../service/reply.ts';
import { quoteEntityTag } from '../../wire/http/entity-tag.ts';
import { findUpload, optionalUploadKey } from './upload-part.ts';

const mostParts = 1000; // of a page

export const listParts = operation({
  name: 'ListParts',
  method: 'GET',
  target: 'object',
  query: 'uploadId',
  action: 's3:ListMultipartUploadParts',
  isData: true,
  async call(request) {
    const { bucket, key, tools } = request;
    const upload = await findUpload(request);
    optionalUploadKey(request, upload);
    const { uploadId, algorithm, checksumType } = upload;
    const marker = request.integer('part-number-marker', 0, 2 ** 31 - 1) ?? 0;
    const limit = Math.min(request.integer('max-parts', 0, 2 ** 31 - 1) ?? mostParts, mostParts);
    const found = await tools.uploads.parts(bucket, uploadId, Math.min(marker, 10_000), limit + 1);
    const page = found.slice(0, limit);
    return xmlReply('ListPartsResult', {
      Bucket: bucket.name,
      Key: key,
      UploadId: uploadId,
      Initiator: ownerContent(bucket.contract),
      Owner: ownerContent(bucket.contract),
      StorageClass: 'STANDARD',
      PartNumberMarker: marker,
      NextPartNumberMarker: page.at(-1)?.number ?? 0,
      MaxParts: limit,
      IsTruncated: found.length > limit && limit > 0,
      ChecksumAlgorithm: algorithm,
      ChecksumType: checksumType,
      Part: page.map(({ number, modified, etag, size, checksum }) => ({
        PartNumber: number,
        LastModified: iso(modified),
        ETag: quoteEntityTag(etag),
        Size: size,
        ...(algorithm && { [`Checksum${algorithm}`]: checksum }),
      })),
    });
  },
});
