// Entries of the palette that do not depend on a search: pages, lists and the creation of resources.

import type { ResourceModel } from '../resources/model.ts';
import { acrossPath, filled, findPlace, matched, missingParams, modelAbove, placeUrl } from '../resources/place.ts';
import { lower } from '../resources/words.ts';
import type { CheckedCall } from '../rights/rights.ts';
import { withSynonyms } from './commands.ts';

export interface Entry {
  key: string;
  text: string;
  note: string; // the kind of entry, or why it is disabled
  url?: string;
  act?(): void;
  path?: string; // API path of a resource, which has actions
  creates?: Creation; // asks for the parent first
  words?: string; // further search words
  isOff?: boolean; // disabled now
  call?: CheckedCall; // that the user needs the right to make
}

// A resource to create, with the parents that are known so far.
export interface Creation {
  model: ResourceModel;
  params: Readonly<Record<string, string>>; // path parameters of the known parents
}

export const linked = (text: string, note: string, url: string): Entry => ({ key: `${note} ${url}`, text, note, url });

// Resources that can be created below the current page: `Create server` on the page of a datacenter.
export function entriesHere(models: readonly ResourceModel[], pathname: string): Entry[] {
  const [, service = '', path = ''] = /^\/console\/resources\/([^/]+)(\/.*?)\/?$/.exec(pathname) ?? [];
  const params = findPlace(models, service, path)?.params ?? {};
  return models
    .filter((model) => model.service === service && !model.isReference && model.collection.includes('{'))
    .flatMap((model) => creationIn(model, params))
    .map(({ title, url, call }) => ({ ...linked(title, 'Action', url), call }));
}

export function creationIn({ create, ...model }: ResourceModel, params: Creation['params']) {
  if (!create || missingParams(model.collection, params).length > 0) return [];
  const collection = filled(model.collection, params);
  const call = { method: create.method, path: model.prefix + collection };
  return [{ operation: create.operation, title: create.title, url: placeUrl(model, `${collection}/new`), call }];
}

// Resources that can be created in one resource, not in its parents.
export function creationsIn(models: readonly ResourceModel[], model: ResourceModel, path: string) {
  const params = matched(model.item ?? '', path) ?? {};
  return models
    .filter((one) => one.service === model.service && !one.isReference && one.parent === model.collection)
    .flatMap((one) => creationIn(one, params));
}

// The creation of nested resources, which asks for the parent.
export const nestedEntries = (models: readonly ResourceModel[]): Entry[] =>
  models.flatMap((model): Entry[] => {
    const above = modelAbove(models, model);
    if (!model.create || model.isReference || !above) return [];
    const { operation, title } = model.create;
    return [{ key: operation, text: title, note: `Select ${lower(above.title)}`, creates: { model, params: {} } }];
  });

// The uppermost parent that is not selected yet.
export function missingParent(
  models: readonly ResourceModel[],
  { model, params }: Creation,
): ResourceModel | undefined {
  const above = modelAbove(models, model);
  if (!above || missingParams(model.collection, params).length === 0) return undefined;
  return missingParent(models, { model: above, params }) ?? above;
}

// Lists and creation forms of top-level collections.
export const resourceEntries = (models: readonly ResourceModel[]): Entry[] =>
  models
    .filter(({ collection }) => missingParams(collection, {}).length === 0)
    .flatMap((model): Entry[] => [
      linked(model.titles, 'List', placeUrl(model, model.collection)),
      ...creationIn(model, {}).map(({ title, url, call }) => ({ ...linked(title, 'Action', url), call })),
    ]);

// Lists of nested resources across all parents: `NICs of all servers`.
export const acrossEntries = (models: readonly ResourceModel[]): Entry[] =>
  models.flatMap((model): Entry[] => {
    const above = modelAbove(models, model);
    if (!model.isListedAcross || !above) return [];
    return [linked(`${model.titles} of all ${lower(above.titles)}`, 'List', placeUrl(model, acrossPath(model)))];
  });

// Resources with exactly this name come first.
export function inOrder(fixed: readonly Entry[], found: readonly Entry[], text: string): Entry[] {
  const isNamedSo = (entry: Entry): boolean => entry.text.toLowerCase() === text.trim().toLowerCase();
  return [...found.filter(isNamedSo), ...fixed, ...found.filter((one) => !isNamedSo(one))];
}

// An entry must contain all words. Entries that start with the first word come first.
export function matching(entries: readonly Entry[], text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).map(withSynonyms);
  const hasAll = (own: string): boolean => words.every((ways) => ways.some((way) => own.includes(way)));
  const [first] = words;
  const rank = (entry: Entry): number => {
    const own = entry.text.toLowerCase();
    if (!first || first.some((way) => own.startsWith(way))) return 0;
    return first.some((way) => own.includes(` ${way}`)) ? 1 : hasAll(own) ? 2 : 3;
  };
  const urls = new Set<string>();
  return entries
    .filter(({ text: own, note, words: others = '' }) => hasAll(`${own} ${note} ${others}`.toLowerCase()))
    .toSorted((a, b) => rank(a) - rank(b))
    .filter(({ url }) => {
      if (url === undefined) return true;
      const isNew = !urls.has(url);
      urls.add(url);
      return isNew;
    });
}
