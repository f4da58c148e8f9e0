// A filter of the four-byte sequences of a block's lines: it excludes most texts that are not in the block without
// reading the block. Each sequence sets one bit; a text has as many sequences as bytes minus three, so the filter is
// more certain for longer texts. Searches look for parts of words too, so this is not a filter of words.
import { separator } from '../../packed-job.ts';

const gramBytes = 4;
const mostBits = 2 ** 20;
const leastBits = 2 ** 10;
const mostDensity = 0.45; // maximum share of set bits after folding
const uselessDensity = 0.9;
const partOfLines = 20; // a filter is at most this fraction of its lines

const table = new Uint32Array(mostBits / 32); // of the block that is being sealed, which runs synchronously

// Returns an empty filter if it would not exclude enough.
export function buildFilter(lines: Uint8Array): Buffer {
  if ((lines.length * 8) / partOfLines < leastBits) return Buffer.alloc(0);
  table.fill(0);
  const { length } = lines;
  let gram = 0;
  let run = 0;
  for (let at = 0; at < length; at++) {
    const byte = lines[at] as number;
    gram = (gram >>> 8) | (byte << 24);
    if (byte === separator) run = 0;
    else if (++run >= gramBytes) {
      const bit = hashOf(gram) & (mostBits - 1);
      const word = bit >>> 5;
      table[word] = (table[word] as number) | (1 << (bit & 31));
    }
  }
  return folded((lines.length * 8) / partOfLines);
}

// False: none of the lines contains the text.
export function mayContain(filter: Uint8Array, text: Uint8Array): boolean {
  const bits = filter.length * 8;
  if (bits === 0) return true;
  let gram = 0;
  for (const [at, byte] of text.entries()) {
    gram = (gram >>> 8) | (byte << 24);
    if (at < gramBytes - 1) continue;
    const bit = hashOf(gram) & (bits - 1);
    if (!((filter[bit >>> 3] as number) & (1 << (bit & 7)))) return false;
  }
  return true;
}

function hashOf(gram: number): number {
  const product = Math.imul(gram, 0x9e3779b1);
  return product ^ (product >>> 15);
}

// Folds the table in half as long as enough bits stay empty.
function folded(maxBits: number): Buffer {
  let words = table.length;
  let density = densityOf(words);
  while (words * 32 > leastBits && (density <= mostDensity / 2 || words * 32 > maxBits)) {
    words /= 2;
    for (let at = 0; at < words; at++) table[at] = (table[at] as number) | (table[at + words] as number);
    density = densityOf(words);
  }
  if (density > uselessDensity) return Buffer.alloc(0);
  const filter = Buffer.alloc(words * 4);
  for (let at = 0; at < words; at++) filter.writeUInt32LE(table[at] as number, at * 4);
  return filter;
}

function densityOf(words: number): number {
  let set = 0;
  for (let at = 0; at < words; at++) set += bitsOf(table[at] as number);
  return set / (words * 32);
}

function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
