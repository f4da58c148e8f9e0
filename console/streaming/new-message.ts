// A message that the user writes: the schema of its form, and the body that the region expects.
import type { FieldSchema } from '../resources/model.ts';
import type { Json } from '../resources/schema-form/form-value.ts';

export interface SentMessage {
  partition: number | null; // null: chosen by the key, or at random
  key: string | null; // base64, like the value and those of headers
  value: string | null;
  headers: { key: string; value: string | null }[];
}

const formats = ['Text', 'JSON', 'Base64'] as const;
const mostListed = 100; // partitions in a selection

export const messageSchema = (partitions: number): FieldSchema => ({
  type: 'object',
  properties: {
    partition:
      partitions <= mostListed
        ? { type: 'integer', enum: Array.from({ length: partitions }, (_, at) => at), default: 'by the key' }
        : { type: 'integer', minimum: 0, maximum: partitions - 1, description: 'Empty: by the key' },
    key: { type: 'string', description: 'Messages with equal keys have the same partition' },
    format: { type: 'string', title: 'Value format', enum: formats, default: 'Text' },
    value: { type: 'string', maxLength: 1_000_000 },
    isNull: {
      type: 'boolean',
      title: 'No value (null)',
      default: false,
      description: 'Deletes the key in a compacted topic',
    },
    headers: {
      type: 'array',
      items: {
        type: 'object',
        properties: { key: { type: 'string', minLength: 1 }, value: { type: 'string' } },
        required: ['key'],
      },
    },
  },
});

interface Written {
  partition?: number;
  key?: string;
  format?: (typeof formats)[number];
  value?: string;
  isNull?: boolean;
  headers?: readonly { key: string; value?: string }[];
}

// Problems by field. JSON is sent unchanged.
export function problemsIn(form: Json): Record<string, string> {
  const { format = 'Text', value = '', isNull = false } = form as unknown as Written;
  if (isNull || format === 'Text') return {};
  try {
    if (format === 'JSON') JSON.parse(value);
    else atob(value);
    return {};
  } catch (error) {
    const detail = error instanceof SyntaxError ? `: ${error.message}` : '';
    return { value: format === 'JSON' ? `This is not valid JSON${detail}.` : 'This is not valid base64.' };
  }
}

export function messageFrom(form: Json): SentMessage {
  const {
    partition = null,
    key,
    format = 'Text',
    value = '',
    isNull = false,
    headers = [],
  } = form as unknown as Written;
  return {
    partition,
    key: key === undefined ? null : base64Of(key),
    value: isNull ? null : format === 'Base64' ? btoa(atob(value)) : base64Of(value),
    headers: headers.map((one) => ({ key: one.key, value: base64Of(one.value ?? '') })),
  };
}

function base64Of(text: string): string {
  let letters = '';
  for (const byte of new TextEncoder().encode(text)) letters += String.fromCharCode(byte);
  return btoa(letters);
}
