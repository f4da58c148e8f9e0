// Matches "*" (any characters) and "?" (one character) without a regular expression: patterns come from users. What
// stands before the first star and behind the last one is compared at its place, and only what stands between two is
// searched for.

export function matchesWildcards(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return first.length === text.length && isAt(first, text, 0);
  const end = text.length - last.length;
  if (end < first.length || !isAt(first, text, 0) || !isAt(last, text, end)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = indexOf(piece, text, from);
    if (at < 0 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}

export const hasWildcards = (pattern: string): boolean => /[*?]/.test(pattern);

function isAt(piece: string, text: string, at: number): boolean {
  if (!piece.includes('?')) return text.startsWith(piece, at);
  for (let i = 0; i < piece.length; i++) if (piece[i] !== '?' && piece[i] !== text[at + i]) return false;
  return true;
}

function indexOf(piece: string, text: string, from: number): number {
  if (!piece.includes('?')) return text.indexOf(piece, from);
  for (let at = from; at + piece.length <= text.length; at++) if (isAt(piece, text, at)) return at;
  return -1;
}
