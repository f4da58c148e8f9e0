// DNSKEY records of RSA keys (RFC 3110, RFC 4034).
import type { KeyObject } from 'node:crypto';
import { uint16 } from '../records/rdata.ts';

export const zoneKeyFlags = 256;
export const keySigningFlags = 257;

export function dnskeyData(key: KeyObject, isKsk: boolean): Buffer {
  const { n = '', e = '' } = key.export({ format: 'jwk' });
  const exponent = Buffer.from(e, 'base64url');
  const modulus = Buffer.from(n, 'base64url');
  const head = Buffer.from([3, 8]); // protocol, algorithm
  return Buffer.concat([
    uint16(isKsk ? keySigningFlags : zoneKeyFlags),
    head,
    Buffer.from([exponent.length]),
    exponent,
    modulus,
  ]);
}

// RFC 4034, appendix B.
export function keyTagOf(data: Buffer): number {
  let sum = 0;
  for (const [at, byte] of data.entries()) sum += at % 2 === 0 ? byte << 8 : byte;
  return (sum + (sum >> 16)) & 0xffff;
}
