// Short texts and numbers in few bytes, for rows that are kept in memory: a text that came before is a word, by and
// large and while there is room for words, and takes a byte or two; all others are written out.

const shortWords = 128; // of one byte
const mostWords = shortWords + 16 * 256;
const longestWord = 64; // characters
const [asciiText, otherText] = [144, 145]; // the first byte of what is written out

export class Words {
  end = 0; // behind what was read last
  readonly #words: string[] = [];
  readonly #places = new Uint16Array(16 * 1024); // by hash: which word, counted from 1
  readonly #once = new Seen();

  // Gives the place behind it. It takes three bytes a character at most, and four for its length.
  write(bytes: Buffer, at: number, text: string): number {
    const code = text.length > longestWord ? undefined : this.#codeOf(text, hashOf(text));
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
    for (let unit = 1; byte >= 128; unit *= 128) {
      value += (byte - 128) * unit;
      byte = bytes[this.end++] as number;
      if (byte < 128) value += byte * unit * 128;
    }
    return value;
  }

  #codeOf(text: string, hash: number): number | undefined {
    let at = hash & (this.#places.length - 1);
    for (; this.#places[at] !== 0; at = (at + 1) & (this.#places.length - 1)) {
      const code = (this.#places[at] as number) - 1;
      if (this.#words[code] === text) return code;
    }
    if (this.#words.length === mostWords || !this.#once.has(hash)) return undefined;
    this.#words.push(ownText(text));
    this.#places[at] = this.#words.length;
    return this.#words.length - 1;
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

// Of all of it: names, and even more so shapes, often differ in their middle only.
export function hashOf(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1) ^ (hash >>> 15);
  return (hash ^ (hash >>> 13)) >>> 0;
}

// Which hashes came before, by and large: it errs once in a hundred times, and begins anew when it has seen many.
export class Seen {
  readonly #bits = new Uint32Array(16 * 1024);
  #count = 0;

  has(hash: number): boolean {
    const mixed = Math.imul(hash, 0x85ebca6b) >>> 0;
    const isSeen = this.#isSet(hash) && this.#isSet(mixed);
    if (isSeen) return true;
    if (++this.#count > this.#bits.length) {
      this.#bits.fill(0);
      this.#count = 0;
    }
    this.#set(hash);
    this.#set(mixed);
    return false;
  }

  #isSet(hash: number): boolean {
    return ((this.#bits[(hash >>> 5) & (this.#bits.length - 1)] as number) & (1 << (hash & 31))) !== 0;
  }

  #set(hash: number): void {
    const at = (hash >>> 5) & (this.#bits.length - 1);
    this.#bits[at] = (this.#bits[at] as number) | (1 << (hash & 31));
  }
}
