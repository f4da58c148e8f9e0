// Computes the CRC of two concatenated byte strings from their CRCs and the length of the second: the checksum of a
// multipart object without reading it again. It works in GF(2): appending n bytes multiplies by x to the power of 8n,
// modulo the polynomial (as zlib's crc32_combine does).

export interface CrcParameters {
  width: bigint;
  polynomial: bigint; // reflected
}

export class CrcCombination {
  readonly #parameters: CrcParameters;
  readonly #powers = new Map<number, bigint>(); // by length: most parts of an upload have the same length
  readonly #squares: bigint[] = []; // x to the powers of 2: 1, 2, 4, 8 …

  constructor(parameters: CrcParameters) {
    this.#parameters = parameters;
  }

  combine(first: bigint, second: bigint, secondBytes: number): bigint {
    return this.#multiply(this.#power(secondBytes), first) ^ second;
  }

  #power(bytes: number): bigint {
    const known = this.#powers.get(bytes);
    if (known !== undefined) return known;
    let power = 1n << (this.#parameters.width - 1n); // 1
    let rest = BigInt(bytes) * 8n;
    for (let at = 0; rest > 0n; at++, rest >>= 1n) if (rest & 1n) power = this.#multiply(this.#square(at), power);
    this.#powers.set(bytes, power);
    return power;
  }

  #square(at: number): bigint {
    let square = this.#squares[at];
    if (square === undefined) {
      const before = at === 0 ? undefined : this.#square(at - 1);
      square = before === undefined ? 1n << (this.#parameters.width - 2n) : this.#multiply(before, before);
      this.#squares[at] = square;
    }
    return square;
  }

  // The highest bit means 1, the lowest the highest power. Computed in halves of 32 bits: a step on a bigint takes ten
  // times as long, and an object may have 10,000 parts.
  #multiply(a: bigint, b: bigint): bigint {
    const { width, polynomial } = this.#parameters;
    const [polynomialHigh, polynomialLow] = halves(polynomial);
    let [factorHigh, factorLow] = halves(b);
    let high = 0;
    let low = 0;
    for (const half of width > 32n ? halves(a) : [halves(a)[1]])
      for (let bit = 31; bit >= 0; bit--) {
        if ((half >>> bit) & 1) {
          high ^= factorHigh;
          low ^= factorLow;
        }
        const isOdd = factorLow & 1;
        factorLow = (factorLow >>> 1) | (factorHigh << 31);
        factorHigh >>>= 1;
        if (isOdd) {
          factorHigh ^= polynomialHigh;
          factorLow ^= polynomialLow;
        }
      }
    return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  }
}

const halves = (value: bigint): [high: number, low: number] => [
  Number(value >> 32n) | 0,
  Number(value & 0xffffffffn) | 0,
];
