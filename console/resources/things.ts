// From a path of the API to the page of the thing that it names. What the console knows of resources says where their
// pages are.
import { call } from '../api.ts';
import { resourceUrl } from '../urls.ts';
import { type ResourceModel, resourceModels } from './model.ts';

export type Models = readonly ResourceModel[];

// Without them, things are named and not linked.
export const knownModels = (): Promise<Models> => resourceModels().catch(() => []);

// The path of an address, without the host that the region was asked by.
export const pathOf = (href: string): string => href.replace(/^[a-z]+:\/\/[^/]+/i, '').replace(/[?#].*$/, '');

const partsOf = (path: string): string[] => path.split('/').filter(Boolean);
const isHole = (part: string): boolean => part.startsWith('{');

interface Place {
  model: ResourceModel;
  values: string[]; // what stands for the parameters of its collection
  id: string;
}

// The deepest thing that the path names: that of `/datacenters/D/servers/S/start` is the server.
function placeOf(models: Models, path: string): Place | undefined {
  const parts = partsOf(path);
  const found = models.flatMap((model): Place[] => {
    const pattern = partsOf(model.collection);
    const id = parts[pattern.length];
    const fits = pattern.every((part, at) => (isHole(part) ? parts[at] !== undefined : part === parts[at]));
    if (!fits || id === undefined) return [];
    return [{ model, id, values: parts.filter((_, at) => isHole(pattern[at] ?? '')) }];
  });
  const depth = ({ model }: Place): number => partsOf(model.collection).length;
  return found.sort((a, b) => depth(b) - depth(a))[0];
}

export function thingUrl(models: Models, path: string): string | undefined {
  const place = placeOf(models, path);
  return place && urlOf(place.model, place.values, place.id);
}

export const thingName = (models: Models, path: string): string | undefined => placeOf(models, path)?.model.title;

// Of a thing that is known by the name of its resource and its id, as it was called: the path of the call has what its
// collection needs.
export function namedThingUrl(models: Models, name: string, id: string, callPath: string): string | undefined {
  const model = models.find((one) => one.name === name);
  if (!model) return undefined;
  const pattern = partsOf(model.collection);
  const parts = partsOf(callPath);
  const fits = pattern.every((part, at) => (isHole(part) ? parts[at] !== undefined : part === parts[at]));
  return fits
    ? urlOf(
        model,
        parts.filter((_, at) => isHole(pattern[at] ?? '')),
        id,
      )
    : undefined;
}

// Of a thing in a datacenter, or in none.
export function billedThingUrl(models: Models, name: string, id: string, datacenter: string): string | undefined {
  const model = models.find((one) => one.name === name);
  const holes = model ? partsOf(model.collection).filter(isHole) : [];
  if (!model || holes.length > 1 || holes.some((hole) => hole !== '{datacenterId}')) return undefined;
  return urlOf(
    model,
    holes.map(() => datacenter),
    id,
  );
}

function urlOf({ address }: ResourceModel, values: readonly string[], id: string): string {
  const left = [...values];
  const [service = '', ...rest] = partsOf(address).map((part) => (isHole(part) ? (left.shift() ?? part) : part));
  return resourceUrl(service, `/${[...rest, id].join('/')}`);
}

export type Presence = 'there' | 'gone' | 'unknown';

// Whether there is something at a path now.
export async function presenceOf(path: string, signal: AbortSignal): Promise<Presence> {
  try {
    await call('GET', path, { signal });
    return 'there';
  } catch (error) {
    return (error as { status?: number }).status === 404 ? 'gone' : 'unknown';
  }
}
