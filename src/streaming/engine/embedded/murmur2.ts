// The hash by which Kafka's clients choose the partition of a key.
const factor = 0x5bd1e995;

export function murmur2(bytes: Uint8Array): number {
  let hash = 0x9747b28c ^ bytes.length;
  const end = bytes.length - (bytes.length % 4);
  for (let at = 0; at < end; at += 4) hash = Math.imul(hash, factor) ^ mixed(wordAt(bytes, at, 4));
  if (end < bytes.length) hash = Math.imul(hash ^ wordAt(bytes, end, bytes.length - end), factor);
  hash = Math.imul(hash ^ (hash >>> 13), factor);
  return (hash ^ (hash >>> 15)) | 0;
}

function mixed(word: number): number {
  const spread = Math.imul(word, factor);
  return Math.imul(spread ^ (spread >>> 24), factor);
}

function wordAt(bytes: Uint8Array, at: number, count: number): number {
  let word = 0;
  for (let index = 0; index < count; index++) word |= (bytes[at + index] ?? 0) << (8 * index);
  return word;
}
