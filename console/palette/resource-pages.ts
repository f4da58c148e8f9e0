// The pages of the resources that the palette finds, and the resource of a page.

import type { ItemAction } from '../resources/actions/item-action.ts';
import { type Models, pageUrlAt } from '../resources/page-urls.ts';
import { findPlace } from '../resources/place.ts';
import { bucketUrl } from '../urls.ts';

export interface FoundResource {
  name: string;
  kind: string; // Server
  path: string; // in the API, with the prefix of its service
  within?: string; // the name of its parent
}

export interface NamedActions {
  name: string;
  actions: readonly ItemAction[];
}

export const bucketIn = (path: string): string | undefined => /^\/console\/s3\/([^/]+)$/.exec(path)?.[1];

export function pageOf(models: Models, path: string): string | undefined {
  const bucket = bucketIn(path);
  return bucket === undefined ? pageUrlAt(models, path) : bucketUrl(bucket);
}

// The API path of the resource whose page has this address.
export function resourceHere(models: Models, pathname: string): string | undefined {
  const [, bucket] = /^\/console\/buckets\/([^/]+)/.exec(pathname) ?? [];
  if (bucket !== undefined) return `/console/s3/${bucket}`;
  const [, service = '', path = ''] = /^\/console\/resources\/([^/]+)(\/.*?)\/?$/.exec(pathname) ?? [];
  const place = findPlace(models, service, path);
  return place && (place.view === 'item' || place.view === 'edit') ? place.model.prefix + place.path : undefined;
}
