// Computes the checksum of a multipart object from those of its parts. COMPOSITE is the checksum of the parts'
// checksums, FULL_OBJECT that of all bytes; the latter exists only for CRCs, because only they can be combined.

import { polynomial32c } from '../../../base/crc32c.ts';
import { s3Fault } from '../error.ts';
import { type ChecksumAlgorithm, checksumOf } from './checksum.ts';
import { CrcCombination, type CrcParameters } from './crc-combination.ts';
import { polynomial64nvme } from './crc64nvme.ts';

export type ChecksumType = 'COMPOSITE' | 'FULL_OBJECT';

export interface PartChecksum {
  value: string; // base64
  size: number;
}

const types: Record<ChecksumAlgorithm, readonly ChecksumType[]> = {
  CRC32: ['COMPOSITE', 'FULL_OBJECT'],
  CRC32C: ['COMPOSITE', 'FULL_OBJECT'],
  CRC64NVME: ['FULL_OBJECT'],
  SHA1: ['COMPOSITE'],
  SHA256: ['COMPOSITE'],
};

const crcs: Partial<Record<ChecksumAlgorithm, CrcParameters>> = {
  CRC32: { width: 32n, polynomial: 0xedb88320n },
  CRC32C: { width: 32n, polynomial: BigInt(polynomial32c) },
  CRC64NVME: { width: 64n, polynomial: polynomial64nvme },
};

// Returns the checksum type of an upload: the requested one in x-amz-checksum-type, or the algorithm's default.
export function checksumTypeOf(algorithm: ChecksumAlgorithm, requested?: string): ChecksumType {
  const wanted = requested?.trim().toUpperCase() ?? types[algorithm][0];
  const found = types[algorithm].find((type) => type === wanted);
  if (found) return found;
  const message = `The ${wanted} checksum type cannot be used with the ${algorithm} checksum algorithm.`;
  throw s3Fault('InvalidRequest', message);
}

export function multipartChecksum(
  algorithm: ChecksumAlgorithm,
  type: ChecksumType,
  parts: readonly PartChecksum[],
): string {
  if (type === 'FULL_OBJECT') return fullObjectChecksum(algorithm, parts);
  const digests = Buffer.concat(parts.map(({ value }) => Buffer.from(value, 'base64')));
  return `${checksumOf(algorithm, digests)}-${parts.length}`;
}

function fullObjectChecksum(algorithm: ChecksumAlgorithm, parts: readonly PartChecksum[]): string {
  const parameters = crcs[algorithm];
  if (!parameters) throw new Error(`${algorithm} has no checksum of a whole multipart object`);
  const combination = new CrcCombination(parameters);
  let crc = 0n;
  for (const { value, size } of parts) {
    const next = BigInt(`0x${Buffer.from(value, 'base64').toString('hex')}`);
    crc = combination.combine(crc, next, size);
  }
  return Buffer.from(crc.toString(16).padStart(Number(parameters.width) / 4, '0'), 'hex').toString('base64');
}
