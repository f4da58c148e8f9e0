// Compares checksums with their published check values, a bitwise implementation, node:crypto and node:zlib.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { type ChecksumAlgorithm, checksumOf, createChecksum, isChecksumValue } from './checksum.ts';
import { checksumTypeOf, multipartChecksum } from './multipart-checksum.ts';

// One bit at a time, as in the definition.
function bitwise(bytes: Uint8Array, width: bigint, polynomial: bigint): string {
  const ones = (1n << width) - 1n;
  let crc = ones;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ polynomial : crc >> 1n;
  }
  return Buffer.from((crc ^ ones).toString(16).padStart(Number(width) / 4, '0'), 'hex').toString('base64');
}

const oracles: Record<ChecksumAlgorithm, (bytes: Uint8Array) => string> = {
  CRC32: (bytes) => Buffer.from(crc32(bytes).toString(16).padStart(8, '0'), 'hex').toString('base64'),
  CRC32C: (bytes) => bitwise(bytes, 32n, 0x82f63b78n),
  CRC64NVME: (bytes) => bitwise(bytes, 64n, 0x9a6c9329ac4bc9b5n),
  SHA1: (bytes) => createHash('sha1').update(bytes).digest('base64'),
  SHA256: (bytes) => createHash('sha256').update(bytes).digest('base64'),
};
const algorithms = Object.keys(oracles) as ChecksumAlgorithm[];
const sample = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 167 + (at >> 3)) & 255));

test('the check values of the catalogue of CRCs', () => {
  const digits = Buffer.from('123456789');
  assert.equal(Buffer.from(checksumOf('CRC32', digits), 'base64').toString('hex'), 'cbf43926');
  assert.equal(Buffer.from(checksumOf('CRC32C', digits), 'base64').toString('hex'), 'e3069283');
  assert.equal(Buffer.from(checksumOf('CRC64NVME', digits), 'base64').toString('hex'), 'ae8b14860a799888');
});

for (const algorithm of algorithms) {
  test(`${algorithm} of all lengths and cuts`, () => {
    for (const length of [0, 1, 7, 8, 9, 15, 16, 17, 63, 100, 1001]) {
      const bytes = sample(length);
      const expected = oracles[algorithm](bytes);
      assert.equal(checksumOf(algorithm, bytes), expected);
      const cut = createChecksum(algorithm);
      for (let at = 0; at < length; at += 13) cut.update(bytes.subarray(at, at + 13));
      assert.equal(cut.digest().toString('base64'), expected);
      assert.ok(isChecksumValue(algorithm, expected));
    }
  });
}

suite('of a multipart object', () => {
  const parts = [sample(5000), sample(5000).reverse(), sample(17), sample(1)];
  const of = (algorithm: ChecksumAlgorithm) =>
    parts.map((part) => ({ value: oracles[algorithm](part), size: part.length }));

  for (const algorithm of ['CRC32', 'CRC32C', 'CRC64NVME'] as const) {
    test(`${algorithm} of a whole object is the checksum of all bytes`, () => {
      const whole = multipartChecksum(algorithm, 'FULL_OBJECT', of(algorithm));
      assert.equal(whole, oracles[algorithm](Buffer.concat(parts)));
    });
  }

  for (const algorithm of ['CRC32', 'CRC32C', 'SHA1', 'SHA256'] as const) {
    test(`${algorithm} as a composite is the checksum of the checksums`, () => {
      const digests = Buffer.concat(of(algorithm).map(({ value }) => Buffer.from(value, 'base64')));
      assert.equal(multipartChecksum(algorithm, 'COMPOSITE', of(algorithm)), `${oracles[algorithm](digests)}-4`);
    });
  }

  test('each algorithm has its types', () => {
    assert.equal(checksumTypeOf('CRC32'), 'COMPOSITE');
    assert.equal(checksumTypeOf('CRC32', 'full_object'), 'FULL_OBJECT');
    assert.equal(checksumTypeOf('CRC64NVME'), 'FULL_OBJECT');
    assert.throws(() => checksumTypeOf('CRC64NVME', 'COMPOSITE'), /cannot be used/);
    assert.throws(() => checksumTypeOf('SHA256', 'FULL_OBJECT'), /cannot be used/);
  });
});
