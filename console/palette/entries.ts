// What the palette finds: pages, what can be made, things by name or id, and what else can be done from everywhere.

import type { ResourceModel } from '../resources/model.ts';
import { missingParams, placeUrl } from '../resources/place.ts';
import { groups } from '../sitemap.ts';

export interface Entry {
  text: string;
  note: string; // what kind of entry it is
  url?: string;
  act?(): void;
}

export const pageEntries = (): Entry[] =>
  groups.flatMap(({ title, parts }) =>
    parts.flatMap((part) =>
      [part, ...(part.beside ?? [])].map((one) => ({ text: one.title, note: title, url: one.url })),
    ),
  );

// Of collections that are in no other thing: what is made in one begins at its page.
export const resourceEntries = (models: readonly ResourceModel[]): Entry[] =>
  models
    .filter(({ collection }) => missingParams(collection, {}).length === 0)
    .flatMap((model): Entry[] => [
      { text: model.titles, note: 'List', url: placeUrl(model, model.collection) },
      ...(model.create
        ? [{ text: model.create.title, note: 'Action', url: placeUrl(model, `${model.collection}/new`) }]
        : []),
    ]);

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
