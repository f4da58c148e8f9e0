// The escapes with a letter in the strings of Go, whose syntax the query languages have.
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

// What stands for a character between double quotes.
export const goEscaped: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(goEscapes).map(([letter, character]) => [character, `\\${letter}`])),
  '"': '\\"',
};
