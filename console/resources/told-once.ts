// Secrets that an answer tells and nobody tells again: the key of a pipeline, the secret of an access key.
import { openSecret } from '../components/secret-dialog.tsx';
import { wordsOf } from './words.ts';

interface Told {
  name: string;
  value: string;
}

const inMetadata = ['key', 'secret', 'secretKey'];
const inProperties = ['secret', 'secretKey']; // a label has a `key` too, which is none

function toldOnce(answer: unknown): Told | undefined {
  const { metadata, properties, ...rest } = objectOf(answer);
  return found(objectOf(metadata), inMetadata) ?? found(objectOf(properties), inProperties) ?? found(rest, inMetadata);
}

export function showOnce(title: string, answer: unknown): void {
  const told = toldOnce(answer);
  if (told) openSecret({ title, name: wordsOf(told.name), value: told.value, about: 'Copy it to where it is needed.' });
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function found(values: Record<string, unknown>, names: readonly string[]): Told | undefined {
  for (const name of names) {
    const value = values[name];
    if (typeof value === 'string' && value !== '') return { name, value };
  }
  return undefined;
}
