// The parts of an upload: one, or several that can be repeated separately. S3 accepts 10,000 parts of at least 5 MiB.

const mib = 1024 * 1024;
const wholeUpTo = 16 * mib;
const usualPart = 8 * mib;
const mostParts = 10_000;

export interface Part {
  number: number;
  from: number;
  to: number;
}

// Undefined: upload in one piece.
export function partsOf(size: number): Part[] | undefined {
  if (size <= wholeUpTo) return undefined;
  const length = Math.max(usualPart, Math.ceil(size / mostParts / mib) * mib);
  return Array.from({ length: Math.ceil(size / length) }, (_, at) => ({
    number: at + 1,
    from: at * length,
    to: Math.min(size, (at + 1) * length),
  }));
}
