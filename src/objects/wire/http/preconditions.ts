// Conditional requests with S3's precedence: a matching If-Match disables If-Unmodified-Since, and a failing
// If-None-Match disables If-Modified-Since.
import { s3Fault } from '../error.ts';
import { namesEntityTag, unquoteEntityTag } from './entity-tag.ts';

export interface StoredState {
  etag: string;
  lastModified: number; // milliseconds
}

type HeaderReader = (name: string) => string | undefined;

// For GET and HEAD; throws NotModified or PreconditionFailed.
export function checkReadConditions(header: HeaderReader, state: StoredState): void {
  const failure = failedCondition(header, state, 'if-');
  if (failure === 'none-match' || failure === 'modified-since') throw s3Fault('NotModified');
  if (failure) throw s3Fault('PreconditionFailed');
}

// If-Range: the client wants a range to continue the object that it has. If the object differs, it gets the whole,
// otherwise it would combine the bytes of two objects.
export function isRangeWanted(header: HeaderReader, { etag, lastModified }: StoredState): boolean {
  const condition = header('if-range')?.trim();
  if (condition === undefined) return true;
  if (condition.startsWith('"')) return unquoteEntityTag(condition) === etag;
  return httpTime(condition) === wholeSeconds(lastModified);
}

// For the source of a copy, for which every failure is a 412.
export function checkCopyConditions(header: HeaderReader, source: StoredState): void {
  if (failedCondition(header, source, 'x-amz-copy-source-if-')) throw s3Fault('PreconditionFailed');
}

// For PUT, the completion of an upload and DELETE; `current` is undefined if there is no object, or only a delete
// marker. If-Match without an object is a 404, as in S3.
export function checkWriteConditions(header: HeaderReader, current: { etag: string } | undefined): void {
  const match = header('if-match');
  if (match !== undefined) {
    if (!current) throw s3Fault('NoSuchKey');
    if (!namesEntityTag(match, current.etag)) throw s3Fault('PreconditionFailed');
  }
  const noneMatch = header('if-none-match');
  if (noneMatch !== undefined && current && namesEntityTag(noneMatch, current.etag))
    throw s3Fault('PreconditionFailed');
}

type Failure = 'match' | 'unmodified-since' | 'none-match' | 'modified-since' | undefined;

function failedCondition(header: HeaderReader, { etag, lastModified }: StoredState, prefix: string): Failure {
  const modified = wholeSeconds(lastModified);
  const match = header(`${prefix}match`);
  const unmodifiedSince = httpTime(header(`${prefix}unmodified-since`));
  if (match !== undefined) {
    if (!namesEntityTag(match, etag)) return 'match';
  } else if (unmodifiedSince !== undefined && modified > unmodifiedSince) return 'unmodified-since';
  const noneMatch = header(`${prefix}none-match`);
  const modifiedSince = httpTime(header(`${prefix}modified-since`));
  if (noneMatch !== undefined) return namesEntityTag(noneMatch, etag) ? 'none-match' : undefined;
  return modifiedSince !== undefined && modified <= modifiedSince ? 'modified-since' : undefined;
}

// HTTP dates have whole seconds.
const wholeSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;

// An invalid time is ignored.
function httpTime(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}
