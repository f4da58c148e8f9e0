// Finds the end of a MessagePack value without decoding it. A value that announces more than allowed is refused by its
// head, whatever follows.

// `size`: of the whole value. `more`: the value is incomplete, and at least this many bytes are needed.
export type Framed = { size: number } | { more: number } | Refusal;
export type Refusal = 'too large' | 'too deep' | 'too many values' | 'garbage';

const deepest = 100; // nesting depth of lists and maps

// The state of a value whose bytes arrive piece by piece, so that no byte is read twice.
export class FrameScanner {
  readonly #most: number;
  readonly #mostValues: number;
  readonly #open: number[] = []; // for each open list and map: the number of values that follow
  #at = 0;
  #left = 1; // number of values until the whole one is complete
  #values = 0;

  constructor(mostBytes: number, mostValues = Number.POSITIVE_INFINITY) {
    this.#most = mostBytes;
    this.#mostValues = mostValues;
  }

  // `bytes` begin with the value, and only grow between calls.
  scan(bytes: Uint8Array): Framed {
    while (this.#left > 0) {
      const head = headAt(bytes, this.#at);
      if (head === undefined) return { more: this.#at + 1 };
      if (head === 'garbage') return head;
      this.#at += head.length;
      this.#left += head.values - 1;
      // Each following value has at least one byte.
      if (this.#at + this.#left > this.#most) return 'too large';
      if (++this.#values + this.#left > this.#mostValues) return 'too many values';
      if (head.values > 0 && this.#open.push(head.values) > deepest) return 'too deep';
      if (head.values === 0) this.#complete();
    }
    if (this.#at > bytes.length) return { more: this.#at };
    const size = this.#at;
    this.#at = 0;
    this.#left = 1;
    this.#values = 0;
    return { size };
  }

  // Completes a value, and each list and map that it is the last value of.
  #complete(): void {
    const open = this.#open;
    while (open.length > 0 && --(open[open.length - 1] as number) === 0) open.pop();
  }
}

const problems: Record<Refusal | 'truncated', string> = {
  'too large': 'announces more than was sent',
  'too deep': `has lists and maps nested deeper than ${deepest} levels`,
  'too many values': 'has too many values in one entry',
  garbage: 'has an unknown type of value',
  truncated: 'is cut off',
};

export class UnreadableFrame extends Error {
  readonly why: Refusal | 'truncated';

  constructor(why: UnreadableFrame['why']) {
    super(`the MessagePack ${problems[why]}`);
    this.why = why;
  }
}

// Yields each value of a sequence.
export function* framesIn(bytes: Uint8Array, mostValues?: number): Generator<Uint8Array> {
  const scanner = new FrameScanner(bytes.length, mostValues);
  for (let at = 0; at < bytes.length; ) {
    const framed = scanner.scan(bytes.subarray(at));
    if (typeof framed === 'string') throw new UnreadableFrame(framed);
    if ('more' in framed) throw new UnreadableFrame('truncated');
    yield bytes.subarray(at, at + framed.size);
    at += framed.size;
  }
}

// Returns the bytes of the values in a list. Undefined: it is not a list.
export function listContent(bytes: Uint8Array): Uint8Array | undefined {
  const head = headAt(bytes, 0);
  return head && head !== 'garbage' && isList(bytes[0] as number) ? bytes.subarray(head.length) : undefined;
}

// Returns the announced length of a list. Undefined: it is not a list.
export function listLength(bytes: Uint8Array): number | undefined {
  const head = headAt(bytes, 0);
  return head && head !== 'garbage' && isList(bytes[0] as number) ? head.values : undefined;
}

const isList = (byte: number): boolean => (byte >= 0x90 && byte <= 0x9f) || byte === 0xdc || byte === 0xdd;

interface Head {
  length: number; // length of the head and the value's own bytes
  values: number; // number of values in it
}

// By the first byte, from 0xc0 on: the number of length bytes that follow, and what they count.
type Form = 'bytes' | 'list' | 'map' | 'extension' | 'fixed';
const forms: readonly (readonly [Form, number] | undefined)[] = [
  ['fixed', 0], // nil
  undefined,
  ['fixed', 0], // false
  ['fixed', 0], // true
  ['bytes', 1],
  ['bytes', 2],
  ['bytes', 4],
  ['extension', 1],
  ['extension', 2],
  ['extension', 4],
  ['fixed', 4], // floats
  ['fixed', 8],
  ['fixed', 1], // unsigned
  ['fixed', 2],
  ['fixed', 4],
  ['fixed', 8],
  ['fixed', 1], // signed
  ['fixed', 2],
  ['fixed', 4],
  ['fixed', 8],
  ['fixed', 2], // extensions of a fixed size, with the byte of their type
  ['fixed', 3],
  ['fixed', 5],
  ['fixed', 9],
  ['fixed', 17],
  ['bytes', 1], // texts
  ['bytes', 2],
  ['bytes', 4],
  ['list', 2],
  ['list', 4],
  ['map', 2],
  ['map', 4],
];

// Undefined: the bytes have not arrived yet.
function headAt(bytes: Uint8Array, at: number): Head | undefined | 'garbage' {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80 || first >= 0xe0) return { length: 1, values: 0 };
  if (first < 0x90) return { length: 1, values: 2 * (first & 0x0f) };
  if (first < 0xa0) return { length: 1, values: first & 0x0f };
  if (first < 0xc0) return { length: 1 + (first & 0x1f), values: 0 };
  const form = forms[first - 0xc0];
  if (!form) return 'garbage';
  const [what, width] = form;
  if (what === 'fixed') return { length: 1 + width, values: 0 };
  if (at + 1 + width > bytes.length) return undefined;
  let count = 0;
  for (let nth = 1; nth <= width; nth++) count = count * 256 + (bytes[at + nth] as number);
  if (what === 'list') return { length: 1 + width, values: count };
  if (what === 'map') return { length: 1 + width, values: 2 * count };
  return { length: 1 + width + count + (what === 'extension' ? 1 : 0), values: 0 };
}
