// The stored form of vectors: 16-bit floats in base64, exact to a thousandth, without trailing zeros.

export function packed(vector: Float32Array): string {
  let size = vector.length;
  while (size > 0 && vector[size - 1] === 0) size -= 1;
  const half = Float16Array.from(vector.subarray(0, size));
  return Buffer.from(half.buffer).toString('base64');
}

// Without trailing zeros.
export function unpacked(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  // A copy, because a view needs an even offset.
  return Float32Array.from(new Float16Array(new Uint8Array(bytes).buffer));
}
