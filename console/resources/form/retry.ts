// A creation form that is filled with the body of a failed request: `…/new?from=<request>`. The region stores bodies
// without secrets.
import { call } from '../../api.ts';
import { type Requested, type RequestItem, requestOf } from '../../requests/requests-api.ts';
import type { FieldSchema, ResourceModel } from '../model.ts';
import { matched, placeUrl } from '../place.ts';
import type { Json } from '../schema-form/form-value.ts';
import { bodyFrom } from './body.ts';

export const requestIn = (search: string): string | undefined => new URLSearchParams(search).get('from') ?? undefined;

export const formUrl = (model: ResourceModel, path: string, request: string): string =>
  placeUrl(model, `${path}/new`, { from: request });

// The form that repeats a creation, if the request was one.
export function retryUrl(
  models: readonly ResourceModel[],
  { id, method, path }: Pick<Requested, 'id' | 'method' | 'path'>,
): string | undefined {
  const model = models.find(
    ({ prefix, collection, create }) =>
      create?.method === method &&
      create.path === collection &&
      path.startsWith(`${prefix}/`) &&
      matched(collection, path.slice(prefix.length)) !== undefined,
  );
  return model && formUrl(model, path.slice(model.prefix.length), id);
}

// Undefined if the form can't show the stored body.
export async function storedBody(id: string, schema: FieldSchema, signal: AbortSignal): Promise<Json | undefined> {
  const address = `/cloudapi/v6/requests/${encodeURIComponent(id)}?depth=2`;
  const { body } = requestOf(await call<RequestItem>('GET', address, { signal }));
  try {
    return bodyFrom(body, schema, undefined);
  } catch {
    return undefined;
  }
}
