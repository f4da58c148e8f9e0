// Commands as messages show them.
import { environment } from './environment.ts';

// Quotes a word for sh, if needed.
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

// The name of this program as the user typed it.
export const self = (): string => quoted(environment.command());
