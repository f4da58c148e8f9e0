// Variables in the texts for other clients. Secrets do not stand in them: a shell keeps what is typed, and a file is
// shared. Ids of what is made before are not known yet. A mark stands for each until its text is written.
import { isSecretName } from '../words.ts';

export type Variable = { kind: 'secret' | 'id'; name: string };

// Characters that nobody types and no format escapes.
const [start, end, idStart] = ['\uE000', '\uE001', '\uE002'];
const marks = new RegExp(`[${start}${end}${idStart}]`, 'g');
const hidden = new RegExp(`${start}(\\w+)${end}|"${idStart}(\\w+)${end}"|${idStart}(\\w+)${end}`, 'g');

// Puts a mark in place of each secret.
export function withoutSecrets(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutSecrets(one, key)]));
  return typeof value === 'string' && isSecretName(name) ? textMark(variableOf(name)) : value;
}

// What a form has is no mark. A name that another user gave could otherwise put the reader's token into a command.
export const withoutMarks = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value).replace(marks, ''));

// The mark of a text that is not known here.
export const textMark = (variable: string): string => `${start}${variable}${end}`;

// The mark of an id, which is a number in JSON.
export const idMark = (variable: string): string => `${idStart}${variable}${end}`;

// Writes variables in place of the marks: `IMAGE_PASSWORD` as its format has it.
export const withVariables = (text: string, written: (variable: Variable) => string): string =>
  text.replace(hidden, (_, secret?: string, number?: string, id?: string) =>
    written(secret === undefined ? { kind: 'id', name: number ?? id ?? '' } : { kind: 'secret', name: secret }),
  );

// The names of the secrets whose marks are in a text.
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
