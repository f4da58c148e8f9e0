// Strings in queries and templates, as Go writes them.

// The escapes with a letter.
export const goEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

// The escape of each character between double quotes.
export const goEscaped: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(goEscapes).map(([letter, character]) => [character, `\\${letter}`])),
  '"': '\\"',
};

const escapes: Readonly<Record<string, string>> = { ...goEscapes, "'": "'", '"': '"' };
const escapeForm = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|([abfnrtv\\'"]))/y;

// The text that a quoted literal means; undefined where it is none.
export function unquote(literal: string): string | undefined {
  const quote = literal[0];
  if (literal.length < 2 || literal.at(-1) !== quote) return undefined;
  const inner = literal.slice(1, -1);
  if (quote === '`') return inner.includes('`') ? undefined : inner.replaceAll('\r', '');
  if (quote !== '"' && quote !== "'") return undefined;
  if (!inner.includes('\\')) return inner.includes('\n') || inner.includes(quote) ? undefined : inner;
  const parts: Buffer[] = [];
  let text = '';
  for (let at = 0; at < inner.length; ) {
    const backslash = inner.indexOf('\\', at);
    text += inner.slice(at, backslash < 0 ? undefined : backslash);
    if (backslash < 0) break;
    escapeForm.lastIndex = backslash;
    const found = escapeForm.exec(inner);
    if (!found) return undefined;
    const [, hex, short, long, octal, single] = found;
    if (hex ?? octal) {
      const byte = hex ? Number.parseInt(hex, 16) : Number.parseInt(octal as string, 8);
      if (byte > 255) return undefined;
      parts.push(Buffer.from(text), Buffer.from([byte]));
      text = '';
    } else if (single) text += escapes[single];
    else {
      const point = Number.parseInt((short ?? long) as string, 16);
      if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return undefined;
      text += String.fromCodePoint(point);
    }
    at = escapeForm.lastIndex;
  }
  return parts.length === 0 ? text : Buffer.concat([...parts, Buffer.from(text)]).toString('utf8');
}

// strconv.Quote
export function quote(text: string): string {
  const shown = text.replace(/[\\"]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (character) => {
    const known = goEscaped[character];
    if (known !== undefined) return known;
    const point = character.codePointAt(0) as number;
    if (point < 0x80) return `\\x${point.toString(16).padStart(2, '0')}`;
    return point > 0xffff ? `\\U${point.toString(16).padStart(8, '0')}` : `\\u${point.toString(16).padStart(4, '0')}`;
  });
  return `"${shown}"`;
}
