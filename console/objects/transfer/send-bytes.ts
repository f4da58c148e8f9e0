// Sends bytes and reports the progress, which `fetch` can't do.

import { pageKey } from '../../account/page-key.ts';
import { ApiError, scope } from '../../api.ts';
import { type Place, type S3Query, s3Failure, s3Path } from '../s3/s3.ts';

export interface Sending {
  place: Place;
  query?: S3Query;
  headers: Readonly<Record<string, string>>;
  body: Blob;
  signal: AbortSignal;
  onProgress(bytes: number): void;
}

// Resolves with the entity tag.
export function sendBytes({ place, query, headers, body, signal, onProgress }: Sending): Promise<string> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const request = new XMLHttpRequest();
  request.open('PUT', s3Path(place, query));
  request.setRequestHeader('X-Console', pageKey());
  if (scope.contract !== undefined) request.setRequestHeader('X-Contract-Number', String(scope.contract));
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, body.size));
  request.onload = () => {
    if (request.status === 401) scope.onSignedOut();
    if (request.status === 200) resolve(request.getResponseHeader('ETag') ?? '');
    else reject(s3Failure(request.status, request.responseText));
  };
  request.onerror = () =>
    reject(
      new ApiError(0, [{ errorCode: '0', message: 'The region does not answer, or the browser can’t read the file.' }]),
    );
  request.onabort = () => reject(new DOMException('given up', 'AbortError'));
  const abort = (): void => request.abort();
  signal.addEventListener('abort', abort);
  request.onloadend = () => signal.removeEventListener('abort', abort);
  request.send(body);
  return promise;
}
