// What the palette finds besides things: pages, what can be made, and what else can be done from everywhere.

import type { ResourceModel } from '../resources/model.ts';
import { filled, findPlace, missingParams, placeUrl } from '../resources/place.ts';

export interface Entry {
  key: string;
  text: string;
  note: string; // what kind of entry it is, or why it can't be chosen
  url?: string;
  act?(): void;
  path?: string; // of a thing in the API: it has actions
  isOff?: boolean; // it can't be done now
}

export const linked = (text: string, note: string, url: string): Entry => ({ key: `${note} ${url}`, text, note, url });

// What can be made in the things that an address is about: `New server` on the page of a datacenter.
export function entriesHere(models: readonly ResourceModel[], pathname: string): Entry[] {
  const [, service = '', path = ''] = /^\/console\/resources\/([^/]+)(\/.*?)\/?$/.exec(pathname) ?? [];
  const params = findPlace(models, service, path)?.params ?? {};
  return models
    .filter((model) => model.service === service && !model.isReference && model.collection.includes('{'))
    .filter(({ collection }) => missingParams(collection, params).length === 0)
    .flatMap((model) => {
      const url = placeUrl(model, `${filled(model.collection, params)}/new`);
      return model.create ? [linked(model.create.title, 'Action', url)] : [];
    });
}

// Of collections that are in no other thing: what is made in one begins at its page.
export const resourceEntries = (models: readonly ResourceModel[]): Entry[] =>
  models
    .filter(({ collection }) => missingParams(collection, {}).length === 0)
    .flatMap((model): Entry[] => [
      linked(model.titles, 'List', placeUrl(model, model.collection)),
      ...(model.create ? [linked(model.create.title, 'Action', placeUrl(model, `${model.collection}/new`))] : []),
    ]);

// Things that are named exactly so come before all else.
export function inOrder(fixed: readonly Entry[], things: readonly Entry[], text: string): Entry[] {
  const isNamedSo = (entry: Entry): boolean => entry.text.toLowerCase() === text.trim().toLowerCase();
  return [...things.filter(isNamedSo), ...fixed, ...things.filter((one) => !isNamedSo(one))];
}

// All words have to be in it; what begins with the first one comes first.
export function matching(entries: readonly Entry[], text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = entries.filter((entry) => {
    const own = `${entry.text} ${entry.note}`.toLowerCase();
    return words.every((word) => own.includes(word));
  });
  const rank = (entry: Entry): number => {
    const own = entry.text.toLowerCase();
    return words[0] === undefined || own.startsWith(words[0]) ? 0 : own.includes(` ${words[0]}`) ? 1 : 2;
  };
  const urls = new Set<string>();
  return fits
    .toSorted((a, b) => rank(a) - rank(b))
    .filter(({ url }) => {
      if (url === undefined) return true;
      const isNew = !urls.has(url);
      urls.add(url);
      return isNew;
    });
}
