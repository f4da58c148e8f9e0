// Finds the collection, resource or form of an address below /console/resources, and its breadcrumbs.
import { nameIn, nameKeys } from '../../src/core/display-name.ts';
import { resourceUrl, type ServiceName } from '../urls.ts';
import type { Item, ResourceModel } from './model.ts';
import { pageUrlAt, pathOf } from './page-urls.ts';

export interface Place {
  model: ResourceModel;
  view: 'list' | 'item' | 'new' | 'edit';
  params: Readonly<Record<string, string>>; // of the path
  path: string; // of the collection or resource, without the prefix of the service
  above: readonly Step[]; // uppermost first
}

// A collection or resource above a place.
export interface Step {
  model: ResourceModel;
  path: string;
  isItem: boolean;
}

export function findPlace(models: readonly ResourceModel[], service: string, path: string): Place | undefined {
  const view = path.endsWith('/new') ? 'new' : path.endsWith('/edit') ? 'edit' : undefined;
  const named = view ? path.slice(0, path.lastIndexOf('/')) : path;
  const own = models.filter((model) => model.service === service);
  for (const model of own) {
    const ofList = matched(model.collection, named);
    if (ofList && isAcross(named)) {
      if (view || !model.isListedAcross) continue;
      return { model, view: 'list', params: {}, path: named, above: stepsTo(own, model, ofList) };
    }
    if (ofList && view !== 'edit')
      return { model, view: view ?? 'list', params: ofList, path: named, above: stepsTo(own, model, ofList) };
    const ofItem = view !== 'new' && model.hasPage && model.item !== undefined && matched(model.item, named);
    if (ofItem) {
      const list: Step = { model, path: filled(model.collection, ofItem), isItem: false };
      return {
        model,
        view: view ?? 'item',
        params: ofItem,
        path: named,
        above: [...stepsTo(own, model, ofItem), list],
      };
    }
  }
  return undefined;
}

function stepsTo(models: readonly ResourceModel[], { parent }: ResourceModel, params: Params): Step[] {
  const above = models.find(({ collection, isReference }) => collection === parent && !isReference);
  if (!above?.item) return [];
  const [list, item] = [filled(above.collection, params), filled(above.item, params)];
  return [
    ...stepsTo(models, above, params),
    { model: above, path: list, isItem: false },
    ...(isAcross(item) ? [] : [{ model: above, path: item, isItem: true }]),
  ];
}

const wildcard = '-';

// True for lists across all parents: /datacenters/-/servers
export const isAcross = (path: string): boolean => path.split('/').includes(wildcard);

export const acrossPath = ({ collection }: ResourceModel): string => collection.replace(/\{\w+\}/g, wildcard);

// The type of the parent.
export const modelAbove = (
  models: readonly ResourceModel[],
  { service, parent }: ResourceModel,
): ResourceModel | undefined =>
  models.find((one) => one.service === service && one.collection === parent && one.item && !one.isReference);

type Params = Readonly<Record<string, string>>;

// Does not decode the parts, because some ids contain encoded slashes.
export function matched(pattern: string, path: string): Record<string, string> | undefined {
  const [expected, given] = [pattern.split('/'), path.split('/')];
  if (expected.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of expected.entries()) {
    const one = given[at] ?? '';
    if (part.startsWith('{') && one !== '') params[part.slice(1, -1)] = one;
    else if (part !== one) return undefined;
  }
  return params;
}

export const filled = (pattern: string, params: Params): string =>
  pattern.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');

// The names of path parameters without a value.
export const missingParams = (pattern: string, params: Params): string[] =>
  [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => !(name in params));

export const placeUrl = ({ service }: ResourceModel, path: string, query?: Record<string, string>): string =>
  resourceUrl(service as ServiceName, path, query);

// The page of an item in a list, if there is one. A reference leads to the page of the referenced resource.
export function itemUrl(models: readonly ResourceModel[], model: ResourceModel, path: string, item: Item) {
  const urlByHref = item.href === undefined ? undefined : pageUrlAt(models, pathOf(item.href));
  if (model.isReference && urlByHref !== undefined) return urlByHref;
  if (!model.item || !model.hasPage) return urlByHref;
  return placeUrl(model, itemPath(model, path, item));
}

// The path of an item. If the id alone is not enough, such as for locations or in lists across parents, the path comes
// from the href.
export function itemPath(model: ResourceModel, path: string, { id, href }: Item): string {
  const hasMore = missingParams(model.item?.slice(model.collection.length) ?? '', {}).length > 1;
  const whole = (hasMore || isAcross(path)) && href !== undefined ? pathOf(href) : '';
  const start = whole.indexOf(`${model.prefix}${isAcross(path) ? '' : path}/`);
  return start < 0 ? `${path}/${encodeURIComponent(id)}` : whole.slice(start + model.prefix.length);
}

export const isNaming = (property: string | undefined): boolean =>
  property !== undefined && nameKeys.includes(property);

export const ownNameOf = ({ properties }: Item): string | undefined => nameIn(properties);

// The name of an item, or its id.
export const nameOf = (item: Item): string => ownNameOf(item) ?? item.id;

// The end of a UUID: its beginning is the time of the creation, so it is equal for resources of the same minute.
export const shortId = (id: string): string => (/^[0-9a-f]{8}-/.test(id) ? `…${id.slice(-8)}` : id);

// The state of an item, as its service spells it.
export function stateOf({ metadata = {}, properties }: Item): string | undefined {
  const state = metadata.state ?? metadata.status ?? properties.status;
  return typeof state === 'string' ? state : undefined;
}

// The state for a badge: that of the machine, unless the resource itself is changing or has failed.
export function shownState(item: Item): string | undefined {
  const state = stateOf(item);
  const { vmState } = item.properties;
  return typeof vmState === 'string' && (state === undefined || state === 'AVAILABLE') ? vmState : state;
}

// The region of a regional resource, from its URN: `ionos:logging:de/txl:…`.
export function regionOf({ metadata = {} }: Pick<Item, 'metadata'>): string | undefined {
  const [, , region = ''] = typeof metadata.resourceURN === 'string' ? metadata.resourceURN.split(':') : [];
  return region === '' ? undefined : region.replaceAll('/', '-');
}

// All states that operations may depend on.
export const statesOf = (item: Item): string[] =>
  [stateOf(item), item.properties.vmState].filter((state): state is string => typeof state === 'string');

export const isUnderWay = (item: Item): boolean =>
  /^(?:BUSY|PROVISIONING|DEPLOYING|DESTROYING|UPDATING|CREATING|DELETING)$/i.test(stateOf(item) ?? '');
