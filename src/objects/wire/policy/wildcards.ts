// Matches "*" (any characters) and "?" (one character) without a regular expression, because patterns come from users.
// The pieces before the first star and after the last one are compared at their position, and only those between two
// stars are searched. A pattern is compiled once; no text causes backtracking.

export type Matcher = (text: string) => boolean;
type Search = (text: string, from: number) => number;

export function compileWildcards(pattern: string): Matcher {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (text) => first.length === text.length && isAt(first, text, 0);
  const pieces = others.map((piece) => ({ length: piece.length, search: searchOf(piece) }));
  const least = pieces.reduce((sum, { length }) => sum + length, first.length + last.length);
  return (text) => {
    const end = text.length - last.length;
    if (text.length < least || !isAt(first, text, 0) || !isAt(last, text, end)) return false;
    let from = first.length;
    for (const { length, search } of pieces) {
      const at = search(text, from);
      if (at < 0 || at + length > end) return false;
      from = at + length;
    }
    return true;
  };
}

export const matchesWildcards = (pattern: string, text: string): boolean => compileWildcards(pattern)(text);

export const hasWildcards = (pattern: string): boolean => /[*?]/.test(pattern);

function isAt(piece: string, text: string, at: number): boolean {
  if (!piece.includes('?')) return text.startsWith(piece, at);
  for (let i = 0; i < piece.length; i++) if (piece[i] !== '?' && piece[i] !== text[at + i]) return false;
  return true;
}

function searchOf(piece: string): Search {
  return piece.includes('?') ? bitSearch(piece) : (text, from) => text.indexOf(piece, from);
}

const bits = 32;

// Shift-And: a bit for each character of the piece tells whether the text up to here ends with the piece up to that
// character. Each character of the text updates all bits at once.
function bitSearch(piece: string): Search {
  const words = Math.ceil(piece.length / bits);
  const lastBit = (piece.length - 1) % bits;
  const set = (mask: Uint32Array, at: number): void => {
    mask[at >>> 5] = (mask[at >>> 5] as number) | (1 << (at & 31));
  };
  const wild = new Uint32Array(words); // positions where the piece accepts any character
  for (let at = 0; at < piece.length; at++) if (piece[at] === '?') set(wild, at);
  const masks = new Map<number, Uint32Array>(); // positions where it accepts this one
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    const mask = masks.get(code) ?? wild.slice();
    set(mask, at);
    masks.set(code, mask);
  }
  return (text, from) => {
    const state = new Uint32Array(words);
    for (let at = from; at < text.length; at++) {
      const mask = masks.get(text.charCodeAt(at)) ?? wild;
      let carried = 1;
      for (let word = 0; word < words; word++) {
        const before = state[word] as number;
        state[word] = ((before << 1) | carried) & (mask[word] as number);
        carried = before >>> 31;
      }
      if (((state[words - 1] as number) >>> lastBit) & 1) return at - piece.length + 1;
    }
    return -1;
  };
}
