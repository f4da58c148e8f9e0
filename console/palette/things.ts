// Finds things, and what can be done with one.
import { call } from '../api.ts';
import type { Item, ResourceModel } from '../resources/model.ts';
import { nameOf, placeUrl } from '../resources/place.ts';
import { type Models, thingAt } from '../resources/things.ts';
import { go } from '../router.ts';
import { type Actable, bucketIn, type Thing } from './thing-pages.ts';

export async function searchThings(text: string, signal: AbortSignal): Promise<readonly Thing[]> {
  const query = new URLSearchParams({ text });
  const { things } = await call<{ things: Thing[] }>('GET', `/console/search?${query}`, { signal });
  return things;
}

const mostListed = 200;

// The things of a collection, to choose one.
export async function listThings(model: ResourceModel, path: string, signal: AbortSignal): Promise<readonly Item[]> {
  const address = `${model.prefix}${path}?depth=1&limit=${mostListed}`;
  const { items = [] } = await call<{ items?: Item[] }>('GET', address, { signal });
  return items.map((item) => ({ ...item, properties: item.properties ?? {} }));
}

// Its state is read for it, so that only what can be done is offered. What that takes is loaded when it is needed.
export async function actionsOf(models: Models, path: string, signal: AbortSignal): Promise<Actable> {
  const bucket = bucketIn(path);
  if (bucket !== undefined) {
    const { bucketActions } = await import('../objects/bucket-actions.ts');
    return { name: bucket, actions: bucketActions(bucket) };
  }
  const found = thingAt(models, path);
  if (!found) return { name: '', actions: [] };
  const { model, path: below } = found;
  const [{ thingActions }, answer] = await Promise.all([
    import('../resources/actions/thing-actions.tsx'),
    call<Item>('GET', `${model.prefix}${below}?depth=1`, { signal }),
  ]);
  const item = { ...answer, properties: answer.properties ?? {} };
  const { change, others, removal } = thingActions({
    models,
    model,
    item,
    path: below,
    reload: () => undefined, // pages follow what changes
    onRemoved: () => {
      const own = placeUrl(model, below);
      if (`${location.pathname}/`.startsWith(`${own}/`)) go(placeUrl(model, below.slice(0, below.lastIndexOf('/'))));
    },
  });
  return { name: nameOf(item), actions: [change, ...others, removal].filter((one) => one !== undefined) };
}
