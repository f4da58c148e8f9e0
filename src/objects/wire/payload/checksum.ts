// The checksums that S3 supports for an object, computed while its bytes pass. Values are base64 of the big-endian
// bytes.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { crc32c } from '../../../base/crc32c.ts';
import { s3Fault } from '../error.ts';
import { type Crc64, updateCrc64 } from './crc64nvme.ts';

export const checksumAlgorithms = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

export interface Checksum {
  algorithm: ChecksumAlgorithm;
  value: string; // base64; a composite one ends with "-" and the number of parts
}

export interface ChecksumStream {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

const digestBytes: Record<ChecksumAlgorithm, number> = { CRC32: 4, CRC32C: 4, CRC64NVME: 8, SHA1: 20, SHA256: 32 };

export const checksumHeader = (algorithm: ChecksumAlgorithm): string => `x-amz-checksum-${algorithm.toLowerCase()}`;

export function checksumAlgorithmOf(name: string): ChecksumAlgorithm {
  const found = checksumAlgorithms.find((algorithm) => algorithm === name.trim().toUpperCase());
  if (found) return found;
  throw s3Fault(
    'InvalidRequest',
    'Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]',
  );
}

export function isChecksumValue(algorithm: ChecksumAlgorithm, value: string): boolean {
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === digestBytes[algorithm] && bytes.toString('base64') === value;
}

export function createChecksum(algorithm: ChecksumAlgorithm): ChecksumStream {
  if (algorithm === 'CRC32') return crcStream(crc32);
  if (algorithm === 'CRC32C') return crcStream(crc32c);
  if (algorithm === 'CRC64NVME') return crc64Stream();
  const hash = createHash(algorithm);
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
}

export function checksumOf(algorithm: ChecksumAlgorithm, bytes: Uint8Array): string {
  const stream = createChecksum(algorithm);
  stream.update(bytes);
  return stream.digest().toString('base64');
}

function crcStream(add: (bytes: Uint8Array, value: number) => number): ChecksumStream {
  let value = 0;
  return {
    update(bytes) {
      value = add(bytes, value);
    },
    digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    },
  };
}

function crc64Stream(): ChecksumStream {
  const value: Crc64 = { high: 0, low: 0 };
  return {
    update: (bytes) => updateCrc64(value, bytes),
    digest() {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32BE(value.high, 0);
      bytes.writeUInt32BE(value.low, 4);
      return bytes;
    },
  };
}
