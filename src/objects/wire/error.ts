// S3 errors: created as a Fault that carries S3's code, and rendered as S3's XML. A fault without such a code comes
// from a lower layer and is rendered by its kind.
import { Fault, type FaultKind } from '../../base/fault.ts';
import type { RenderRefusal } from '../../surface/http/exchange.ts';
import { errorCode, isS3Code, type S3Code } from './error-codes.ts';
import { writeXml, type XmlContent } from './xml/writer.ts';

const kinds: Record<number, FaultKind> = {
  403: 'forbidden',
  404: 'missing',
  405: 'method',
  409: 'conflict',
  412: 'conflict',
  500: 'internal',
  503: 'unavailable',
};

// Wrong credentials count against the address that sent them.
const wrongCredentials: readonly S3Code[] = ['InvalidAccessKeyId', 'SignatureDoesNotMatch'];

// A fault with S3's code; the message defaults to S3's own.
export function s3Fault(code: S3Code, message?: string, cause?: unknown): Fault {
  const known = errorCode(code);
  const kind = wrongCredentials.includes(code) ? 'unauthenticated' : (kinds[known.status] ?? 'refused');
  return new Fault(kind, message ?? known.message, { code, cause });
}

const codes: Record<FaultKind, S3Code> = {
  refused: 'InvalidRequest',
  unauthenticated: 'AccessDenied',
  forbidden: 'AccessDenied',
  missing: 'NoSuchKey',
  method: 'MethodNotAllowed',
  conflict: 'OperationAborted',
  oversized: 'EntityTooLarge',
  throttled: 'SlowDown',
  timeout: 'RequestTimeout',
  unavailable: 'ServiceUnavailable',
  internal: 'InternalError',
};

export function codeOf(fault: Fault): S3Code {
  const { code } = fault.detail;
  return isS3Code(code) ? code : codes[fault.kind];
}

export interface ErrorPlace {
  method: string;
  resource: string; // the path of the request
  requestId: string;
  hostId: string;
  details?: XmlContent; // elements of one code, such as Region or ActualObjectSize
}

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: string; // empty for HEAD and for 304
}

export function renderError(fault: Fault, place: ErrorPlace): ErrorAnswer {
  const code = codeOf(fault);
  const { status } = errorCode(code);
  const headers: Record<string, string> = {};
  if (fault.detail.allow) headers.allow = fault.detail.allow.join(', ');
  if (fault.detail.retryAfterS !== undefined) headers['retry-after'] = String(fault.detail.retryAfterS);
  if (place.method === 'HEAD' || status === 304) return { status, headers, body: '' };
  headers['content-type'] = 'application/xml';
  return { status, headers, body: writeXml('Error', errorContent(fault, place), null) };
}

// Codes for requests that HTTP's parser refused before there was a method or path.
const refusalCodes: Record<number, S3Code> = {
  408: 'RequestTimeout',
  431: 'RequestHeaderSectionTooLarge',
  503: 'SlowDown',
};

export const renderRefusal: RenderRefusal = ({ status: refusalStatus, message, id }) => {
  const fault = s3Fault(refusalCodes[refusalStatus] ?? 'BadRequest', message);
  const { status, body } = renderError(fault, { method: '', resource: '', requestId: id, hostId: id });
  return { status, body, type: 'application/xml', headers: ['x-amz-request-id', id] };
};

function errorContent(fault: Fault, place: ErrorPlace): XmlContent {
  const { resource, requestId, hostId, details } = place;
  return {
    Code: codeOf(fault),
    Message: fault.message,
    ...details,
    Resource: resource,
    RequestId: requestId,
    HostId: hostId,
  };
}
