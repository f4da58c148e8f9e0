// The times of a block: the first one, then the distance of each from the previous one, in the largest common unit that
// divides all of them. A block spans less than 104 days, so that distances are exact as numbers.

const units = [1_000_000_000, 1_000_000, 1000, 1];
const two32 = 2 ** 32;

export function encodeTimes(times: BigInt64Array): Buffer {
  const distances = distancesOf(times);
  const unit = units.findIndex((one) => distances.every((distance) => distance % one === 0));
  const bytes = Buffer.allocUnsafe(9 + 8 * distances.length);
  bytes.writeBigInt64LE(times[0] ?? 0n, 0);
  bytes[8] = unit;
  let at = 9;
  for (let left of distances) {
    left /= units[unit] as number;
    for (; left >= 128; left = Math.floor(left / 128)) bytes[at++] = (left % 128) + 128;
    bytes[at++] = left;
  }
  return bytes.subarray(0, at);
}

export function decodeTimes(bytes: Buffer, count: number): BigInt64Array {
  const times = new BigInt64Array(count);
  if (count === 0) return times;
  const words = new Uint32Array(times.buffer); // lower half first
  times[0] = bytes.readBigInt64LE(0);
  const unit = units[bytes[8] as number];
  if (unit === undefined) throw new RangeError('times of an unknown unit');
  let low = words[0] as number; // of the time, including the carry to the higher half
  const high = words[1] as number;
  let at = 9;
  for (let index = 1; index < count; index++) {
    let distance = 0;
    let weight = 1;
    let byte: number | undefined;
    do {
      byte = bytes[at++];
      if (byte === undefined) throw new RangeError('times that end early');
      distance += (byte & 127) * weight;
      weight *= 128;
    } while (byte >= 128);
    low += distance * unit;
    words[2 * index] = low;
    words[2 * index + 1] = high + Math.floor(low / two32);
  }
  return times;
}

// The times must be sorted.
function distancesOf(times: BigInt64Array): Float64Array {
  const words = new Uint32Array(times.buffer, times.byteOffset, 2 * times.length);
  const distances = new Float64Array(Math.max(0, times.length - 1));
  for (let at = 0; at < distances.length; at++) {
    const low = (words[2 * at + 2] as number) - (words[2 * at] as number);
    const high = ((words[2 * at + 3] as number) | 0) - ((words[2 * at + 1] as number) | 0);
    distances[at] = high * two32 + low;
  }
  return distances;
}
