// ListMultipartUploads: those that are not complete, by key and then by their beginnings.
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
    const encode = encodingOf(request);
    const text = (name: string): string => request.parameter(name) ?? '';
    const limit = Math.min(request.integer('max-uploads', 0, 2 ** 31 - 1) ?? mostUploads, mostUploads);
    const { uploads, prefixes, isTruncated, nextKey, nextId } = await findPage(request, limit);
    return xmlReply('ListMultipartUploadsResult', {
      Bucket: bucket.name,
      KeyMarker: encode(text('key-marker')),
      UploadIdMarker: text('upload-id-marker'),
      NextKeyMarker: encode(nextKey),
      NextUploadIdMarker: nextId,
      Prefix: encode(text('prefix')),
      Delimiter: text('delimiter') === '' ? undefined : encode(text('delimiter')),
      EncodingType: request.parameter('encoding-type'),
      MaxUploads: limit,
      IsTruncated: isTruncated,
      Upload: uploads.map(({ key, uploadId, started, algorithm, checksumType }) => ({
        Key: encode(key),
        UploadId: uploadId,
        Initiator: ownerContent(bucket.contract),
        Owner: ownerContent(bucket.contract),
        StorageClass: 'STANDARD',
        Initiated: iso(started),
        ChecksumAlgorithm: algorithm,
        ChecksumType: checksumType,
      })),
      CommonPrefixes: [...prefixes].map((prefix) => ({ Prefix: encode(prefix) })),
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
    // A marker that is a common prefix has told of all that is below it.
    if (common !== undefined && (page.prefixes.has(common) || common === marker)) continue;
    if (page.uploads.length + page.prefixes.size === limit) return { ...page, isTruncated: true };
    if (common === undefined) page.uploads.push(upload);
    else page.prefixes.add(common);
    page.nextKey = common ?? upload.key;
    page.nextId = common === undefined ? upload.uploadId : '';
  }
  return page;
}
