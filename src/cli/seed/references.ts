// `${servers.web}` in a seed is the id of the server of that name, `${ipblocks.pool.ips.0}` one of its properties.
import type { Json } from '../../base/json.ts';

export interface Reference {
  section: string;
  name: string;
  rest: string[]; // the way to one of its properties; none: its id
}

const form = /\$\{([^{}]+)\}/g;

export type Resolve = (reference: Reference) => Promise<Json>;

// The value with all references in it replaced. One that is the whole text keeps its type.
export async function resolved(value: Json, resolve: Resolve): Promise<Json> {
  if (typeof value === 'string') return resolvedText(value, resolve);
  if (Array.isArray(value)) return Promise.all(value.map((one) => resolved(one, resolve)));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(async ([key, one]) => [key, await resolved(one as Json, resolve)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function resolvedText(text: string, resolve: Resolve): Promise<Json> {
  const found = [...text.matchAll(form)];
  const [only] = found;
  if (only && only[0] === text) return resolve(referenceOf(only[1] ?? ''));
  let whole = text;
  for (const [written, inner = ''] of found) whole = whole.replace(written, String(await resolve(referenceOf(inner))));
  return whole;
}

// Names may have dots: `${zones.example\.com}` has one.
function referenceOf(text: string): Reference {
  const [section = '', name = '', ...rest] = text.trim().split(/(?<!\\)\./);
  return { section, name: name.replaceAll('\\.', '.'), rest };
}

export function propertyAt(properties: Json, way: readonly string[]): Json | undefined {
  let value: Json | undefined = properties;
  for (const key of way) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Record<string, Json>)[key];
  }
  return value;
}
