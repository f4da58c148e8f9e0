// CRC-64/NVME, the default checksum of current SDKs. A value has two halves of 32 bits, because BigInt is a hundred
// times slower; eight bytes are processed at a time ("slicing by 8").

export const polynomial64nvme = 0x9a6c9329ac4bc9b5n; // reflected

export interface Crc64 {
  high: number;
  low: number;
}

// Table k holds the CRC of a byte followed by k zero bytes.
const highs = new Int32Array(8 * 256);
const lows = new Int32Array(8 * 256);
for (let byte = 0; byte < 256; byte++) {
  let crc = BigInt(byte);
  for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ polynomial64nvme : crc >> 1n;
  highs[byte] = Number(crc >> 32n);
  lows[byte] = Number(crc & 0xffffffffn);
}
for (let at = 256; at < highs.length; at++) {
  const high = highs[at - 256] as number;
  const low = lows[at - 256] as number;
  lows[at] = ((low >>> 8) | (high << 24)) ^ (lows[low & 255] as number);
  highs[at] = (high >>> 8) ^ (highs[low & 255] as number);
}

// Adds bytes to a value that started as { high: 0, low: 0 }.
export function updateCrc64(value: Crc64, bytes: Uint8Array): void {
  const length = bytes.length;
  let high = ~value.high;
  let low = ~value.low;
  let at = 0;
  for (; at + 8 <= length; at += 8) {
    const a = (bytes[at] as number) ^ (low & 255);
    const b = (bytes[at + 1] as number) ^ ((low >>> 8) & 255);
    const c = (bytes[at + 2] as number) ^ ((low >>> 16) & 255);
    const d = (bytes[at + 3] as number) ^ (low >>> 24);
    const e = (bytes[at + 4] as number) ^ (high & 255);
    const f = (bytes[at + 5] as number) ^ ((high >>> 8) & 255);
    const g = (bytes[at + 6] as number) ^ ((high >>> 16) & 255);
    const h = (bytes[at + 7] as number) ^ (high >>> 24);
    high = gather(highs, a, b, c, d, e, f, g, h);
    low = gather(lows, a, b, c, d, e, f, g, h);
  }
  for (; at < length; at++) {
    const index = (low ^ (bytes[at] as number)) & 255;
    low = ((low >>> 8) | (high << 24)) ^ (lows[index] as number);
    high = (high >>> 8) ^ (highs[index] as number);
  }
  value.high = ~high >>> 0;
  value.low = ~low >>> 0;
}

// biome-ignore format: one row per four bytes
function gather(
  table: Int32Array,
  a: number, b: number, c: number, d: number,
  e: number, f: number, g: number, h: number,
): number {
  return (
    (table[1792 + a] as number) ^ (table[1536 + b] as number) ^
    (table[1280 + c] as number) ^ (table[1024 + d] as number) ^
    (table[768 + e] as number) ^ (table[512 + f] as number) ^
    (table[256 + g] as number) ^ (table[h] as number)
  );
}
