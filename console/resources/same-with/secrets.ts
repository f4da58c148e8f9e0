// Secrets of a form do not stand in the texts for other clients: a shell keeps what is typed, and a file is shared. The
// text has the name of a variable in place of each.
import { isSecretName } from '../words.ts';

// Characters that nobody types and no format escapes.
const [start, end] = ['\uE000', '\uE001'];
const hidden = new RegExp(`${start}(\\w+)${end}`, 'g');

// Puts a mark in place of each secret.
export function withoutSecrets(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutSecrets(one, key)]));
  return typeof value === 'string' && isSecretName(name) ? `${start}${variableOf(name)}${end}` : value;
}

// Writes variables in place of the marks: `IMAGE_PASSWORD` as its format has it.
export const withVariables = (text: string, written: (variable: string) => string): string =>
  text.replace(hidden, (_, variable: string) => written(variable));

const variableOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W/g, '_')
    .toUpperCase();
