// The pages of the things that the palette finds, and the thing that a page is about.

import type { ThingAction } from '../resources/actions/thing-action.ts';
import { findPlace } from '../resources/place.ts';
import { type Models, thingUrl } from '../resources/things.ts';
import { bucketUrl } from '../urls.ts';

export interface Thing {
  name: string;
  kind: string; // Server
  path: string; // in the API, with the prefix of its service
  within?: string; // what it is in
}

export interface Actable {
  name: string;
  actions: readonly ThingAction[];
}

export const bucketIn = (path: string): string | undefined => /^\/console\/s3\/([^/]+)$/.exec(path)?.[1];

export function pageOf(models: Models, path: string): string | undefined {
  const bucket = bucketIn(path);
  return bucket === undefined ? thingUrl(models, path) : bucketUrl(bucket);
}

// The thing that an address is about.
export function thingHere(models: Models, pathname: string): string | undefined {
  const [, bucket] = /^\/console\/buckets\/([^/]+)/.exec(pathname) ?? [];
  if (bucket !== undefined) return `/console/s3/${bucket}`;
  const [, service = '', path = ''] = /^\/console\/resources\/([^/]+)(\/.*?)\/?$/.exec(pathname) ?? [];
  const place = findPlace(models, service, path);
  return place && (place.view === 'item' || place.view === 'edit') ? place.model.prefix + place.path : undefined;
}
