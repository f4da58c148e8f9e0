// S3 calls with the session of the signed-in user. Errors contain S3's code and message.
import { ApiError, send } from '../../api.ts';
import { readXml, type XmlNode } from './xml.ts';

export type S3Query = Readonly<Record<string, string | undefined>>;

export interface S3Options {
  query?: S3Query;
  headers?: Readonly<Record<string, string>>;
  body?: string | Blob;
  signal?: AbortSignal | undefined;
}

export interface Place {
  bucket: string;
  key?: string | undefined;
}

// Bucket and key form one encoded path segment, because browsers resolve dots between slashes and a key may be
// `a/../b`.
export function s3Path({ bucket, key }: Place, query: S3Query = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = given.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
  const name = encodeURIComponent(key === undefined ? bucket : `${bucket}/${key}`);
  return `/console/s3/${name}${search === '' ? '' : `?${search}`}`;
}

export async function s3(method: string, place: Place, options: S3Options = {}): Promise<Response> {
  const { query, headers, body, signal } = options;
  const response = await send(s3Path(place, query), {
    method,
    headers: { Accept: '*/*', ...headers },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  const isUnset = response.headers.has('x-console-unset'); // a missing setting, which is not a failure
  if (response.ok && !isUnset) return response;
  throw s3Failure(isUnset ? 404 : response.status, await response.text().catch(() => ''));
}

export async function s3Document(place: Place, query: S3Query, signal?: AbortSignal): Promise<XmlNode> {
  const response = await s3('GET', place, { query, signal });
  return documentOf(await response.text());
}

export function documentOf(text: string): XmlNode {
  const document = readXml(text);
  if (document) return document;
  throw new ApiError(200, [
    { errorCode: 'MalformedXML', message: 'The object storage returned an answer that is not XML.' },
  ]);
}

// Returns undefined if S3 answers with this error code.
export async function unless<T>(code: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === code) return undefined;
    throw error;
  }
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof ApiError ? error.problems[0]?.errorCode : undefined;

export function s3Failure(status: number, text: string): ApiError {
  const document = text === '' ? undefined : readXml(text);
  const errorCode = document?.text('Code') ?? String(status);
  const message = document?.text('Message') ?? byStatus[status] ?? `The object storage returned status ${status}.`;
  return new ApiError(status, [{ errorCode, message }]);
}

// A HEAD answer has no message.
const byStatus: Readonly<Record<number, string>> = {
  403: 'Access Denied',
  404: 'The bucket or object does not exist.',
};
