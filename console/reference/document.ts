// The parts of a service's OpenAPI document that its page shows. The first opened operation loads it.
import { call } from '../api.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: (string | number | boolean | null)[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  multipleOf?: number;
  pattern?: string;
  readOnly?: boolean;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string;
  required?: boolean;
  schema: Schema;
}

interface Response {
  $ref?: string;
  description?: string;
  content?: Record<string, { schema: Schema }>;
}

interface Described {
  operationId: string;
  summary: string;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, Response>;
}

export interface ApiDocument {
  servers: { url: string }[];
  paths: Record<string, Record<string, Described>>;
  components?: { responses?: Record<string, Response>; schemas?: Record<string, Schema> };
}

export interface ApiOperation extends Omit<Described, 'responses'> {
  method: string;
  server: string; // scheme, host and prefix
  path: string;
  responses: [status: string, response: Response][];
}

export function documentAt(address: string): () => Promise<ApiDocument> {
  let loading: Promise<ApiDocument> | undefined;
  return () => {
    loading ??= call<ApiDocument>('GET', address).catch((error: unknown) => {
      loading = undefined; // the next call tries again
      throw error;
    });
    return loading;
  };
}

export function operationIn(document: ApiDocument, id: string): ApiOperation | undefined {
  const server = document.servers[0]?.url ?? '';
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, described] of Object.entries(methods)) {
      if (described.operationId !== id) continue;
      const responses = Object.entries(described.responses).map(([status, response]): [string, Response] => [
        status,
        resolved(document, response),
      ]);
      return { ...described, method: method.toUpperCase(), server, path, responses };
    }
  return undefined;
}

// Resolves a reference within the document.
export function resolved<T extends { $ref?: string }>(document: ApiDocument, value: T): T {
  if (value.$ref === undefined) return value;
  let found: unknown = document;
  for (const part of value.$ref.replace('#/', '').split('/')) found = (found as Record<string, unknown>)?.[part];
  return (found ?? {}) as T;
}
