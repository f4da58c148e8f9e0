// What is searched for: words with filters, from which LogQL is made, or LogQL that the user writes. All of it is in
// the address, so that it can be kept and sent to others.
import { appended, escapedPattern, type Filter, filterIn, filterText, isSame, selectorOf, stagesOf } from './filter.ts';
import { quoted } from './quoted.ts';

export interface Search {
  isExpression: boolean; // LogQL of the user's own, which has its filters in itself
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

// Blanks stand between words, quotes around those that belong together, and a minus before what lines must not have.
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

// What was searched by words goes on as LogQL.
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
