// The blobs and the unfinished uploads that are in an S3 server, page by page. The XML is read by expressions: all that
// is looked for are ids, numbers and times.
import { isUuid } from '../../../base/ids.ts';
import type { S3Server } from './server.ts';

export interface ListedBlob {
  id: string;
  size: number;
  atMs: number; // by the server's clock
}

export interface ListedUpload {
  id: string; // of the blob
  uploadId: string;
  atMs: number;
}

export async function* listBlobs(server: S3Server, perPage: number): AsyncGenerator<ListedBlob[], void> {
  const first = { 'list-type': '2', prefix: server.prefix, 'max-keys': String(perPage) };
  for (let token = ''; ; ) {
    const query = token === '' ? first : { ...first, 'continuation-token': token };
    const { text: page } = await server.answer({ method: 'GET', query });
    yield elements(page, 'Contents').flatMap((one) => {
      const id = idIn(server, one);
      return id === undefined ? [] : [{ id, size: Number(textIn(one, 'Size')), atMs: timeIn(one, 'LastModified') }];
    });
    token = textIn(page, 'NextContinuationToken');
    if (token === '') return;
  }
}

export async function* listUploads(server: S3Server): AsyncGenerator<ListedUpload[], void> {
  for (let markers = {}; ; ) {
    const query = { uploads: '', prefix: server.prefix, ...markers };
    const { text: page } = await server.answer({ method: 'GET', query });
    yield elements(page, 'Upload').flatMap((one) => {
      const id = idIn(server, one);
      return id === undefined ? [] : [{ id, uploadId: textIn(one, 'UploadId'), atMs: timeIn(one, 'Initiated') }];
    });
    if (textIn(page, 'IsTruncated') !== 'true') return;
    markers = { 'key-marker': textIn(page, 'NextKeyMarker'), 'upload-id-marker': textIn(page, 'NextUploadIdMarker') };
  }
}

const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inside = '']) => inside);

export const textIn = (xml: string, name: string): string =>
  (new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '').replace(/&(amp|quot|#34|#39|lt|gt);/g, (_, sign) =>
    String(signs[sign]),
  );

const signs: Record<string, string> = { amp: '&', quot: '"', '#34': '"', '#39': "'", lt: '<', gt: '>' };

const timeIn = (xml: string, name: string): number => Date.parse(textIn(xml, name));

// Undefined: something else that is below the prefix, which is not ours to remove.
function idIn({ prefix }: S3Server, xml: string): string | undefined {
  const key = textIn(xml, 'Key');
  const id = key.slice(prefix.length);
  return key.startsWith(prefix) && isUuid(id) ? id : undefined;
}
