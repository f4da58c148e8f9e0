// ListMultipartUploads: lists incomplete uploads, ordered by key and then by start.
import type { Upload } from '../../metadata/uploads.ts';
import { operation } from '../../service/operation.ts';
import { iso, ownerContent, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { encodingOf } from '../list/list-objects.ts';

const mostUploads = 1000;

interface Page {
  uploads: Upload[];
  prefixes: Set<string>;
  isTruncated: boolean;
  nextKey: string;
  nextId: string;
}

export const listUploads = operation({
  name: 'ListMultipartUploads',
  method: 'GET',
  target: 'bucket',
  query: 'uploads',
  action: 's3:ListBucketMultipartUploads',
  isData: true,
  async call(request) {
    const { bucket } = request;
    const encoding = encodingOf(request);
    const text = (name: string): string => request.parameter(name) ?? '';
    const limit = Math.min(request.integer('max-uploads', 0, 2 ** 31 - 1) ?? mostUploads, mostUploads);
    const { uploads, prefixes, isTruncated, nextKey, nextId } = await findPage(request, limit);
    return xmlReply('ListMultipartUploadsResult', {
      Bucket: bucket.name,
      KeyMarker: encoding.text(text('key-marker')),
      UploadIdMarker: text('upload-id-marker'),
      NextKeyMarker: encoding.text(nextKey),
      NextUploadIdMarker: nextId,
      Prefix: encoding.text(text('prefix')),
      Delimiter: text('delimiter') === '' ? undefined : encoding.text(text('delimiter')),
      EncodingType: request.parameter('encoding-type'),
      MaxUploads: limit,
      IsTruncated: isTruncated,
      Upload: uploads.map(({ key, uploadId, started, algorithm, checksumType }) => ({
        Key: encoding.key(key),
        UploadId: uploadId,
        Initiator: ownerContent(bucket.contract),
        Owner: ownerContent(bucket.contract),
        StorageClass: 'STANDARD',
        Initiated: iso(started),
        ChecksumAlgorithm: algorithm,
        ChecksumType: checksumType,
      })),
      CommonPrefixes: [...prefixes].map((prefix) => ({ Prefix: encoding.text(prefix) })),
    });
  },
});

async function findPage(request: S3Request, limit: number): Promise<Page> {
  const { bucket, tools } = request;
  const [prefix, delimiter] = [request.parameter('prefix') ?? '', request.parameter('delimiter') ?? ''];
  const marker = request.parameter('key-marker') ?? '';
  const page: Page = { uploads: [], prefixes: new Set(), isTruncated: false, nextKey: '', nextId: '' };
  if (limit === 0) return page;
  const found = tools.uploads.list(bucket, prefix, marker, request.parameter('upload-id-marker') ?? '');
  for await (const upload of found) {
    const end = delimiter === '' ? -1 : upload.key.indexOf(delimiter, prefix.length);
    const common = end < 0 ? undefined : upload.key.slice(0, end + delimiter.length);
    // If the marker is a common prefix, everything below it was listed already.
    if (common !== undefined && (page.prefixes.has(common) || common === marker)) continue;
    if (page.uploads.length + page.prefixes.size === limit) return { ...page, isTruncated: true };
    if (common === undefined) page.uploads.push(upload);
    else page.prefixes.add(common);
    page.nextKey = common ?? upload.key;
    page.nextId = common === undefined ? upload.uploadId : '';
  }
  return page;
}
