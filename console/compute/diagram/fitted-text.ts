// Texts in pictures: SVG has no ellipsis, so a text is cut to the width that it has, by the usual width of its letters.

const lettersPerEm = { sans: 1 / 0.56, bold: 1 / 0.64, mono: 1 / 0.602 };
const firstWide = 0x1100; // Hangul, then CJK, and what comes after them

export function fitted(
  text: string,
  widthPx: number,
  sizePx: number,
  font: keyof typeof lettersPerEm = 'sans',
): string {
  const most = Math.floor((widthPx / sizePx) * lettersPerEm[font]);
  if (text.length <= most && !isWide(text)) return text;
  let [room, kept] = [most, ''];
  for (const letter of text) {
    room -= (letter.codePointAt(0) ?? 0) >= firstWide ? 2 : 1;
    if (room < 1) return kept.length < text.length ? `${kept}…` : kept;
    kept += letter;
  }
  return kept;
}

const isWide = (text: string): boolean => [...text].some((letter) => (letter.codePointAt(0) ?? 0) >= firstWide);
