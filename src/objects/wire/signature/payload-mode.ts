// The description of the body in x-amz-content-sha256. The value is signed as sent.
import { s3Fault } from '../error.ts';

export type PayloadMode =
  | { kind: 'hash'; sha256: string }
  | { kind: 'unsigned' }
  | { kind: 'chunked'; isSigned: boolean; hasTrailer: boolean };

const modes: Record<string, PayloadMode> = {
  'UNSIGNED-PAYLOAD': { kind: 'unsigned' },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { kind: 'chunked', isSigned: true, hasTrailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { kind: 'chunked', isSigned: true, hasTrailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { kind: 'chunked', isSigned: false, hasTrailer: true },
};

export function payloadMode(contentSha256: string): PayloadMode {
  if (/^[0-9a-fA-F]{64}$/.test(contentSha256)) return { kind: 'hash', sha256: contentSha256.toLowerCase() };
  const mode = Object.hasOwn(modes, contentSha256) ? modes[contentSha256] : undefined;
  if (mode) return mode;
  const names = Object.keys(modes).join(', ');
  throw s3Fault('InvalidArgument', `x-amz-content-sha256 must be ${names} or a valid sha256 value.`);
}
