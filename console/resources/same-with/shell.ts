// Words of a shell.
import { withVariables } from './variables.ts';

export const word = (text: string): string => (/^[\w./:@%+,=-]+$/.test(text) ? text : quoted(text));
export const quoted = (text: string): string =>
  withVariables(`'${text.replaceAll("'", `'\\''`)}'`, ({ name }) => `'"$${name}"'`).replace(/^''(?=")|(?<=")''$/g, '');

// The shell only puts variables into one whose mark is not quoted.
export function hereDocument(text: string): string {
  const filled = withVariables(text.replace(/[\\$`]/g, '\\$&'), ({ name }) => `$${name}`);
  return withVariables(text, () => '') === text ? `<<'EOF'\n${text}\nEOF` : `<<EOF\n${filled}\nEOF`;
}

// Keeps what a command prints in a variable.
export const kept = (variable: string, command: string): string => `${variable}=$(${command})`;
