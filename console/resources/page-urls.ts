// Finds the console page of a resource by its API path, with the resource models of the region.
import { ApiError, call } from '../api.ts';
import { resourceUrl, type ServiceName } from '../urls.ts';
import { type ResourceModel, resourceModels } from './model.ts';

export type Models = readonly ResourceModel[];

// Without models, resources are shown by name and without a link.
export const knownModels = (): Promise<Models> => resourceModels().catch(() => []);

// The path of an address, without the host.
export const pathOf = (href: string): string => href.replace(/^[a-z]+:\/\/[^/]+/i, '').replace(/[?#].*$/, '');

const partsOf = (path: string): string[] => path.split('/').filter(Boolean);
const isHole = (part: string | undefined): boolean => part?.startsWith('{') === true;

interface Place {
  model: ResourceModel;
  parts: readonly string[]; // below the prefix of the service
}

const isRegion = /^[a-z]{2}-[a-z]/; // de-txl

// All resource types whose service prefix starts the path. A region may precede the prefix, as in the links of some
// services.
function placesOf(models: Models, path: string): Place[] {
  const parts = partsOf(path);
  return models.flatMap((model): Place[] => {
    const prefix = partsOf(model.prefix);
    const skipped = isRegion.test(parts[0] ?? '') ? 1 : 0;
    const isIts = prefix.every((part, at) => parts[at + skipped] === part);
    return isIts ? [{ model, parts: parts.slice(prefix.length + skipped) }] : [];
  });
}

const fits = (pattern: readonly string[], parts: readonly string[]): boolean =>
  pattern.length <= parts.length && pattern.every((part, at) => isHole(part) || part === parts[at]);

const hasOwnPage = ({ hasPage, isReference, item }: ResourceModel): boolean =>
  hasPage && !isReference && item !== undefined;

const urlOf = ({ service }: ResourceModel, parts: readonly string[]): string =>
  resourceUrl(service as ServiceName, `/${parts.join('/')}`);

export interface ResourceAt {
  model: ResourceModel;
  path: string; // below the prefix of the service
}

// The deepest resource of the path: the server for `/datacenters/D/servers/S/start`.
export function resourceAt(models: Models, path: string): ResourceAt | undefined {
  const found = placesOf(models, path)
    .filter(({ model, parts }) => hasOwnPage(model) && fits(partsOf(model.item ?? ''), parts))
    .sort((a, b) => partsOf(b.model.item ?? '').length - partsOf(a.model.item ?? '').length)[0];
  if (!found) return undefined;
  const { model, parts } = found;
  return { model, path: `/${parts.slice(0, partsOf(model.item ?? '').length).join('/')}` };
}

export function pageUrlAt(models: Models, path: string): string | undefined {
  const found = resourceAt(models, path);
  return found && resourceUrl(found.model.service as ServiceName, found.path);
}

// The page of a resource that is known by type and id. The path of the call has the parameters of its collection.
export function pageUrlByName(models: Models, name: string, id: string, callPath: string): string | undefined {
  const found = placesOf(models, callPath).find(
    ({ model, parts }) =>
      model.name === name && isInCollection(model) && hasOwnPage(model) && fits(partsOf(model.collection), parts),
  );
  return found && urlOf(found.model, [...found.parts.slice(0, partsOf(found.model.collection).length), id]);
}

// The page of a billed resource, which is in a datacenter or at the top level.
export function pageUrlOfBilled(models: Models, name: string, id: string, datacenter: string): string | undefined {
  const model = models.find((one) => {
    const holes = partsOf(one.collection).filter(isHole);
    const isPlain = holes.length === 0 || (holes.length === 1 && holes[0] === '{datacenterId}');
    return one.name === name && isPlain && isInCollection(one) && hasOwnPage(one);
  });
  if (!model) return undefined;
  const parts = partsOf(model.collection).map((part) => (isHole(part) ? datacenter : part));
  return urlOf(model, [...parts, id]);
}

// True if the item path is the collection path and one id.
const isInCollection = ({ item = '', collection }: ResourceModel): boolean =>
  partsOf(item).length === partsOf(collection).length + 1;

export type Presence = 'there' | 'gone' | 'unknown';

// Whether a resource exists at the path.
export async function presenceOf(path: string, signal: AbortSignal): Promise<Presence> {
  try {
    await call('GET', path, { signal });
    return 'there';
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? 'gone' : 'unknown';
  }
}
