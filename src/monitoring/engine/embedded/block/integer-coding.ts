// Compact integer sequences that are fast to decode. The encoding with the fewest bits is chosen: differences,
// differences of differences, or offsets from the minimum. These numbers are written as byte planes, all low bytes
// first, so that decoding has no branches and zstd compresses well.
import type { ByteCursor, ByteWriter } from './bytes.ts';

// Within this bound, differences of differences, with a bit for the sign, are exact in a double.
export const mostInteger = 2 ** 50;

const constant = 0; // all the same
const linear = 1; // a constant step
const delta = 2;
const bend = 3; // differences of differences
const offset = 4; // offsets from the minimum

const foldedMark = 64; // negative numbers alternate with the others: 0, -1, 1, -2 …
const narrowRange = 2 ** 29; // below this all arithmetic uses 32 bits
const word = 2 ** 32;

let scratch = 1024;
let distances = new Int32Array(scratch);
let narrow = new Uint32Array(scratch);
let wide = new Float64Array(scratch);

function demandScratch(count: number): void {
  if (count <= scratch) return;
  scratch = Math.max(count, scratch * 2);
  distances = new Int32Array(scratch);
  narrow = new Uint32Array(scratch);
  wide = new Float64Array(scratch);
}

export function writeIntegers(out: ByteWriter, values: Float64Array, count: number): void {
  const first = values[0] as number;
  const step = count > 1 ? (values[1] as number) - first : 0;
  if (isLinear(values, count, step)) {
    out.byte(step === 0 ? constant : linear);
    out.signed(first);
    if (step !== 0) out.signed(step);
    return;
  }
  demandScratch(count);
  let least = first;
  let most = first;
  for (let at = 1; at < count; at++) {
    const value = values[at] as number;
    if (value < least) least = value;
    else if (value > most) most = value;
  }
  if (most - least < narrowRange) writeNarrow(out, values, count, least);
  else writeWide(out, values, count, least);
}

function isLinear(values: Float64Array, count: number, step: number): boolean {
  for (let at = 2; at < count; at++) if ((values[at] as number) - (values[at - 1] as number) !== step) return false;
  return true;
}

function writeNarrow(out: ByteWriter, values: Float64Array, count: number, least: number): void {
  for (let at = 0; at < count; at++) distances[at] = (values[at] as number) - least;
  const { kind, isFolded } = cheapest(count);
  const start = startOf(kind);
  let before = kind === bend ? (distances[1] as number) - (distances[0] as number) : 0;
  let bits = 0;
  for (let at = start; at < count; at++) {
    let number = distances[at] as number;
    if (kind !== offset) {
      const change = number - (distances[at - 1] as number);
      number = change - before;
      if (kind === bend) before = change;
    }
    if (isFolded) number = (number << 1) ^ (number >> 31);
    narrow[at] = number;
    bits |= number;
  }
  const width = bytesOf(bits >>> 0);
  writeHead(out, kind, width, isFolded, values, least);
  writePlanes(out, narrow, start, count, width);
}

const startOf = (kind: number): number => (kind === offset ? 0 : kind === delta ? 1 : 2);

interface Form {
  kind: number;
  isFolded: boolean; // numbers of both signs
}

// The number of bits of each encoding, with zigzag where signs differ.
function cheapest(count: number): Form {
  let offsets = 32 - Math.clz32(distances[0] as number);
  let deltas = 0;
  let bends = 0;
  let negativeDeltas = 0;
  let negativeBends = 0;
  let before = 0;
  for (let at = 1; at < count; at++) {
    const distance = distances[at] as number;
    const change = distance - (distances[at - 1] as number);
    const turn = change - before;
    before = change;
    offsets += 32 - Math.clz32(distance);
    deltas += 32 - Math.clz32(change ^ (change >> 31));
    bends += 32 - Math.clz32(turn ^ (turn >> 31));
    negativeDeltas -= change >> 31;
    negativeBends -= turn >> 31;
  }
  deltas += signBits(negativeDeltas, count);
  bends += signBits(negativeBends, count);
  if (offsets <= deltas && offsets <= bends) return { kind: offset, isFolded: false };
  if (deltas <= bends) return { kind: delta, isFolded: negativeDeltas > 0 };
  return { kind: bend, isFolded: true };
}

function signBits(negative: number, count: number): number {
  const share = negative / count;
  if (share === 0 || share === 1) return 0;
  return -count * (share * Math.log2(share) + (1 - share) * Math.log2(1 - share));
}

function writeWide(out: ByteWriter, values: Float64Array, count: number, least: number): void {
  let deltas = 0;
  let bends = 0;
  let before = 0;
  for (let at = 1; at < count; at++) {
    const change = (values[at] as number) - (values[at - 1] as number);
    deltas += Math.log2(1 + Math.abs(change));
    bends += Math.log2(1 + Math.abs(change - before));
    before = change;
  }
  const kind = deltas <= bends ? delta : bend;
  const start = startOf(kind);
  before = kind === bend ? (values[1] as number) - (values[0] as number) : 0;
  let most = 0;
  for (let at = start; at < count; at++) {
    const change = (values[at] as number) - (values[at - 1] as number);
    const number = change - before;
    const folded = number < 0 ? -2 * number - 1 : 2 * number;
    wide[at] = folded;
    if (folded > most) most = folded;
    if (kind === bend) before = change;
  }
  const width = bytesOf(most);
  writeHead(out, kind, width, true, values, least);
  for (let at = start; at < count; at++) narrow[at] = (wide[at] as number) % word;
  writePlanes(out, narrow, start, count, Math.min(width, 4));
  if (width <= 4) return;
  for (let at = start; at < count; at++) narrow[at] = Math.floor((wide[at] as number) / word);
  writePlanes(out, narrow, start, count, width - 4);
}

function bytesOf(most: number): number {
  if (most < word) return most < 0x10000 ? (most < 0x100 ? 1 : 2) : most < 0x1000000 ? 3 : 4;
  return 4 + bytesOf(Math.floor(most / word));
}

function writeHead(
  out: ByteWriter,
  kind: number,
  width: number,
  isFolded: boolean,
  values: Float64Array,
  least: number,
): void {
  const first = values[0] as number;
  out.byte(kind | (width << 3) | (isFolded ? foldedMark : 0));
  out.signed(kind === offset ? least : first);
  if (kind === bend) out.signed((values[1] as number) - first);
}

function writePlanes(out: ByteWriter, numbers: Uint32Array, from: number, count: number, width: number): void {
  out.reserve((count - from) * width);
  const { data } = out;
  let end = out.length;
  for (let shift = 0; shift < width * 8; shift += 8)
    for (let at = from; at < count; at++) data[end++] = (numbers[at] as number) >>> shift;
  out.length = end;
}

// Decodes this many numbers and moves the cursor after them. Returns true if the encoding alone shows that the sequence
// never decreases.
export function readIntegers(cursor: ByteCursor, into: Float64Array, from: number, count: number): boolean {
  const head = cursor.byte();
  const kind = head & 7;
  const width = (head >>> 3) & 7;
  const base = cursor.signed();
  if (kind === constant) {
    into.fill(base, from, from + count);
    return true;
  }
  const step = kind === linear || kind === bend ? cursor.signed() : 0;
  if (kind === linear) {
    for (let at = 0; at < count; at++) into[from + at] = base + step * at;
    return step >= 0;
  }
  if (kind > offset || width === 0) throw new RangeError('unknown integer encoding');
  const start = startOf(kind);
  const target = from + start;
  const length = count - start;
  demandScratch(length);
  readPlanes(cursor, narrow, length, Math.min(width, 4));
  const isFolded = head >= foldedMark;
  if (width > 4) widen(cursor, length, width - 4);
  if (start > 0) into[from] = base;
  if (start > 1) into[from + 1] = base + step;
  if (kind === offset) for (let at = 0; at < length; at++) into[target + at] = base + (narrow[at] as number);
  else if (width > 4) addWide(into, target, length, base, step, kind === bend);
  else if (kind === delta && !isFolded) addUp(into, target, length, base);
  else if (kind === delta) addDeltas(into, target, length, base);
  else addBends(into, target, length, base, step);
  return kind === delta && width <= 4 && !isFolded;
}

function readPlanes(cursor: ByteCursor, numbers: Uint32Array, count: number, width: number): void {
  const { data, at } = cursor;
  cursor.at += count * width;
  if (cursor.at > data.length) throw new RangeError('the bytes end too early');
  for (let i = 0; i < count; i++) numbers[i] = data[at + i] as number;
  for (let plane = 1; plane < width; plane++) {
    const start = at + plane * count;
    const shift = plane * 8;
    for (let i = 0; i < count; i++) numbers[i] = (numbers[i] as number) | ((data[start + i] as number) << shift);
  }
}

function widen(cursor: ByteCursor, count: number, width: number): void {
  for (let at = 0; at < count; at++) wide[at] = narrow[at] as number;
  readPlanes(cursor, narrow, count, width);
  for (let at = 0; at < count; at++) wide[at] = (wide[at] as number) + (narrow[at] as number) * word;
}

function addUp(into: Float64Array, target: number, count: number, base: number): void {
  let value = base;
  for (let at = 0; at < count; at++) {
    value += narrow[at] as number;
    into[target + at] = value;
  }
}

function addDeltas(into: Float64Array, target: number, count: number, base: number): void {
  let value = base;
  for (let at = 0; at < count; at++) {
    const folded = narrow[at] as number;
    value += (folded >>> 1) ^ -(folded & 1);
    into[target + at] = value;
  }
}

function addBends(into: Float64Array, target: number, count: number, base: number, firstStep: number): void {
  let step = firstStep;
  let value = base + step;
  for (let at = 0; at < count; at++) {
    const folded = narrow[at] as number;
    step += (folded >>> 1) ^ -(folded & 1);
    value += step;
    into[target + at] = value;
  }
}

function addWide(
  into: Float64Array,
  target: number,
  count: number,
  base: number,
  firstStep: number,
  isBend: boolean,
): void {
  let step = firstStep;
  let value = base + step;
  for (let at = 0; at < count; at++) {
    const folded = wide[at] as number;
    const number = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
    step = isBend ? step + number : number;
    value += step;
    into[target + at] = value;
  }
}
