// Reads "AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…".

import type { HeaderValues } from '../../../core/s3-signature/canonical-request.ts';
import { s3Fault } from '../error.ts';
import { parseCredential, parseTimestamp, timestamp } from './credential.ts';
import type { Claim } from './signer.ts';

export function parseAuthorization(authorization: readonly string[], headers: HeaderValues): Claim {
  const [text = '', ...more] = authorization;
  if (more.length > 0) throw malformed('there is more than one Authorization header.');
  const [algorithm, rest] = split(text.trim(), ' ');
  if (algorithm !== 'AWS4-HMAC-SHA256') {
    const advice = 'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.';
    throw s3Fault('InvalidRequest', advice);
  }
  const fields = fieldsOf(rest);
  const credential = parseCredential(field(fields, 'Credential'));
  if (!credential) throw malformed('the Credential must be <access key>/YYYYMMDD/<region>/s3/aws4_request.');
  const time = signatureTime(headers);
  if (!time.startsWith(credential.scope.day))
    throw malformed('the date of the Credential differs from that of the request.');
  return {
    ...credential,
    timestamp: time,
    signedHeaders: parseSignedHeaders(field(fields, 'SignedHeaders')),
    signature: field(fields, 'Signature'),
    payloadHash: only(headers, 'x-amz-content-sha256') ?? missing('x-amz-content-sha256'),
  };
}

export const parseSignedHeaders = (text: string): string[] => text.toLowerCase().split(';');

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of text.split(',')) {
    const [name, value] = split(part.trim(), '=');
    if (fields.has(name)) throw malformed(`${name} is given twice.`);
    fields.set(name, value);
  }
  return fields;
}

function field(fields: Map<string, string>, name: string): string {
  const value = fields.get(name);
  if (!value) throw malformed(`${name} is missing.`);
  return value;
}

// x-amz-date is preferred; the plain Date header has the format of HTTP.
function signatureTime(headers: HeaderValues): string {
  const amzDate = only(headers, 'x-amz-date');
  if (amzDate !== undefined) {
    if (Number.isNaN(parseTimestamp(amzDate))) throw malformed('x-amz-date must have the form YYYYMMDDThhmmssZ.');
    return amzDate;
  }
  const date = only(headers, 'date') ?? '';
  const time = Number.isNaN(parseTimestamp(date)) ? Date.parse(date) : parseTimestamp(date);
  if (Number.isNaN(time))
    throw s3Fault('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  return timestamp(time);
}

function only(headers: HeaderValues, name: string): string | undefined {
  const values = headers.get(name);
  if (values && values.length > 1) throw malformed(`there is more than one ${name} header.`);
  return values?.[0]?.trim();
}

function missing(name: string): never {
  throw s3Fault('InvalidRequest', `Missing required header for this request: ${name}`);
}

const malformed = (reason: string): Error =>
  s3Fault('AuthorizationHeaderMalformed', `The authorization header is malformed; ${reason}`);

function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1).trim()];
}
