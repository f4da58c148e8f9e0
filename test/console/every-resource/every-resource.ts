// The addresses of all resource pages of a region, and navigation to them.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ResourceModel } from '../../../console/resources/model.ts';
import { acrossPath } from '../../../console/resources/place.ts';
import type { Region } from '../../harness/region.ts';
import { untilDrawn, untilHolds } from '../harness/window.ts';

export interface Addresses {
  model: ResourceModel;
  list: string;
  item?: string; // absent if no item exists or has a page
  across?: string; // the list across all parents, if there is one
}

// Lists collections from the top down. Nested ones are searched in the first or last resource of the parent collection.
export async function addressesOf(region: Region, which: 'first' | 'last' = 'first'): Promise<Addresses[]> {
  const { body } = await region.call<{ resources: ResourceModel[] }>('GET', '/console/model');
  const chosen = new Map<string, string>(); // resource path by service and collection
  const found: Addresses[] = [];
  const models = body.resources.toSorted((a, b) => a.collection.length - b.collection.length);
  for (const model of models) {
    const above = model.parent === undefined ? '' : chosen.get(`${model.service} ${model.parent}`);
    if (above === undefined) continue;
    const list = above + model.collection.slice(model.parent === undefined ? 0 : itemLength(models, model));
    const item = await itemOf(region, model, list, which);
    if (item !== undefined && !model.isReference) chosen.set(`${model.service} ${model.collection}`, item);
    const root = `/console/resources/${model.service}`;
    found.push({
      model,
      list: root + list,
      ...(item !== undefined && model.hasPage && !model.isReference && { item: root + item }),
      ...(model.isListedAcross && { across: root + acrossPath(model) }),
    });
  }
  return found;
}

const itemLength = (models: readonly ResourceModel[], { service, parent }: ResourceModel): number =>
  models.find((one) => one.service === service && one.collection === parent && !one.isReference)?.item?.length ?? 0;

// Some resource paths need more than an id, so the href is used.
async function itemOf(region: Region, { prefix }: ResourceModel, list: string, which: 'first' | 'last') {
  const { status, body } = await region.call('GET', `${prefix}${list}?limit=50`);
  const item = status === 200 ? body.items?.at(which === 'first' ? 0 : -1) : undefined;
  if (!item) return undefined;
  const at = item.href?.indexOf(`${prefix}${list}/`) ?? -1;
  return at < 0 ? `${list}/${item.id}` : item.href.slice(at + prefix.length);
}

// Navigates like a link. The address is read before the new page can change it: a chart, for example, adds its time
// range.
export async function follow(page: Page, url: string): Promise<void> {
  await untilDrawn(page);
  const address = await page.evaluate(`{
    const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(url)} });
    document.body.append(link);
    link.click();
    link.remove();
    location.pathname + location.search;
  }`);
  assert.equal(address, url);
  await untilHolds(
    page,
    `document.querySelector('main h1') && !document.querySelector('main :is(.waiting, .skeleton)')`,
  );
}
