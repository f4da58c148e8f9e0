// The checksums at the end of a file: a CRC-32 for each piece of its content, so that every read verifies its bytes.
import { crc32 } from 'node:zlib';

export const pieceBytes = 64 * 1024; // except the last one
export const sumBytes = 4;

export class PieceSums {
  readonly #sums: number[] = [];
  #sum = 0; // of the piece that is not complete
  #length = 0;

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + pieceBytes - this.#length);
      this.#sum = crc32(part, this.#sum);
      this.#length += part.length;
      at += part.length;
      if (this.#length === pieceBytes) this.#complete();
    }
  }

  end(): Buffer {
    if (this.#length > 0) this.#complete();
    const bytes = Buffer.alloc(this.#sums.length * sumBytes);
    for (const [at, sum] of this.#sums.entries()) bytes.writeUInt32LE(sum, at * sumBytes);
    return bytes;
  }

  #complete(): void {
    this.#sums.push(this.#sum);
    this.#sum = 0;
    this.#length = 0;
  }
}

// `first`: the number of the first piece among those with the sums.
export function areIntact(bytes: Buffer, sums: Buffer, first: number): boolean {
  for (let at = 0, number = first; at < bytes.length; at += pieceBytes, number++)
    if (crc32(bytes.subarray(at, at + pieceBytes)) !== sums.readUInt32LE(number * sumBytes)) return false;
  return true;
}
