// What the palette finds besides things: pages, what can be made, and what else can be done from everywhere.

import type { ResourceModel } from '../resources/model.ts';
import { acrossPath, filled, findPlace, matched, missingParams, modelAbove, placeUrl } from '../resources/place.ts';
import { lower } from '../resources/words.ts';
import { alsoMeant } from './commands.ts';

export interface Entry {
  key: string;
  text: string;
  note: string; // what kind of entry it is, or why it can't be chosen
  url?: string;
  act?(): void;
  path?: string; // of a thing in the API: it has actions
  makes?: Making; // it asks in which thing
  words?: string; // that find it besides
  isOff?: boolean; // it can't be done now
}

// Something that is made in a thing, as far as it is known in which.
export interface Making {
  model: ResourceModel;
  params: Readonly<Record<string, string>>; // of the things above it
}

export const linked = (text: string, note: string, url: string): Entry => ({ key: `${note} ${url}`, text, note, url });

// What can be made in the things that an address is about: `New server` on the page of a datacenter.
export function entriesHere(models: readonly ResourceModel[], pathname: string): Entry[] {
  const [, service = '', path = ''] = /^\/console\/resources\/([^/]+)(\/.*?)\/?$/.exec(pathname) ?? [];
  const params = findPlace(models, service, path)?.params ?? {};
  return models
    .filter((model) => model.service === service && !model.isReference && model.collection.includes('{'))
    .flatMap((model) => creationIn(model, params))
    .map(({ title, url }) => linked(title, 'Action', url));
}

function creationIn({ create, ...model }: ResourceModel, params: Making['params']) {
  if (!create || missingParams(model.collection, params).length > 0) return [];
  const url = placeUrl(model, `${filled(model.collection, params)}/new`);
  return [{ operation: create.operation, title: create.title, url }];
}

// What can be made in one thing, not in those above it.
export function madeIn(models: readonly ResourceModel[], model: ResourceModel, path: string) {
  const params = matched(model.item ?? '', path) ?? {};
  return models
    .filter((one) => one.service === model.service && !one.isReference && one.parent === model.collection)
    .flatMap((one) => creationIn(one, params));
}

// What is made in another thing: which one is asked for.
export const nestedEntries = (models: readonly ResourceModel[]): Entry[] =>
  models.flatMap((model): Entry[] => {
    const above = modelAbove(models, model);
    if (!model.create || model.isReference || !above) return [];
    const { operation, title } = model.create;
    return [{ key: operation, text: title, note: `Asks in which ${lower(above.title)}`, makes: { model, params: {} } }];
  });

// The uppermost things that it is in and that are still to be chosen.
export function askedFor(models: readonly ResourceModel[], { model, params }: Making): ResourceModel | undefined {
  const above = modelAbove(models, model);
  if (!above || missingParams(model.collection, params).length === 0) return undefined;
  return askedFor(models, { model: above, params }) ?? above;
}

// Of collections that are in no other thing: what is made in one begins at its page.
export const resourceEntries = (models: readonly ResourceModel[]): Entry[] =>
  models
    .filter(({ collection }) => missingParams(collection, {}).length === 0)
    .flatMap((model): Entry[] => [
      linked(model.titles, 'List', placeUrl(model, model.collection)),
      ...(model.create ? [linked(model.create.title, 'Action', placeUrl(model, `${model.collection}/new`))] : []),
    ]);

// Of things that are in others, wherever they are: `NICs of all servers`.
export const acrossEntries = (models: readonly ResourceModel[]): Entry[] =>
  models.flatMap((model): Entry[] => {
    const above = modelAbove(models, model);
    if (!model.isListedAcross || !above) return [];
    return [linked(`${model.titles} of all ${lower(above.titles)}`, 'List', placeUrl(model, acrossPath(model)))];
  });

// Things that are named exactly so come before all else.
export function inOrder(fixed: readonly Entry[], things: readonly Entry[], text: string): Entry[] {
  const isNamedSo = (entry: Entry): boolean => entry.text.toLowerCase() === text.trim().toLowerCase();
  return [...things.filter(isNamedSo), ...fixed, ...things.filter((one) => !isNamedSo(one))];
}

// All words have to be in it; what begins with the first one comes first.
export function matching(entries: readonly Entry[], text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).map(alsoMeant);
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
