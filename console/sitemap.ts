// The pages that the region lists for the navigation and the palette.
import { signal } from '@preact/signals';
import type { NavigationGroup, NavigationPage } from '../src/console/navigation.ts';
import { kindTitle as kindTitleIn, type Titles } from '../src/console/titles.ts';
import { call } from './api.ts';

export type { NavigationPart } from '../src/console/navigation.ts';

export interface Sitemap {
  groups: readonly NavigationGroup[];
  titles: Titles;
}

const sitemap = signal<Sitemap>({ groups: [], titles: {} });

export const setSitemap = (known: Sitemap): void => {
  sitemap.value = known;
};

// Read once, because it changes only with a new version of the region.
export async function loadSitemap(): Promise<void> {
  if (groups().length === 0) setSitemap(await call<Sitemap>('GET', '/console/navigation'));
}

export const groups = (): readonly NavigationGroup[] => sitemap.value.groups;

// The title of a resource type as requests and the activity log spell it: `natgateway`, `flow-log`, `volumes`.
export const kindTitle = (kind: string): string => kindTitleIn(sitemap.value.titles, kind);

// The pages that share a navigation entry with the page at the address, including it; empty if there are no others.
export function siblingPages(url: string): readonly NavigationPage[] {
  const part = groups()
    .flatMap(({ parts }) => parts)
    .find((one) => [one, ...one.beside].some((page) => page.url === url));
  return part && part.beside.length > 0 ? [{ ...part, title: part.among ?? part.title }, ...part.beside] : [];
}
