// The addresses of the pages of everything that a region has, and the way to them.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ResourceModel } from '../../console/resources/model.ts';
import { acrossPath } from '../../console/resources/place.ts';
import type { Region } from '../harness/region.ts';
import { untilDrawn, untilHolds } from './window.ts';

export interface Addresses {
  model: ResourceModel;
  list: string;
  item?: string; // absent: there is none, or none has a page
  across?: string; // the list of all of them, wherever they are; absent: there is none
}

// Collections from the top down: those in a thing are looked for in the first one there is, or in the last.
export async function addressesOf(region: Region, which: 'first' | 'last' = 'first'): Promise<Addresses[]> {
  const { body } = await region.call<{ resources: ResourceModel[] }>('GET', '/console/model');
  const chosen = new Map<string, string>(); // the path of a thing, by its service and collection
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

// Paths of some things have more parts than their id: their link has them all.
async function itemOf(region: Region, { prefix }: ResourceModel, list: string, which: 'first' | 'last') {
  const { status, body } = await region.call('GET', `${prefix}${list}?limit=50`);
  const item = status === 200 ? body.items?.at(which === 'first' ? 0 : -1) : undefined;
  if (!item) return undefined;
  const at = item.href?.indexOf(`${prefix}${list}/`) ?? -1;
  return at < 0 ? `${list}/${item.id}` : item.href.slice(at + prefix.length);
}

// As a link of the page would. The address is read before the page that it names can change it: a chart, for example,
// adds the range of time that it shows.
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
