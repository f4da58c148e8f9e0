// The supported versions of Kafka, and the cluster sizes with their storage. The storage of S and M is the platform's;
// the other sizes continue the series.
export const versions = ['4.0.0', '3.9.0', '3.7.0'] as const;

const storageGb: Readonly<Record<string, number>> = { XS: 585, S: 750, M: 1200, L: 2400, XL: 4500 };
export const sizes: readonly string[] = Object.keys(storageGb);

const gigabyte = 1_000_000_000;

export const storageGbOf = (size: string): number => storageGb[size] ?? 0;
export const storageBytesOf = (size: string): number => storageGbOf(size) * gigabyte;
