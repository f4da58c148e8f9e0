// The calls of the palette: searches and lists resources, and loads the actions of one.
import { call } from '../api.ts';
import type { Item, ResourceModel } from '../resources/model.ts';
import { type Models, resourceAt } from '../resources/page-urls.ts';
import { nameOf, placeUrl } from '../resources/place.ts';
import { rights } from '../rights/session-rights.ts';
import { go } from '../router.ts';
import { bucketIn, type FoundResource, type NamedActions } from './resource-pages.ts';

export async function searchResources(text: string, signal: AbortSignal): Promise<readonly FoundResource[]> {
  const query = new URLSearchParams({ text });
  const { resources } = await call<{ resources: FoundResource[] }>('GET', `/console/search?${query}`, { signal });
  return resources;
}

const maxListed = 200;

// The resources of a collection, to select one.
export async function listResources(model: ResourceModel, path: string, signal: AbortSignal): Promise<readonly Item[]> {
  const address = `${model.prefix}${path}?depth=1&limit=${maxListed}`;
  const { items = [] } = await call<{ items?: Item[] }>('GET', address, { signal });
  return items.map((item) => ({ ...item, properties: item.properties ?? {} }));
}

// Reads the state of the resource, because actions depend on it. The code of the actions is loaded on demand.
export async function actionsOf(models: Models, path: string, signal: AbortSignal): Promise<NamedActions> {
  const bucket = bucketIn(path);
  if (bucket !== undefined) {
    const { bucketActions } = await import('../objects/bucket-actions.ts');
    return { name: bucket, actions: bucketActions(bucket) };
  }
  const found = resourceAt(models, path);
  if (!found) return { name: '', actions: [] };
  const { model, path: below } = found;
  const [{ actionsOfItem }, answer] = await Promise.all([
    import('../resources/actions/item-actions.tsx'),
    call<Item>('GET', `${model.prefix}${below}?depth=1`, { signal }),
  ]);
  const item = { ...answer, properties: answer.properties ?? {} };
  const read = () =>
    actionsOfItem({
      models,
      model,
      item,
      path: below,
      reload: () => undefined, // pages follow live updates
      onRemoved: () => {
        const own = placeUrl(model, below);
        if (`${location.pathname}/`.startsWith(`${own}/`)) go(placeUrl(model, below.slice(0, below.lastIndexOf('/'))));
      },
    });
  const { change, others, removal } = await rights.with(read);
  return { name: nameOf(item), actions: [change, ...others, removal].filter((one) => one !== undefined) };
}
