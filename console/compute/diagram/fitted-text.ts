// Truncates text in SVG, which has no ellipsis, to a width, estimated by the usual width of letters. The end stays,
// because names of replicas differ only there.

const lettersPerEm = { sans: 1 / 0.56, bold: 1 / 0.64, mono: 1 / 0.602 };
const firstWide = 0x1100; // Hangul, CJK and later blocks

export function fitted(
  text: string,
  widthPx: number,
  sizePx: number,
  font: keyof typeof lettersPerEm = 'sans',
): string {
  const most = Math.floor((widthPx / sizePx) * lettersPerEm[font]);
  if (lengthOf(text) <= most) return text;
  const letters = [...text];
  const end = beginning(letters.toReversed(), Math.floor((most - 1) / 3)).reverse();
  return [...beginning(letters, most - 1 - lengthOf(end)), '…', ...end].join('');
}

function beginning(letters: readonly string[], room: number): string[] {
  let left = room;
  const end = letters.findIndex((letter) => {
    left -= widthOf(letter);
    return left < 0;
  });
  return letters.slice(0, end);
}

// The width, in units of a usual letter.
const widthOf = (letter: string): number =>
  (letter.codePointAt(0) ?? 0) >= firstWide ? 2 : /[mwMW@%]/.test(letter) ? 1.5 : 1;

function lengthOf(text: Iterable<string>): number {
  let length = 0;
  for (const letter of text) length += widthOf(letter);
  return length;
}
