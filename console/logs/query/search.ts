// A search: words with filters, from which LogQL is built, or LogQL that the user writes. The address contains all of
// it, so that it can be saved and shared.
import { appended, escapedPattern, type Filter, filterIn, filterText, isSame, selectorOf, stagesOf } from './filter.ts';
import { quoted } from './quoted.ts';

export interface Search {
  isExpression: boolean; // LogQL written by the user, which contains its filters
  words: string;
  expression: string;
  filters: readonly Filter[];
}

export const emptySearch: Search = { isExpression: false, words: '', expression: '', filters: [] };

export const logqlOf = ({ isExpression, words, expression, filters }: Search): string =>
  isExpression ? expression.trim() : selectorOf(filters) + wordStages(words) + stagesOf(filters);

export interface Word {
  text: string;
  isExcluded: boolean;
}

// Spaces separate words, quotes enclose phrases, and a minus excludes lines with the word.
export function wordsIn(text: string): Word[] {
  const found = text.matchAll(/(-?)"([^"]*)"?|(-?)(\S+)/g);
  return [...found].flatMap(([, minus, phrase, sign, word]) => {
    const content = phrase ?? word ?? '';
    if (phrase === undefined && word === '-') return [{ text: '-', isExcluded: false }];
    return content === '' ? [] : [{ text: content, isExcluded: (minus ?? sign) === '-' }];
  });
}

const wordStages = (words: string): string =>
  wordsIn(words)
    .map(({ text, isExcluded }) => ` ${isExcluded ? '!~' : '|~'} ${quoted(`(?i)${escapedPattern(text)}`)}`)
    .join('');

export function withFilter(search: Search, filter: Filter): Search {
  if (search.isExpression) return { ...search, expression: search.expression.trim() + appended(filter) };
  if (search.filters.some((one) => isSame(one, filter))) return search;
  const opposite = { ...filter, isExcluded: !filter.isExcluded };
  return { ...search, filters: [...search.filters.filter((one) => !isSame(one, opposite)), filter] };
}

export const withoutFilter = (search: Search, filter: Filter): Search => ({
  ...search,
  filters: search.filters.filter((one) => !isSame(one, filter)),
});

// Converts a search by words into LogQL.
export const asExpression = (search: Search): Search => ({
  ...search,
  isExpression: true,
  expression: logqlOf(search),
});

export const asWords = (search: Search): Search => ({ ...search, isExpression: false });

// In an address: `expr`, or `words` and `filter`. Alerts about logs link here by `expr`.
export function searchIn(address: URLSearchParams): Search {
  const expression = address.get('expr');
  if (expression !== null) return { ...emptySearch, isExpression: true, expression };
  const filters = address.getAll('filter').flatMap((text) => filterIn(text) ?? []);
  return { ...emptySearch, words: address.get('words') ?? '', filters };
}

export function searchAddress(search: Search): [name: string, value: string][] {
  if (search.isExpression) return [['expr', search.expression]];
  const words: [string, string][] = search.words.trim() === '' ? [] : [['words', search.words]];
  return [...words, ...search.filters.map((one): [string, string] => ['filter', filterText(one)])];
}
