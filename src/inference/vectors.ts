// Vectors of length 1.

export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

// The first numbers, normalized to length 1.
export function shortened(vector: Float32Array, size = vector.length): Float32Array {
  if (size >= vector.length) return vector;
  const first = vector.slice(0, size);
  const length = Math.hypot(...first);
  if (length === 0) first[0] = 1;
  return length === 0 ? first : first.map((one) => one / length);
}
