// CRC-32C (Castagnoli), eight bytes at a time ("slicing by 8"); node:zlib has only the CRC-32 of gzip.

export const polynomial32c = 0x82f63b78; // reflected

// Eight tables of 256 in one array: table k holds the CRC of a byte that is followed by k zero bytes.
const tables = new Int32Array(8 * 256);
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial32c : crc >>> 1;
  tables[byte] = crc;
}
for (let at = 256; at < tables.length; at++) {
  const crc = tables[at - 256] as number;
  tables[at] = (crc >>> 8) ^ (tables[crc & 255] as number);
}

// The CRC of more bytes behind those that gave `value`; begin with 0.
export function crc32c(bytes: Uint8Array, value = 0): number {
  const t = tables;
  const length = bytes.length;
  let crc = ~value;
  let at = 0;
  for (; at + 8 <= length; at += 8) {
    crc ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    crc =
      (t[1792 + (crc & 255)] as number) ^
      (t[1536 + ((crc >>> 8) & 255)] as number) ^
      (t[1280 + ((crc >>> 16) & 255)] as number) ^
      (t[1024 + (crc >>> 24)] as number) ^
      (t[768 + (bytes[at + 4] as number)] as number) ^
      (t[512 + (bytes[at + 5] as number)] as number) ^
      (t[256 + (bytes[at + 6] as number)] as number) ^
      (t[bytes[at + 7] as number] as number);
  }
  for (; at < length; at++) crc = (crc >>> 8) ^ (t[(crc ^ (bytes[at] as number)) & 255] as number);
  return ~crc >>> 0;
}
