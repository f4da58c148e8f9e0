// Shows secrets that only one response contains: the key of a pipeline, the secret of an access key.
import { openSecret } from '../components/secret-dialog.tsx';
import { wordsOf } from './words.ts';

interface NamedSecret {
  name: string;
  value: string;
}

const inMetadata = ['key', 'secret', 'secretKey'];
const inProperties = ['secret', 'secretKey']; // not `key`, because the key of a label is not secret

function secretIn(answer: unknown): NamedSecret | undefined {
  const { metadata, properties, ...rest } = objectOf(answer);
  return found(objectOf(metadata), inMetadata) ?? found(objectOf(properties), inProperties) ?? found(rest, inMetadata);
}

export function showAnswerSecret(title: string, answer: unknown): void {
  const secret = secretIn(answer);
  if (secret)
    openSecret({ title, name: wordsOf(secret.name), value: secret.value, about: 'Store it in a safe place.' });
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function found(values: Record<string, unknown>, names: readonly string[]): NamedSecret | undefined {
  for (const name of names) {
    const value = values[name];
    if (typeof value === 'string' && value !== '') return { name, value };
  }
  return undefined;
}
