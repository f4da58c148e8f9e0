// The navigation of the console: the pages that products list, and all top-level collections without such a page.
import type { ConsolePage } from '../surface/console-parts.ts';
import type { IconName } from '../surface/docs/icon-names.ts';
import type { ResourceModel } from './resource-model.ts';

export interface NavigationGroup {
  title: string;
  parts: NavigationPart[];
}

export interface NavigationPart extends NavigationPage {
  icon: IconName;
  among?: string; // its title among related pages, if different
  beside: NavigationPage[]; // related pages, shown as tabs
}

export interface NavigationPage {
  title: string;
  url: string;
  words?: string; // further search words
  counted?: { title: string; path: string; privilege?: string }; // its entry on the overview
}

const order = ['Region', 'Compute', 'Network', 'Data and AI', 'Observability', 'Access'];
const usualIcon: IconName = 'folder';

export function navigationOf(pages: readonly ConsolePage[], models: readonly ResourceModel[]): NavigationGroup[] {
  const prefixes = new Map(models.map(({ service, prefix }) => [service, prefix]));
  const shownPage = (page: ConsolePage): NavigationPage => navigationPage(page, prefixes);
  const groups = new Map<string, NavigationGroup>(order.map((title) => [title, { title, parts: [] }]));
  const parts = new Map<string, NavigationPart>(); // by title
  const all = [...pages, ...unlisted(pages, models)];
  for (const page of all.filter(({ under }) => under === undefined || !all.some(({ title }) => title === under))) {
    const group = groups.get(page.group) ?? { title: page.group, parts: [] };
    const { icon = usualIcon, among } = page;
    const part = { ...shownPage(page), icon, ...(among !== undefined && { among }), beside: [] };
    group.parts.push(part);
    groups.set(page.group, group);
    parts.set(page.title, part);
  }
  for (const page of all) if (page.under !== undefined) parts.get(page.under)?.beside.push(shownPage(page));
  return [...groups.values()].filter((group) => group.parts.length > 0);
}

// Top-level collections that no product lists.
function unlisted(pages: readonly ConsolePage[], models: readonly ResourceModel[]): ConsolePage[] {
  const keyOf = (service: string, path: string): string => `${service} ${path}`;
  const listed = new Set(pages.flatMap(({ collection }) => (collection ? [keyOf(...collection)] : [])));
  return models
    .filter(({ service, collection }) => !collection.includes('{') && !listed.has(keyOf(service, collection)))
    .map(({ service, collection, titles }) => {
      const host = pages.find((page) => page.leadsToOthers && page.collection?.[0] === service);
      const of: ConsolePage['collection'] = [service, collection];
      if (!host) return { title: titles, group: 'Resources', collection: of };
      return { title: titles, group: host.group, collection: of, under: host.under ?? host.title };
    });
}

function navigationPage(page: ConsolePage, prefixes: ReadonlyMap<string, string>): NavigationPage {
  const { title, address = '', collection = ['', ''], words, counted } = page;
  const [service, path] = collection;
  const prefix = path.includes('/-/') ? '/console/across' : (prefixes.get(service) ?? '');
  return {
    title,
    url: address || `/console/resources/${collection.join('')}`,
    ...(words !== undefined && { words }),
    ...(counted && { counted: { title, path: prefix + path, ...counted } }),
  };
}
