// The keyed hashes of Signature Version 4, and comparison in constant time.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

export interface Scope {
  day: string; // 20130524
  region: string;
  service: string;
}

export const scopeText = ({ day, region, service }: Scope): string => `${day}/${region}/${service}/aws4_request`;

export function signingKey(secret: string, { day, region, service }: Scope): Buffer {
  return hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), service), 'aws4_request');
}

export const sign = (key: Buffer, text: string): string => hmac(key, text).toString('hex');

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

// Both sides are hashed first, so that neither the time nor an exception reveals anything, not even the length.
export function isEqual(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
