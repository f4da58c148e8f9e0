// The pages of the console as entries of the palette.
import { groups } from '../sitemap.ts';
import { type Entry, linked } from './entries.ts';

export const pageEntries = (): Entry[] =>
  groups().flatMap(({ title, parts }) =>
    parts.flatMap((part) =>
      [part, ...part.beside].map((one) => ({
        ...linked(one.title, title, one.url),
        ...(one.words !== undefined && { words: one.words }),
      })),
    ),
  );
