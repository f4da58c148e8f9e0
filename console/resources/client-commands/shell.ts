// Quoting for shells.
import { withVariables } from './variables.ts';

export const word = (text: string): string => (/^[\w./:@%+,=-]+$/.test(text) ? text : quoted(text));
export const quoted = (text: string): string =>
  withVariables(`'${inQuotes(text)}'`, ({ name }) => `'"$${name}"'`).replace(/^''(?=")|(?<=")''$/g, '');

// Control characters are escaped, because a terminal acts on them before the shell reads them: ESC [201~ in a name
// would end a paste, and the rest would be typed.
const inQuotes = (text: string): string => withEscapes(text.replaceAll("'", `'\\''`), (code) => `'$'${code}''`);

export const withEscapes = (text: string, written: (code: string) => string): string =>
  text.replace(/(?![\n\t])\p{Cc}/gu, (one) => written(escapeOf(one)));

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

// The shell expands variables only if the delimiter is not quoted.
export function hereDocument(text: string): string {
  const filled = withVariables(text.replace(/[\\$`]/g, '\\$&'), ({ name }) => `$${name}`);
  return withVariables(text, () => '') === text ? `<<'EOF'\n${text}\nEOF` : `<<EOF\n${filled}\nEOF`;
}

// Assigns the output of a command to a variable.
export const assignment = (variable: string, command: string): string => `${variable}=$(${command})`;
