// A tool: a name, arguments and a read function. Tools can only read, because the API that they get has no other call.
import type { Json, Values } from '../base/json.ts';
import type { PlatformApi } from './client/platform-api.ts';
import type { StorageApi } from './client/storage-api.ts';

export interface ToolContext {
  api: PlatformApi;
  storage: StorageApi;
  now(): Promise<number>; // the platform's time
}

export interface Tool {
  name: string;
  group: Group;
  description: string;
  input: InputSchema;
  // JSON becomes one compact text; a text is returned unchanged.
  read(args: Values, context: ToolContext): Promise<Json>;
}

export const groups = [
  'compute',
  'objectstorage',
  'dns',
  'certificates',
  'billing',
  'activitylog',
  'identity',
  'autoscaling',
  'monitoring',
  'logging',
  'streaming',
  'inference',
  'insight',
] as const;
export type Group = (typeof groups)[number];

export interface InputSchema extends Values {
  type: 'object';
  properties: Values;
  required: string[];
  additionalProperties: false;
}

// Required arguments come first; optional ones are marked by `optional`.
export function input(properties: Readonly<Record<string, Values>>): InputSchema {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { optional: _, ...schema }]) => [name, schema])),
    required: entries.filter(([, schema]) => schema.optional !== true).map(([name]) => name),
    additionalProperties: false,
  };
}

export const optional = (schema: Values): Values => ({ ...schema, optional: true });
export const text = (description: string, more: Values = {}): Values => ({ type: 'string', description, ...more });
export const id = (description: string): Values => text(description, { minLength: 1, maxLength: 1024 });
export const flag = (description: string): Values => ({ type: 'boolean', description });
export const texts = (description: string): Values => ({
  type: 'array',
  items: { type: 'string' },
  maxItems: 100,
  description,
});
export const whole = (description: string, minimum: number, maximum: number): Values => ({
  type: 'integer',
  minimum,
  maximum,
  description,
});
export const contract = optional(whole("The contract number; the token's own by default", 1, 2_147_483_647));

export const textOf = (args: Values, name: string): string | undefined => {
  const value = args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};
export const numberOf = (args: Values, name: string, usual: number): number => {
  const value = args[name];
  return typeof value === 'number' ? value : usual;
};
export const textsOf = (args: Values, name: string): string[] => {
  const value = args[name];
  return Array.isArray(value) ? value.map(String) : [];
};
