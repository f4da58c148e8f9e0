// Words of a shell.
import { withVariables } from './variables.ts';

export const word = (text: string): string => (/^[\w./:@%+,=-]+$/.test(text) ? text : quoted(text));
export const quoted = (text: string): string =>
  withVariables(`'${inQuotes(text)}'`, ({ name }) => `'"$${name}"'`).replace(/^''(?=")|(?<=")''$/g, '');

// A terminal acts on control characters before the shell reads them: ESC [201~ in a name would end a paste, and what
// follows it would be typed. They are written as escapes.
const inQuotes = (text: string): string => withEscapes(text.replaceAll("'", `'\\''`), (code) => `'$'${code}''`);

export const withEscapes = (text: string, written: (code: string) => string): string =>
  text.replace(/(?![\n\t])\p{Cc}/gu, (one) => written(escapeOf(one)));

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

// The shell only puts variables into one whose mark is not quoted.
export function hereDocument(text: string): string {
  const filled = withVariables(text.replace(/[\\$`]/g, '\\$&'), ({ name }) => `$${name}`);
  return withVariables(text, () => '') === text ? `<<'EOF'\n${text}\nEOF` : `<<EOF\n${filled}\nEOF`;
}

// Keeps what a command prints in a variable.
export const kept = (variable: string, command: string): string => `${variable}=$(${command})`;
