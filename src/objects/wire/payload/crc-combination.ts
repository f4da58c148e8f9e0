// The CRC of two byte strings in a row, from their CRCs and the length of the second: the checksum of a multipart
// object without reading it again. Works in GF(2): appending n bytes multiplies by x to the power of 8n, modulo the
// polynomial (as zlib's crc32_combine does).

export interface CrcParameters {
  width: bigint;
  polynomial: bigint; // reflected
}

export class CrcCombination {
  readonly #parameters: CrcParameters;
  readonly #powers = new Map<number, bigint>(); // by length: the parts of an upload mostly have the same

  constructor(parameters: CrcParameters) {
    this.#parameters = parameters;
  }

  combine(first: bigint, second: bigint, secondBytes: number): bigint {
    return this.#multiply(this.#power(secondBytes), first) ^ second;
  }

  #power(bytes: number): bigint {
    const known = this.#powers.get(bytes);
    if (known !== undefined) return known;
    const { width } = this.#parameters;
    let square = 1n << (width - 2n); // x
    let power = 1n << (width - 1n); // 1
    for (let bits = BigInt(bytes) * 8n; bits > 0n; bits >>= 1n) {
      if (bits & 1n) power = this.#multiply(square, power);
      square = this.#multiply(square, square);
    }
    this.#powers.set(bytes, power);
    return power;
  }

  // The highest bit stands for 1, the lowest for the highest power.
  #multiply(a: bigint, b: bigint): bigint {
    const { width, polynomial } = this.#parameters;
    let product = 0n;
    let factor = b;
    for (let bit = 1n << (width - 1n); bit > 0n; bit >>= 1n) {
      if (a & bit) product ^= factor;
      factor = factor & 1n ? (factor >> 1n) ^ polynomial : factor >> 1n;
    }
    return product;
  }
}
