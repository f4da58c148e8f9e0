// The credential of a signature: "accessKeyId/day/region/s3/aws4_request". An access key id may contain slashes, so it
// is parsed from the end.
import type { Scope } from '../../../core/s3-signature/signing-key.ts';

export interface Credential {
  accessKeyId: string;
  scope: Scope;
}

export function parseCredential(text: string): Credential | undefined {
  const parts = text.split('/');
  const [day, region, service, end] = parts.slice(-4);
  const accessKeyId = parts.slice(0, -4).join('/');
  if (!accessKeyId || !day || !region || service !== 's3' || end !== 'aws4_request') return undefined;
  return /^\d{8}$/.test(day) ? { accessKeyId, scope: { day, region, service } } : undefined;
}

// The time of a signature, 20130524T000000Z, in milliseconds; NaN for anything else.
export function parseTimestamp(text: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!match) return Number.NaN;
  const [, year, month, day, hour, minute, second] = match;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
