// Lists the blobs and the unfinished uploads of an S3 server, page by page.
import { isUuid } from '../../../base/ids.ts';
import { type Element, manyElements, parseXml } from '../../wire/xml/parser.ts';
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

const uploadsPerPage = 200; // each has about 22 tags

export async function* listBlobs(server: S3Server, perPage: number): AsyncGenerator<ListedBlob[], void> {
  const first = { 'list-type': '2', prefix: server.prefix, 'max-keys': String(perPage) };
  for (let token = ''; ; ) {
    const query = token === '' ? first : { ...first, 'continuation-token': token };
    const page = parseXml((await server.answer({ method: 'GET', query })).text, 'ListBucketResult', manyElements);
    yield page.all('Contents').flatMap((one) => {
      const id = idIn(server, one);
      return id === undefined ? [] : [{ id, size: Number(textIn(one, 'Size')), atMs: timeIn(one, 'LastModified') }];
    });
    token = textIn(page, 'NextContinuationToken');
    if (token === '') return;
  }
}

export async function* listUploads(server: S3Server): AsyncGenerator<ListedUpload[], void> {
  for (let markers = {}; ; ) {
    const query = { uploads: '', prefix: server.prefix, 'max-uploads': String(uploadsPerPage), ...markers };
    const page = parseXml(
      (await server.answer({ method: 'GET', query })).text,
      'ListMultipartUploadsResult',
      manyElements,
    );
    yield page.all('Upload').flatMap((one) => {
      const id = idIn(server, one);
      return id === undefined ? [] : [{ id, uploadId: textIn(one, 'UploadId'), atMs: timeIn(one, 'Initiated') }];
    });
    if (textIn(page, 'IsTruncated') !== 'true') return;
    markers = { 'key-marker': textIn(page, 'NextKeyMarker'), 'upload-id-marker': textIn(page, 'NextUploadIdMarker') };
  }
}

const textIn = (element: Element, name: string): string => element.string(name) ?? '';

const timeIn = (element: Element, name: string): number => Date.parse(textIn(element, name));

// Undefined: another object below the prefix, which must not be removed.
function idIn({ prefix }: S3Server, element: Element): string | undefined {
  const key = textIn(element, 'Key');
  const id = key.slice(prefix.length);
  return key.startsWith(prefix) && isUuid(id) ? id : undefined;
}
