// Short texts and numbers in few bytes, for rows that are kept in memory: a text that came twice is a word from then on
// and takes a byte or two, all others are written out.
import { hashOf, TextMap } from '../../base/text-map.ts';

const shortWords = 128; // of one byte
const mostWords = shortWords + 16 * 256;
const longestWord = 64; // characters
const [asciiText, otherText] = [144, 145]; // the first byte of what is written out

export class Words {
  end = 0; // behind what was read last
  readonly #codes = new TextMap<number>();
  readonly #words: string[] = [];
  readonly #once = new Seen();

  // Gives the place behind it. It takes three bytes a character at most, and four for its length.
  write(bytes: Buffer, at: number, text: string): number {
    const code = this.#codeOf(text);
    if (code === undefined) return writeOut(bytes, at, text);
    if (code < shortWords) {
      bytes[at] = code;
      return at + 1;
    }
    bytes[at] = shortWords + ((code - shortWords) >> 8);
    bytes[at + 1] = (code - shortWords) & 0xff;
    return at + 2;
  }

  read(bytes: Buffer, at: number): string {
    const first = bytes[at] as number;
    this.end = at + 1;
    if (first < shortWords) return this.#words[first] as string;
    if (first < asciiText) {
      this.end = at + 2;
      return this.#words[shortWords + ((first - shortWords) << 8) + (bytes[at + 1] as number)] as string;
    }
    const length = this.readNumber(bytes, at + 1);
    const from = this.end;
    this.end = from + length;
    return bytes.toString(first === asciiText ? 'latin1' : 'utf8', from, this.end);
  }

  readNumber(bytes: Buffer, at: number): number {
    let byte = bytes[at] as number;
    this.end = at + 1;
    if (byte < 128) return byte;
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      if (byte < 128) return value + byte * unit;
      value += (byte - 128) * unit;
      byte = bytes[this.end++] as number;
    }
  }

  #codeOf(text: string): number | undefined {
    if (text.length > longestWord) return undefined;
    const known = this.#codes.get(text);
    if (known !== undefined || this.#words.length === mostWords || !this.#once.has(text)) return known;
    const code = this.#words.length;
    const own = ownText(text);
    this.#words.push(own);
    this.#codes.set(own, code);
    return code;
  }
}

// A piece of a longer text keeps all of it in memory: one of its own does not.
export const ownText = (text: string): string => Buffer.from(text).toString();

// A whole number that is not negative, seven bits in each byte.
export function writeNumber(bytes: Buffer, at: number, value: number): number {
  let left = value;
  let to = at;
  while (left >= 128) {
    bytes[to++] = (left % 128) + 128;
    left = Math.floor(left / 128);
  }
  bytes[to] = left;
  return to + 1;
}

function writeOut(bytes: Buffer, at: number, text: string): number {
  const length = Buffer.byteLength(text);
  bytes[at] = length === text.length ? asciiText : otherText;
  const from = writeNumber(bytes, at + 1, length);
  return from + bytes.write(text, from);
}

// Which texts came before, by and large: it may be mistaken, and begins anew when it has seen many.
class Seen {
  readonly #bits = new Uint8Array(8192);
  #count = 0;

  has(text: string): boolean {
    const bit = hashOf(text) & 0xffff;
    const mask = 1 << (bit & 7);
    if (((this.#bits[bit >> 3] as number) & mask) !== 0) return true;
    if (++this.#count > 16_384) {
      this.#bits.fill(0);
      this.#count = 0;
    }
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] as number) | mask;
    return false;
  }
}
