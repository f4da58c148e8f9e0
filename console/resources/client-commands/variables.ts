// Variables in client commands. They replace secrets, because shells keep a history and files are shared, and ids of
// preceding resources, which are not known yet. Marks hold their places until the text is generated.
import { isSecretName } from '../words.ts';

export type Variable = { kind: 'secret' | 'id'; name: string };

// Private-use characters, which no user types and no format escapes.
const [start, end, idStart] = ['\uE000', '\uE001', '\uE002'];
const marks = new RegExp(`[${start}${end}${idStart}]`, 'g');
const hidden = new RegExp(`${start}(\\w+)${end}|"${idStart}(\\w+)${end}"|${idStart}(\\w+)${end}`, 'g');

// Replaces each secret by a mark.
export function withoutSecrets(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutSecrets(one, key)]));
  return typeof value === 'string' && isSecretName(name) ? textMark(variableOf(name)) : value;
}

// Removes marks from form values. Otherwise a name from another user could put the reader's token into a command.
export const withoutMarks = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value).replace(marks, ''));

// The mark of an unknown text.
export const textMark = (variable: string): string => `${start}${variable}${end}`;

// The mark of an id, which is a number in JSON.
export const idMark = (variable: string): string => `${idStart}${variable}${end}`;

// Replaces marks by variables such as `IMAGE_PASSWORD` in the syntax of the client.
export const withVariables = (text: string, written: (variable: Variable) => string): string =>
  text.replace(hidden, (_, secret?: string, number?: string, id?: string) =>
    written(secret === undefined ? { kind: 'id', name: number ?? id ?? '' } : { kind: 'secret', name: secret }),
  );

// The names of the secrets in a text with marks.
export function secretsIn(text: string): string[] {
  const names = new Set<string>();
  withVariables(text, ({ kind, name }) => {
    if (kind === 'secret') names.add(name);
    return '';
  });
  return [...names];
}

export const variableOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W/g, '_')
    .toUpperCase();
