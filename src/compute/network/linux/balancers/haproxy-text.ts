// Words of a HAProxy configuration.

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

// Any text as one word, without meaning for the reader of the configuration.
export const word = (text: string): string =>
  `"${text.replaceAll(/["\\$]/g, '\\$&').replaceAll(/[\n\r\t]/g, (one) => escapes[one] ?? '')}"`;

// A word in which `%` starts no variable.
export const literal = (text: string): string => text.replaceAll('%', '%%');

// Any text as the argument of a sample, such as the name of a header.
export const argument = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
